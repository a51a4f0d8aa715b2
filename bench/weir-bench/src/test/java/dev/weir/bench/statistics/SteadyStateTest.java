package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SteadyStateTest {

    @Test
    void of_warmUpThenFlat_cutsAfterTheWarmUp() {
        int right = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            double[] rates = series(40, i -> 1e6 * (1 - 0.8 * Math.exp(-i / 3.0)) * (1 + 0.03 * random.nextGaussian()));
            SteadyState.Finding finding = SteadyState.of(rates);
            // Without its noise, the rate is within 1.5 % of its final value from interval 12 on. Allow 8 intervals to
            // each side.
            right += finding.steady() && finding.from() >= 4 && finding.from() <= 20 ? 1 : 0;
        }
        assertThat(right).as("of 300 series").isGreaterThan(285);
    }

    @Test
    void of_flatSeries_isSteadyFromNearTheStart() {
        int right = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            SteadyState.Finding finding = SteadyState.of(series(30, i -> 1e6 * (1 + 0.05 * random.nextGaussian())));
            right += finding.steady() ? 1 : 0;
        }
        assertThat(right).as("of 300 series").isGreaterThan(270);
        assertThat(SteadyState.of(series(30, i -> 7)).from()).isZero();
    }

    @Test
    void of_driftingSeries_isNotSteady() {
        int wrong = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            double[] rates = series(40, i -> 1e6 * (1 + 0.01 * i) * (1 + 0.02 * random.nextGaussian()));
            wrong += SteadyState.of(rates).steady() ? 1 : 0;
        }
        assertThat(wrong).as("of 300 series").isLessThan(6);
    }

    @Test
    void drifts_isSaidOfWhatDoes() {
        Random random = new Random(1);
        assertThat(SteadyState.drifts(series(25, i -> 1e6 * (1 + 0.01 * i) * (1 + 0.02 * random.nextGaussian()))))
                .isTrue();
        assertThat(SteadyState.drifts(series(25, i -> 1e6 * (1 - 0.01 * i)))).isTrue();
        assertThat(SteadyState.drifts(series(SteadyState.MIN_INTERVALS - 1, i -> i)))
                .isFalse();
        int wrong = 0;
        for (int run = 0; run < 300; run++) {
            wrong += SteadyState.drifts(series(25, i -> 1e6 * (1 + 0.1 * random.nextGaussian()))) ? 1 : 0;
        }
        assertThat(wrong).as("of 300 series, at 1 %").isLessThan(10);
    }

    @Test
    void of_slowSecondsHereAndThere_staysSteady() {
        Random random = new Random(1);
        double[] rates = series(40, i -> i % 13 == 7 ? 6e5 : 1e6 * (1 + 0.02 * random.nextGaussian()));
        assertThat(SteadyState.of(rates).steady()).isTrue();
    }

    @Test
    void of_wildOrShortSeries_isNotSteady() {
        assertThat(SteadyState.of(series(40, i -> i % 2 == 0 ? 1 : 10)).steady())
                .isFalse();
        assertThat(SteadyState.of(series(SteadyState.MIN_INTERVALS - 1, i -> 7)).steady())
                .isFalse();
        assertThat(SteadyState.of().steady()).isFalse();
    }

    /** Eight intervals are enough. A drift and a spread may reach their bound, but not exceed it. */
    @Test
    void bounds_areTheLastValuesThatPass() {
        assertThat(SteadyState.of(series(SteadyState.MIN_INTERVALS, i -> 7)).steady())
                .isTrue();
        assertThat(SteadyState.drifts(series(SteadyState.MIN_INTERVALS, i -> i + 1)))
                .isTrue();

        // From 975 to 1,025 around 1,000.
        assertThat(SteadyState.drifts(series(9, i -> 975 + 6.25 * i))).isFalse();
        assertThat(SteadyState.drifts(series(9, i -> 974.5 + 6.375 * i))).isTrue();

        // The mean is 10, the deviation 3.
        double[] spread = series(9, i -> i == 0 ? 10 : i % 2 == 0 ? 7 : 13);
        assertThat(SteadyState.of(spread)).isEqualTo(new SteadyState.Finding(true, 0, 0, 0.3));
        spread[8] = 6.9;
        assertThat(SteadyState.of(spread).from()).isZero();
        assertThat(SteadyState.of(spread).steady()).isFalse();
    }

    /** A series of zeros, such as the cost of an idle process, has no relative change. */
    @Test
    void seriesOfZeros_isSteady() {
        assertThat(SteadyState.of(new double[20])).isEqualTo(new SteadyState.Finding(true, 0, 0, 0));
    }

    private static double[] series(int length, IntToDoubleFunction value) {
        return IntStream.range(0, length).mapToDouble(value).toArray();
    }
}
