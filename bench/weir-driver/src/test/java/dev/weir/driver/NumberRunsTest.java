package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class NumberRunsTest {

    private static NumberRuns of(BitSet bits) {
        NumberRuns.Builder runs = new NumberRuns.Builder();
        for (int bit = bits.nextSetBit(0); bit >= 0; bit = bits.nextSetBit(bit + 1)) {
            runs.add(bit, bit + 1);
        }
        return runs.build();
    }

    private static BitSet random(SplittableRandom random, int most) {
        BitSet bits = new BitSet();
        for (int i = random.nextInt(most); i > 0; i--) {
            int from = random.nextInt(500);
            bits.set(from, from + random.nextInt(1, 20));
        }
        return bits;
    }

    @Test
    void numbers_areReadAsTheyWereWritten() {
        NumberRuns runs = new NumberRuns.Builder()
                .add(0, 5)
                .add(17, 100_000)
                .add(2_000_000, 2_000_001)
                .add(1L << 60, Long.MAX_VALUE)
                .build();
        assertThat(NumberRuns.decoded(runs.encoded())).isEqualTo(runs).hasToString(runs.toString());
        assertThat(runs.encoded()).hasSizeLessThan(80);
        assertThat(NumberRuns.decoded(NumberRuns.NONE.encoded())).isEqualTo(NumberRuns.NONE);
    }

    @Test
    void runsThatTouch_areOne() {
        assertThat(new NumberRuns.Builder()
                        .add(0, 5)
                        .add(5, 5)
                        .add(5, 7)
                        .add(9, 9)
                        .build())
                .hasToString("0..6");
    }

    @Test
    void setsOfRuns_areAsSetsOfBits() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 2_000; round++) {
            BitSet some = random(random, 12);
            BitSet others = random(random, 12);
            BitSet both = (BitSet) some.clone();
            both.or(others);
            BitSet common = (BitSet) some.clone();
            common.and(others);
            int end = random.nextInt(520);
            assertThat(of(some).plus(of(others))).isEqualTo(of(both));
            assertThat(of(some).countCommon(of(others))).isEqualTo(common.cardinality());
            assertThat(of(some).countBelow(end)).isEqualTo(some.get(0, end).cardinality());
            assertThat(NumberRuns.decoded(of(some).encoded())).isEqualTo(of(some));
        }
    }

    @Test
    void runsOutOfOrder_areRefused() {
        NumberRuns.Builder runs = new NumberRuns.Builder().add(5, 7);
        assertThatThrownBy(() -> runs.add(6, 9)).hasMessageContaining("runs must ascend: 6 to 9 after 7");
        assertThatThrownBy(() -> runs.add(9, 8)).hasMessageContaining("runs must ascend");
    }

    @Test
    void otherText_isRefused() {
        for (String text : new String[] {
            "AAAA",
            "no Base64",
            deflated(3),
            deflated(1, 0x80),
            deflated(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1),
            deflated(-1, -1, -1, -1, -1, -1, -1, -1, 127, -1, -1, -1, -1, -1, -1, -1, -1, 127)
        }) {
            assertThatThrownBy(() -> NumberRuns.decoded(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("invalid numbers of records");
        }
    }

    private static String deflated(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        Deflater deflater = new Deflater();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] out = new byte[100];
        int length = deflater.deflate(out);
        deflater.end();
        return Base64.getEncoder().encodeToString(Arrays.copyOf(out, length));
    }

    /**
     * The member's numbers arrive out of order and with gaps, because other members received the numbers in between.
     */
    @Test
    void ledger_tellsWhichNumbersCame() {
        PartitionLedger ledger = new PartitionLedger(10_000);
        BitSet came = new BitSet();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 3_000; i++) {
            int number = i < 100 ? i : random.nextInt(150, 5_000);
            ledger.delivered(number);
            came.set(number);
            if (i % 100 == 99) {
                assertThat(ledger.numbers()).isEqualTo(of(came));
            }
        }
    }
}
