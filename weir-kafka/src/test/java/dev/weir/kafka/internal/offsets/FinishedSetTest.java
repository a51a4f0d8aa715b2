package dev.weir.kafka.internal.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FinishedSetTest {

    /** A set of runs, each as its first offset and the one past its last. */
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
}
