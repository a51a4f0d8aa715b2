package dev.weir.console.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.stream.StageSnapshot;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the figures of one second, and how many seconds are kept. */
@Timeout(20)
class LookTest {

    private static final long SECOND = 1_000_000_000L;

    private static StageSnapshot stage(int parallelism, long elements, long busy, long up, long down, long elapsed) {
        return StageSnapshot.of("price", parallelism, elements, elements, busy, up, down, 0, elapsed);
    }

    @Test
    void shares_areThoseSinceTheLookBefore() {
        StageSnapshot before = stage(4, 1_000, 8 * SECOND, 0, 0, 2 * SECOND);
        StageSnapshot now = stage(4, 1_500, 10 * SECOND, SECOND, SECOND, 3 * SECOND);
        StageLook look = StageLook.between(before, before, now);
        assertThat(look.inPerSecond()).isEqualTo(500);
        assertThat(look.busy()).isEqualTo(0.5);
        assertThat(look.up()).isEqualTo(0.25);
        assertThat(look.down()).isEqualTo(0.25);
    }

    @Test
    void shares_afterTheLaneNumberChanged_addUp() {
        StageSnapshot before = stage(2, 0, SECOND, SECOND, 0, SECOND);
        StageSnapshot now = stage(8, 0, 3 * SECOND, 7 * SECOND, 0, 2 * SECOND);
        StageLook look = StageLook.between(before, before, now);
        assertThat(look.busy()).isEqualTo(0.25);
        assertThat(look.up()).isEqualTo(0.75);
    }

    /** The stage is always busy. Each batch takes two and a half seconds, and the counters change at its end. */
    @Test
    void shares_ofBatchesThatTakeLongerThanASecond_areThoseOfFiveSeconds() {
        RecentCounters recent = new RecentCounters();
        for (int second = 0; second <= 40; second++) {
            long batches = 2L * second / 5;
            StageLook look = recent.next(stage(1, 100 * batches, batches * 5 * SECOND / 2, 0, 0, second * SECOND));
            if (second > 5) {
                assertThat(look.busy()).as("second %s", second).isEqualTo(1);
                assertThat(look.outPerSecond()).isIn(0.0, 100.0);
            }
        }
    }

    /** Two records in five seconds, none in the last second: a rounded rate would be 0. */
    @Test
    void rates_belowOneASecond_areToldWithTheirCounts() throws Exception {
        RecentCounters recent = new RecentCounters();
        StageLook last = recent.next(stage(1, 0, 0, 0, 0, 0));
        long[] elements = {0, 1, 1, 2, 2};
        for (int second = 1; second <= elements.length; second++) {
            last = recent.next(stage(1, elements[second - 1], 0, 0, 0, second * SECOND));
        }
        Look look = new Look(
                1,
                Instant.EPOCH,
                "pipe",
                true,
                List.of(last),
                List.of(),
                List.of(),
                List.of(),
                null,
                null,
                null,
                null,
                new Look.Figures(5, 0.3),
                null);
        JsonNode told = new ObjectMapper().readTree(SnapshotJson.brief(look));
        JsonNode stage = told.at("/stages/0");
        assertThat(stage.path("out_per_second").asDouble()).isZero();
        assertThat(stage.path("recent_out_per_second").asDouble()).isEqualTo(0.4);
        assertThat(stage.path("recent_in_per_second").asDouble()).isEqualTo(0.4);
        assertThat(stage.path("recent_out").asLong()).isEqualTo(2);
        assertThat(stage.path("recent_in").asLong()).isEqualTo(2);
        assertThat(told.at("/figures/lag_fall_per_second").asDouble()).isEqualTo(0.3);
    }

    @Test
    void shares_ofAStageThatHasEnded_areNone() {
        StageSnapshot last = stage(2, 10, SECOND, SECOND, 0, SECOND);
        assertThat(StageLook.between(last, last, last).busy()).isZero();
    }

    @Test
    void history_keepsTheLastQuarterOfAnHour() throws InterruptedException {
        History history = new History();
        LongStream.rangeClosed(1, History.MOST + 5L).forEach(n -> history.add(new History.Entry(n, "{}"), "full " + n));
        History.News news = Objects.requireNonNull(history.after(0, Duration.ofSeconds(20)));
        assertThat(news.entries()).hasSize(History.MOST);
        assertThat(news.entries().getFirst().number()).isEqualTo(6);
        assertThat(new String(Objects.requireNonNull(news.state()), StandardCharsets.UTF_8).strip())
                .isEqualTo("full " + (History.MOST + 5));
        history.close();
        assertThat(history.after(History.MOST, Duration.ofSeconds(20))).isNull();
    }

    @Test
    void history_ofLargeLooks_isBounded() throws InterruptedException {
        History history = new History();
        String large = "x".repeat(History.MOST_CHARS / 4);
        LongStream.rangeClosed(1, 9).forEach(n -> history.add(new History.Entry(n, large), ""));
        History.News news = Objects.requireNonNull(history.after(0, Duration.ofSeconds(20)));
        assertThat(news.entries()).hasSize(4);
    }
}
