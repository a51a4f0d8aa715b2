package dev.weir.examples.asimov.naive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.examples.asimov.Malformed;
import dev.weir.examples.asimov.Reason;
import dev.weir.examples.asimov.Translated;
import dev.weir.examples.asimov.Translation;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NaiveStepsTest {
    private static final int EVENTS = 20_000;

    private final AsimovSteps today = new AsimovTranslator();
    private final AsimovSteps naive = new NaiveSteps();

    /** A faster version counts only if its output is the same. */
    @Test
    void translate_ofGeneratedEvents_givesTheBytesOfToday() {
        EventGenerator generator = new EventGenerator(42);
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        for (int index = 0; index < EVENTS; index++) {
            Translation expected = today.translate(generator.value(index));
            Translation actual = naive.translate(generator.value(index));
            if (expected instanceof Translated sound) {
                assertThat(actual).as("event %d", index).isInstanceOf(Translated.class);
                assertThat(((Translated) actual).key()).as("event %d", index).isEqualTo(sound.key());
                assertThat(((Translated) actual).protobuf())
                        .as("event %d", index)
                        .isEqualTo(sound.protobuf());
            } else {
                assertThat(actual).as("event %d", index).isEqualTo(expected);
                reasons.add(((Malformed) expected).reason());
            }
        }
        assertThat(reasons)
                .containsExactlyInAnyOrder(
                        Reason.INVALID_JSON,
                        Reason.MISSING_SESSION,
                        Reason.INVALID_URL,
                        Reason.INVALID_PAYLOAD,
                        Reason.UNKNOWN_ENCODING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~|EMPTY_VALUE",
                "[1]|INVALID_JSON",
                "{} {}|INVALID_JSON",
                "{'session':'s','payload':1}|WRONG_TYPE",
                "{'session':'s','payload':{}}|MISSING_FIELD",
                "{'session':'s','payload':{},'event':'e','seq':-1}|OUT_OF_RANGE",
                "{'session':'s','payload':{},'event':'e','seq':1,'timestamp':1}|TIMESTAMP_OUT_OF_RANGE"
            })
    void translate_ofOtherMalformedEvents_namesTheReason(String json, Reason reason) {
        Translation actual = naive.translate(json.replace('\'', '"').getBytes(UTF_8));

        assertThat(actual).isInstanceOf(Malformed.class);
        assertThat(((Malformed) actual).reason()).isEqualTo(reason);
    }
}
