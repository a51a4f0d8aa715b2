package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class RefinementTest {

    private static Set<Integer> asked(List<Integer> sizes, IntFunction<String> verdict) {
        Refinement refinement = new Refinement(sizes);
        Set<Integer> all = new TreeSet<>();
        for (Set<Integer> next = refinement.next(); !next.isEmpty(); next = refinement.next()) {
            for (int place : next) {
                assertThat(all.add(place)).as("place %s", place).isTrue();
                refinement.tell(place, verdict.apply(place));
            }
        }
        return all;
    }

    @Test
    void changeOfAVerdict_isFoundBetweenTwoNeighbours_inFewRuns() {
        for (int change = 1; change < 33; change++) {
            int at = change;
            Set<Integer> asked = asked(List.of(33), place -> place < at ? "better" : "worse");
            assertThat(asked).contains(at - 1, at).hasSizeLessThanOrEqualTo(7);
        }
    }

    @Test
    void sameVerdictAllOver_takesTheCornersOnly() {
        assertThat(asked(List.of(9), place -> "same")).containsExactly(0, 8);
        assertThat(asked(List.of(3, 5), place -> "same")).containsExactly(0, 2, 12, 14);
        assertThat(asked(List.of(), place -> "same")).containsExactly(0);
        assertThat(asked(List.of(1, 2), place -> "same")).containsExactly(0, 1);
    }

    /** The verdict is "better" below a diagonal of the grid. The points on both sides of the diagonal must run. */
    @Test
    void changeInTwoDimensions_isFollowed() {
        int size = 9;
        IntFunction<String> verdict = place -> place % size + place / size < 7 ? "better" : "worse";
        Set<Integer> asked = asked(List.of(size, size), verdict);
        for (int column = 0; column < 7; column++) {
            int below = (6 - column) * size + column;
            assertThat(asked).contains(below, below + 1);
        }
        assertThat(asked).hasSizeLessThan(size * size);
    }

    @Test
    void verdictThatNobodyAskedFor_isRefused() {
        Refinement refinement = new Refinement(List.of(9));
        assertThat(refinement.next()).containsExactlyInAnyOrder(0, 8);
        assertThatThrownBy(() -> refinement.tell(4, "better")).isInstanceOf(IllegalArgumentException.class);
    }
}
