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
                        + "\"expected_gain\":2.99,\"measured_gain\":null}}");
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
        assertThat(lines).containsExactly("stage-wait: price waits", "for its shop", "to do: raise it from 8", "to 24");
    }
}
