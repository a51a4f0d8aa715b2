package dev.weir.kafka.internal.in.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FinishedSetTest {

    /** Creates a set of offset ranges, each given by its first offset and the offset after its last. */
    private static FinishedSet set(long... bounds) {
        FinishedSet.Builder builder = new FinishedSet.Builder();
        for (int i = 0; i < bounds.length; i += 2) {
            builder.add(bounds[i], bounds[i + 1]);
        }
        return builder.build();
    }

    @Test
    void containsAll_ofRunsWithinItsRuns_isTrue() {
        assertThat(set().containsAll(set())).isTrue();
        assertThat(set(1, 3).containsAll(set())).isTrue();
        assertThat(set(1, 3, 5, 9).containsAll(set(1, 3, 5, 9))).isTrue();
        assertThat(set(1, 3, 5, 9).containsAll(set(2, 3, 6, 7, 8, 9))).isTrue();
    }

    @Test
    void equalSets_haveTheSameHash_thatOthersDoNot() {
        assertThat(set(1, 3, 5, 9)).hasSameHashCodeAs(set(1, 3, 5, 9));
        assertThat(set(1, 3).hashCode()).isNotEqualTo(set(1, 4).hashCode());
    }

    @Test
    void containsAll_ofOffsetsThatItLacks_isFalse() {
        assertThat(set().containsAll(set(1, 2))).isFalse();
        assertThat(set(1, 3).containsAll(set(1, 4))).isFalse();
        assertThat(set(2, 3).containsAll(set(1, 3))).isFalse();
        assertThat(set(1, 3, 5, 9).containsAll(set(1, 9))).isFalse();
        assertThat(set(1, 3).containsAll(set(1, 3, 5, 6))).isFalse();
    }

    @Test
    void contains_ofOffsetsInARow_isTrueOnlyIfAllAreInOneRun() {
        FinishedSet set = set(10, 20, 30, 31);
        assertThat(set.contains(10, 20)).isTrue();
        assertThat(set.contains(12, 13)).isTrue();
        assertThat(set.contains(30, 31)).isTrue();
        assertThat(set.contains(9, 12)).isFalse();
        assertThat(set.contains(19, 21)).isFalse();
        assertThat(set.contains(15, 31)).isFalse();
        assertThat(set.contains(20, 21)).isFalse();
        assertThat(set.contains(40, 41)).isFalse();
        assertThat(set().contains(0, 1)).isFalse();
    }

    private static FinishedSet setOf(BitSet offsets) {
        FinishedSet.Builder builder = new FinishedSet.Builder();
        for (int from = offsets.nextSetBit(0); from >= 0; from = offsets.nextSetBit(from)) {
            int to = offsets.nextClearBit(from);
            builder.add(from, to);
            from = to;
        }
        return builder.build();
    }

    @Test
    void set_ofAnyOffsets_saysOfEachWhetherItIsInIt() {
        Random random = new Random(3);
        for (int round = 0; round < 500; round++) {
            BitSet offsets = new BitSet();
            BitSet later = new BitSet();
            int from = random.nextInt(60);
            for (int n = random.nextInt(60); n > 0; n--) {
                int offset = random.nextInt(60);
                offsets.set(offset);
                later.set(offset, offset >= from);
            }
            FinishedSet set = setOf(offsets);
            assertThat(set.isEmpty()).isEqualTo(offsets.isEmpty());
            for (int offset = 0; offset < 62; offset++) {
                assertThat(set.contains(offset)).as("%d of %s", offset, set).isEqualTo(offsets.get(offset));
                assertThat(set.isBefore(offset)).isEqualTo(offsets.length() <= offset);
            }
            FinishedSet.Builder rest = new FinishedSet.Builder();
            rest.addFrom(set, from);
            assertThat(rest.runs()).isEqualTo(setOf(later).runs());
            assertThat(rest.build()).isEqualTo(setOf(later));
            assertThat(set.equals(setOf(later))).isEqualTo(offsets.equals(later));
        }
    }

    @Test
    void set_isShownByItsBounds() {
        FinishedSet.Builder builder = new FinishedSet.Builder();
        builder.add(0, 1);
        builder.add(1, 3);
        builder.add(5, 6);
        assertThat(builder.build()).hasToString("[0, 3, 5, 6]").isNotEqualTo("[0, 3, 5, 6]");
        assertThat(builder.build()).isNotEqualTo(FinishedSet.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "5, 5", "6, 5", "4, 9"})
    void run_thatIsNotBehindTheOthers_isRefused(long from, long to) {
        FinishedSet.Builder builder = new FinishedSet.Builder();
        if (from >= 0) {
            builder.add(0, 5);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.add(from, to))
                .withMessage("not an ascending run: from=" + from + " to=" + to);
    }
}
