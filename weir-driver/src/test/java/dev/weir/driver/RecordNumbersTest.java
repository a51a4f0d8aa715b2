package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecordNumbersTest {

    @Test
    void numbers_areReadAsTheyWereWritten() {
        BitSet numbers = new BitSet();
        numbers.set(0, 100_000);
        numbers.clear(5, 17);
        numbers.set(2_000_000);
        assertThat(RecordNumbers.decoded(RecordNumbers.encoded(numbers))).isEqualTo(numbers);
        assertThat(RecordNumbers.encoded(numbers)).hasSizeLessThan(2_000);
        assertThat(RecordNumbers.decoded(RecordNumbers.encoded(new BitSet()))).isEqualTo(new BitSet());
    }

    @Test
    void otherText_isRefused() {
        assertThatThrownBy(() -> RecordNumbers.decoded("AAAA")).isInstanceOf(IllegalArgumentException.class);
    }

    /** As a member of a group has them, whose partition came to others too: with holes, and in any order. */
    @Test
    void ledger_tellsWhichNumbersCame() {
        PartitionLedger ledger = new PartitionLedger(10_000);
        BitSet came = new BitSet();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 3_000; i++) {
            int number = i < 100 ? i : random.nextInt(150, 5_000);
            ledger.delivered(number);
            came.set(number);
        }
        assertThat(ledger.numbers()).isEqualTo(came);
    }
}
