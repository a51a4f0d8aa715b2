package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {

    @ParameterizedTest
    @CsvSource({"50us,PT0.00005S", "5ms,PT0.005S", "1.5s,PT1.5S", "2m,PT2M", "1h,PT1H", "7ns,PT0.000000007S", "0s,PT0S"
    })
    void convert_numberWithUnit_isThatDuration(String text, Duration expected) {
        assertThat(new DurationConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "ms", "-5ms", "5 ms", "5d", "", "1e3ms", "9999999999h"})
    void convert_anythingElse_saysWhatIsAllowed(String text) {
        assertThatThrownBy(() -> new DurationConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContainingAll("'" + text + "'", "ns, us, ms, s, m or h");
    }
}
