package dev.weir.console.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the reduction of a long run's figures to a few points. */
@Timeout(20)
class TrendTest {

    @Test
    void points_ofALongRun_areFew_andReachFromTheStartToTheEnd() throws Exception {
        Trend trend = new Trend();
        int looks = 100_003;
        for (int look = 0; look < looks; look++) {
            trend.add(1_000L * look, look, 5, 0.5, 10, Double.NaN, 0);
        }
        assertThat(trend.size()).isBetween(Trend.MOST / 2, Trend.MOST);
        JsonNode told = new ObjectMapper().readTree(Json.object(trend::write));
        int seconds = told.path("seconds_per_point").asInt();
        JsonNode points = told.path("points");
        for (int i = 0; i < points.size(); i++) {
            // A point is the mean of its samples, at the time of its last sample.
            double last = (i + 1.0) * seconds - 1;
            assertThat(points.get(i).get(0).asLong()).isEqualTo((long) (1_000 * last));
            assertThat(points.get(i).get(1).asDouble()).isEqualTo(last - (seconds - 1) / 2.0);
            assertThat(points.get(i).get(2).asDouble()).isEqualTo(5);
            assertThat(points.get(i).get(5).isNull()).isTrue();
        }
        assertThat(points.get(points.size() - 1).get(0).asLong()).isGreaterThan(1_000L * (looks - 1 - seconds));
    }
}
