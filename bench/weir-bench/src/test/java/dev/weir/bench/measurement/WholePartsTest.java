package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how closely whole processes approximate a fraction of the consumers. */
class WholePartsTest {

    @ParameterizedTest
    @CsvSource({"1, 4", "4, 4", "5, 30", "30, 30", "32, 34", "34, 34", "35, 60", "61, 64", "64, 64", "65, 64"})
    void chosenOnes_holdWhatIsWanted_andLittleMore(int wanted, int held) {
        List<Integer> chosen = WholeParts.holding(List.of(30, 30, 4), each -> each, wanted);
        assertThat(chosen.stream().mapToInt(each -> each).sum()).isEqualTo(held);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 2"})
    void equalOnes_areTakenFromTheFirstOn(int wanted, int count) {
        List<String> parts = List.of("a", "b");
        assertThat(WholeParts.holding(parts, each -> 1, wanted)).isEqualTo(parts.subList(0, count));
    }
}
