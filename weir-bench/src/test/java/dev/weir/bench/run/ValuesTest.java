package dev.weir.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValuesTest {

    @Test
    void plainValues_differInTheirNumberOnly() {
        Values values = new Values(100, false, 0);
        byte[] first = values.next(0);
        byte[] second = values.next(0x0102030405060708L);
        assertThat(ByteBuffer.wrap(second).getLong()).isEqualTo(0x0102030405060708L);
        assertThat(ByteBuffer.wrap(second).getLong(8)).as("no planned time").isZero();
        assertThat(first).hasSize(100);
        assertThat(Arrays.copyOfRange(second, 8, 100)).isEqualTo(Arrays.copyOfRange(first, 8, 100));
    }

    @Test
    void randomShare_isWhatDiffers_behindTheNumbers() {
        Values values = new Values(116, false, 0.5);
        byte[] first = values.next(0);
        byte[] second = values.next(0);
        assertThat(Arrays.mismatch(first, second)).isBetween(66, 68);
        assertThat(Arrays.equals(first, 108, 116, second, 108, 116)).isFalse();
    }

    @Test
    void spreadLengths_keepTheMean() {
        Values values = new Values(100, true, 1);
        int[] lengths = IntStream.range(0, 20_000)
                .map(number -> values.next(number).length)
                .sorted()
                .toArray();
        assertThat(Arrays.stream(lengths).average().orElseThrow()).isCloseTo(100, within(1.0));
        assertThat(lengths[0]).isEqualTo(16);
        assertThat(lengths[19_999]).isEqualTo(184);
    }

    @Test
    void leastValue_hasNothingButItsNumbers() {
        assertThat(new Values(16, true, 1).next(7)).hasSize(16).endsWith(0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
