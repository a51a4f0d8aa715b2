package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordsTest {

    @ParameterizedTest
    @ValueSource(
            doubles = {0, 0.04, 0.05, 0.5, 1, 1.25, 9.94, 9.99, 10, 999.4, 999.6, 1_000, 12_345.5, 8_460_000, -3.14})
    void number_isWrittenAsTheFormatterWritesIt(double value) {
        assertThat(Words.number(value)).isEqualTo(String.format(Locale.ROOT, value >= 10 ? "%,.0f" : "%.1f", value));
        assertThat(Words.percent(value / 100)).isEqualTo(String.format(Locale.ROOT, "%.0f %%", 100 * (value / 100)));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, 999, 1_000, 1_001, 10_050, 1_000_000, 123_456_789_012L, -999, -1_000, -12_003})
    void count_isWrittenAsTheFormatterWritesIt(long value) {
        assertThat(Words.count(value)).isEqualTo(String.format(Locale.ROOT, "%,d", value));
    }
}
