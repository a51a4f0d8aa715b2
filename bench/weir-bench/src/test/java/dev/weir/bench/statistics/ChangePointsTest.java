package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.statistics.ChangePoints.Segment;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks that change points are found in simulated series, and that series without a change have none. Seeds are fixed.
 */
class ChangePointsTest {

    /** Random variation without a change, with a standard deviation of about 1. */
    enum Noise {
        NORMAL {
            @Override
            double next(Random random) {
                return random.nextGaussian();
            }
        },
        SKEWED {
            @Override
            double next(Random random) {
                return -Math.log1p(-random.nextDouble()) - 1;
            }
        },
        /** About one value in ten is an outlier, like the result of a disturbed campaign. */
        OUTLIERS {
            @Override
            double next(Random random) {
                return random.nextGaussian() + (random.nextInt(10) == 0 ? 8 : 0);
            }
        },
        /** There are only two different values, as in a small count. */
        FEW_VALUES {
            @Override
            double next(Random random) {
                return random.nextInt(5) == 0 ? 1 : 0;
            }
        };

        abstract double next(Random random);
    }

    private static double[] series(int seed, int length, Noise noise, IntToDoubleFunction level) {
        Random random = new Random(seed);
        double[] series = new double[length];
        for (int i = 0; i < length; i++) {
            series[i] = level.applyAsDouble(i) + noise.next(random);
        }
        return series;
    }

    /**
     * One series in a hundred may raise a false alarm. In 250 series, 8 alarms are 3.5 standard deviations above the
     * mean.
     */
    @ParameterizedTest
    @EnumSource(Noise.class)
    void seriesWithoutAChange_areDividedNoMoreOftenThanStated(Noise noise) {
        assertThat(divided(noise, 250)).isLessThanOrEqualTo(8);
    }

    /** Checks more series: 20 alarms in 1,000 series are 3.2 standard deviations above the mean. */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(Noise.class)
    void furtherSeriesWithoutAChange_areDividedNoMoreOftenThanStated(Noise noise) {
        assertThat(divided(noise, 1_000)).isLessThanOrEqualTo(20);
    }

    private static int divided(Noise noise, int series) {
        int divided = 0;
        for (int seed = 0; seed < series; seed++) {
            if (ChangePoints.of(series(seed, 30, noise, i -> 0)).segments().size() > 1) {
                divided++;
            }
        }
        return divided;
    }

    /** The last {@code after} of 30 campaigns are worse by {@code deviations} standard deviations. */
    @ParameterizedTest
    @CsvSource({"3, 15, 0.98", "3, 6, 0.91", "5, 4, 0.95", "8, 3, 0.9"})
    void step_isFoundWhereItIs(double deviations, int after, double share) {
        assertFound(deviations, after, share, 50);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"3, 15, 0.98", "3, 6, 0.91", "5, 4, 0.95", "8, 3, 0.9"})
    void stepOfFurtherSeries_isFoundWhereItIs(double deviations, int after, double share) {
        assertFound(deviations, after, share, 200);
    }

    private static void assertFound(double deviations, int after, double share, int series) {
        int from = 30 - after;
        int found = 0;
        int exact = 0;
        int more = 0;
        for (int seed = 0; seed < series; seed++) {
            var finding = ChangePoints.of(series(seed, 30, Noise.NORMAL, i -> i < from ? 0 : deviations));
            boolean isThere = finding.segments().stream().anyMatch(segment -> Math.abs(segment.from() - from) <= 1);
            found += isThere ? 1 : 0;
            exact += finding.segments().stream().anyMatch(segment -> segment.from() == from) ? 1 : 0;
            more += finding.segments().size() > 2 ? 1 : 0;
        }
        assertThat(found).as("within one campaign").isGreaterThanOrEqualTo((int) (share * series));
        assertThat(exact).as("to the campaign").isGreaterThanOrEqualTo((int) (0.7 * series));
        assertThat(more).as("with further changes").isLessThanOrEqualTo((int) (0.05 * series));
    }

    /** Only the middle of the series is worse. Both ends of that part must be found. */
    @Test
    void faultThatWasMended_isTwoChanges() {
        int found = 0;
        for (int seed = 0; seed < 100; seed++) {
            var segments = ChangePoints.of(series(seed, 40, Noise.NORMAL, i -> i >= 15 && i < 25 ? 5 : 0))
                    .segments();
            if (segments.size() == 3
                    && Math.abs(segments.get(1).from() - 15) <= 1
                    && Math.abs(segments.get(2).from() - 25) <= 1) {
                found++;
            }
        }
        assertThat(found).isGreaterThanOrEqualTo(90);
    }

    @Test
    void twoOutliers_areNoChange() {
        double[] series = series(1, 20, Noise.NORMAL, i -> i >= 18 ? 20 : 0);
        assertThat(ChangePoints.of(series).segments()).hasSize(1);
    }

    @Test
    void levels_areMediansOfTheirFigures() {
        double[] series = series(1, 20, Noise.NORMAL, i -> i < 10 ? 100 : 50);
        assertThat(ChangePoints.of(series).segments())
                .extracting(Segment::from, Segment::to)
                .containsExactly(tuple(0, 10), tuple(10, 20));
        assertThat(ChangePoints.of(series).segments().get(1).level()).isCloseTo(50, within(1.0));
        assertThat(ChangePoints.of(series).p())
                .as("none of 4,999 random orders, and the order found")
                .isEqualTo(1.0 / 5_000);
    }

    @Test
    void shortAndConstantSeries_haveOneLevel() {
        assertThat(ChangePoints.of(1, 1, 1, 9, 9).segments()).hasSize(1);
        assertThat(ChangePoints.of(new double[40]).segments()).containsExactly(new Segment(0, 40, 0));
        assertThat(ChangePoints.of(new double[40]).p()).isEqualTo(1);
    }

    @Test
    void figureThatIsNone_isRefused() {
        assertThatThrownBy(() -> ChangePoints.of(1, Double.NaN)).hasMessageStartingWith("figures must be finite: [1.0");
    }
}
