package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeySpreadTest {

    @ParameterizedTest
    @CsvSource({"0, 2500", "1, 4800"})
    void keysOfAPartition_areItsOwn_andComeAsSkewSays(double skew, int first) {
        KeySpread keys = new KeySpread(4, skew);
        int[] counts = new int[4];
        for (int i = 0; i < 10_000; i++) {
            int key = ByteBuffer.wrap(Objects.requireNonNull(keys.next(2))).getInt();
            assertThat(key).isBetween(8, 11);
            counts[key - 8]++;
        }
        assertThat(counts[0]).isCloseTo(first, within(200));
    }

    @Test
    void withoutKeys_thereIsNone() {
        assertThat(new KeySpread(0, 0).next(1)).isNull();
    }
}
