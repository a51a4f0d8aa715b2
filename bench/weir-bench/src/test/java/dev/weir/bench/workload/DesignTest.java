package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DesignTest {

    private static Set<String> texts(List<int[]> points) {
        Set<String> texts = new HashSet<>();
        for (int[] point : points) {
            texts.add(java.util.Arrays.toString(point));
        }
        return texts;
    }

    static Stream<int[]> sizes() {
        return Stream.of(
                new int[] {},
                new int[] {5},
                new int[] {2, 3},
                new int[] {3, 3, 3},
                new int[] {2, 2, 2, 2, 2},
                new int[] {4, 1, 3, 2},
                new int[] {5, 4, 3, 2, 2});
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void fractional_letsAnyTwoValuesOfTwoDimensionsMeet_andBeginsWithTheFirstOnes(int[] sizes) {
        List<int[]> points = Design.FRACTIONAL.points(sizes);
        assertThat(points.getFirst()).containsOnly(new int[sizes.length]);
        assertThat(texts(points)).hasSameSizeAs(points).isSubsetOf(texts(Design.GRID.points(sizes)));
        for (int one = 0; one < sizes.length; one++) {
            for (int other = 0; other < sizes.length; other++) {
                Set<List<Integer>> met = new HashSet<>();
                for (int[] point : points) {
                    met.add(List.of(point[one], point[other]));
                }
                assertThat(met).hasSize(one == other ? sizes[one] : sizes[one] * sizes[other]);
            }
        }
    }

    @Test
    void fractional_isAFractionOfTheGrid_ofThreeDimensionsOrMore() {
        assertThat(Design.FRACTIONAL.points(new int[] {2, 3})).hasSize(6);
        assertThat(Design.FRACTIONAL.points(new int[] {3, 3, 3})).hasSizeLessThan(14);
        assertThat(Design.FRACTIONAL.points(new int[] {2, 2, 2, 2, 2})).hasSizeLessThan(10);
    }

    @Test
    void grid_letsTheFirstDimensionChangeFastest() {
        int[] sizes = {2, 3};
        List<int[]> points = Design.GRID.points(sizes);
        assertThat(points).hasSize(6);
        assertThat(points.get(1)).containsExactly(1, 0);
        for (int place = 0; place < points.size(); place++) {
            assertThat(Design.gridIndex(sizes, points.get(place))).isEqualTo(place);
        }
        assertThat(Design.ONE_AT_A_TIME.points(sizes)).hasSize(4);
    }
}
