package dev.weir.cli.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimiterFieldsTest {

    private static final Limiter LIMITER =
            Limiter.of(Kind.STAGE_WAIT, "price", "price waits for its shop", "raise it from 8 to 24", 2.987);

    @Test
    void write_hasTheFieldsOfTheContract() throws IOException {
        assertThat(written(LIMITER))
                .isEqualTo("{\"limiter\":{\"kind\":\"stage-wait\",\"name\":\"price\","
                        + "\"sentence\":\"price waits for its shop\",\"advice\":\"raise it from 8 to 24\","
                        + "\"expected_gain\":2.99,\"measured_gain\":null,\"seconds\":0.0,"
                        + "\"confidence\":\"sure\",\"candidates\":[]}}");
        assertThat(written(LIMITER.measured(2.5))).contains("\"measured_gain\":2.5");
    }

    private static String written(Limiter limiter) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            LimiterFields.write(json, limiter);
            json.writeEndObject();
        }
        return text.toString();
    }

    @Test
    void lines_areBrokenBetweenWords() {
        List<String> lines = LimiterFields.lines(LIMITER, 24);
        assertThat(lines)
                .containsExactly(
                        "stage-wait: price waits",
                        "for its shop",
                        "to do: raise it from 8",
                        "to 24 (expected: 3.0",
                        "times the rate)");
    }

    @Test
    void gains_areTold_ifThereAreAny() {
        assertThat(LimiterFields.gains(1.04, null)).isEmpty();
        assertThat(LimiterFields.gains(1.2, null)).isEqualTo(" (expected: 1.2 times the rate)");
        assertThat(LimiterFields.gains(1, 2.46)).isEqualTo("; the change before: 2.5 times the rate");
        assertThat(LimiterFields.lines(LIMITER.measured(0.9), 200))
                .last()
                .isEqualTo(
                        "to do: raise it from 8 to 24 (expected: 3.0 times the rate); the change before: 0.9 times the"
                                + " rate");
    }
}
