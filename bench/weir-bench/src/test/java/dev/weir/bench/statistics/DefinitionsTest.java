package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the statistics of random figures with their definitions, computed slowly. Seeds are fixed. */
class DefinitionsTest {

    private final Random random = new Random(7);

    // ---- Student's t -----------------------------------------------------------------------------------------------

    /** With x = √degrees · tan(angle), the density of t is proportional to cos(angle)^(degrees - 1). */
    private static double slowTwoSidedP(double t, int degrees) {
        DoubleUnaryOperator density = angle -> Math.pow(Math.cos(angle), degrees - 1);
        double inside = integral(density, Math.atan(Math.abs(t) / Math.sqrt(degrees)));
        return 1 - inside / integral(density, Math.PI / 2);
    }

    /** Integrates from 0 with Simpson's rule. */
    private static double integral(DoubleUnaryOperator function, double to) {
        int steps = 200;
        double sum = function.applyAsDouble(0) + function.applyAsDouble(to);
        for (int i = 1; i < steps; i++) {
            sum += (i % 2 == 1 ? 4 : 2) * function.applyAsDouble(to * i / steps);
        }
        return sum * to / steps / 3;
    }

    @Test
    void studentT_probability_isTheIntegralOfTheDensity() {
        for (int degrees = 1; degrees <= 12; degrees++) {
            for (double t : new double[] {0, 0.3, -0.3, 1, 2.5, -7}) {
                assertThat(StudentT.twoSidedP(t, degrees))
                        .as("t=%s degrees=%s", t, degrees)
                        .isCloseTo(slowTwoSidedP(t, degrees), within(1e-8));
            }
        }
    }

    @Test
    void studentT_quantile_isExceededWithTheRest() {
        for (int degrees = 1; degrees <= 12; degrees++) {
            for (double confidence : new double[] {0.1, 0.5, 0.9, 0.999}) {
                double quantile = StudentT.twoSidedQuantile(confidence, degrees);
                assertThat(slowTwoSidedP(quantile, degrees)).isCloseTo(1 - confidence, within(1e-7));
            }
        }
    }

    // ---- Samples and intervals -------------------------------------------------------------------------------------

    private static double slowMedian(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.isEmpty()
                ? Double.NaN
                : (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    /** The variance is half of the mean squared difference of two different values. */
    private static double slowDeviation(double[] values) {
        double squares = 0;
        for (double one : values) {
            for (double other : values) {
                squares += (one - other) * (one - other);
            }
        }
        return Math.sqrt(squares / values.length / (values.length - 1) / 2);
    }

    @Test
    void deviationAndMedian_areByDefinition() {
        for (int length = 2; length <= 12; length++) {
            double[] values = gaussians(length, 3);
            assertThat(Samples.deviation(values)).isCloseTo(slowDeviation(values), within(1e-9));
            assertThat(Samples.median(values))
                    .isEqualTo(slowMedian(Arrays.stream(values).boxed().toList()));
        }
        assertThat(Samples.deviation(5)).isNaN();
        assertThat(Samples.deviation()).isNaN();
        assertThat(Samples.mean()).isNaN();
        assertThat(Samples.median(3, Double.NaN, 1, Double.POSITIVE_INFINITY, 2))
                .isEqualTo(2);
        assertThat(Samples.median(Double.NaN)).isNaN();
    }

    @Test
    void interval_isStudentsIntervalOfTheLogarithms() {
        for (int rounds = 2; rounds <= 12; rounds++) {
            double[] logs = gaussians(rounds, 0.3);
            double[] baseline = new double[rounds];
            Arrays.setAll(baseline, i -> 1 + random.nextDouble());
            double[] driver = new double[rounds];
            Arrays.setAll(driver, i -> baseline[i] * Math.exp(logs[i]));
            for (double least : new double[] {0, 0.01, 0.9}) {
                RatioInterval interval = RatioInterval.ofPairs(driver, baseline, 0.9, least);
                double mean = Arrays.stream(logs).sum() / rounds;
                double error = Math.max(slowDeviation(logs), least) / Math.sqrt(rounds);
                assertThat(interval.rounds()).isEqualTo(rounds);
                assertThat(interval.isBounded()).isTrue();
                assertThat(Math.log(interval.ratio())).isCloseTo(mean, within(1e-9));
                assertThat(Math.log(interval.medianRatio()))
                        .isCloseTo(slowMedian(Arrays.stream(logs).boxed().toList()), within(0.05));
                assertThat(interval.p()).isCloseTo(slowTwoSidedP(mean / error, rounds - 1), within(1e-7));
                double low = (mean - Math.log(interval.low())) / error;
                double high = (Math.log(interval.high()) - mean) / error;
                assertThat(slowTwoSidedP(low, rounds - 1)).isCloseTo(0.1, within(1e-6));
                assertThat(slowTwoSidedP(high, rounds - 1)).isCloseTo(0.1, within(1e-6));
                assertThat(interval.farthestFactor())
                        .isCloseTo(Math.exp(Math.abs(mean) + error * high), within(1e-6 * interval.high()));
            }
            assertThat(RatioInterval.deviation(driver, baseline)).isCloseTo(slowDeviation(logs), within(1e-9));
        }
    }

    // ---- False discoveries -----------------------------------------------------------------------------------------

    /** The adjusted p-value of a finding is the lowest level at which the procedure of the paper reports it. */
    @Test
    void adjustedP_isTheLowestLevelThatReportsTheFinding() {
        for (int count = 0; count <= 12; count++) {
            double[] p = new double[count];
            // Squares of few values: many small p-values, some equal.
            Arrays.setAll(p, i -> Math.pow((1 + random.nextInt(10)) / 10.0, 2));
            double[] adjusted = FalseDiscovery.adjust(p);
            assertThat(adjusted).hasSize(count);
            for (int i = 0; i < count; i++) {
                assertThat(reports(p, i, adjusted[i] + 1e-9)).isTrue();
                assertThat(reports(p, i, adjusted[i] - 1e-9)).isFalse();
            }
        }
    }

    /** Finds the largest k with p(k) <= k / m · level, and reports the k findings with the smallest p-values. */
    private static boolean reports(double[] p, int finding, double level) {
        double[] sorted = Arrays.stream(p).sorted().toArray();
        double limit = -1;
        for (int k = 1; k <= p.length; k++) {
            if (sorted[k - 1] <= (double) k / p.length * level) {
                limit = sorted[k - 1];
            }
        }
        return p[finding] <= limit;
    }

    // ---- Steady state ----------------------------------------------------------------------------------------------

    /** The squared standard error of the mean as MSER estimates it. */
    private static double slowError(double[] series, int from) {
        double[] rest = Arrays.copyOfRange(series, from, series.length);
        double mean = Arrays.stream(rest).sum() / rest.length;
        return Arrays.stream(rest).map(v -> (v - mean) * (v - mean)).sum() / rest.length / rest.length;
    }

    private static double slowDrift(double[] values) {
        List<Double> slopes = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                slopes.add((values[i] - values[j]) / (i - j));
            }
        }
        return slowMedian(slopes)
                * (values.length - 1)
                / slowMedian(Arrays.stream(values).boxed().toList());
    }

    /** Mann-Kendall with the correction for continuity. */
    private static double slowZ(double[] values) {
        int rising = 0;
        int falling = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                rising += values[j] > values[i] ? 1 : 0;
                falling += values[j] < values[i] ? 1 : 0;
            }
        }
        int n = values.length;
        double deviation = Math.sqrt(n / 18.0 * (n - 1.0) * (2.0 * n + 5));
        return rising == falling ? 0 : Math.signum(rising - falling) * (Math.abs(rising - falling) - 1) / deviation;
    }

    private static boolean slowDrifts(double[] values) {
        return values.length >= 8 && Math.abs(slowDrift(values)) > 0.05 && Math.abs(slowZ(values)) >= 2.576;
    }

    /** Returns a series that starts high or low, rises or falls, and varies, each to a random degree. */
    private double[] course(int length) {
        double start = random.nextInt(3) * 30 * random.nextGaussian();
        double slope = random.nextGaussian();
        double noise = Math.exp(2 * random.nextGaussian());
        return IntStream.range(0, length)
                .mapToDouble(i -> 100 + start * Math.exp(-i / 3.0) + slope * i + noise * random.nextGaussian())
                .toArray();
    }

    @Test
    void drifts_isDecidedBySlopeAndRanks() {
        int drifting = 0;
        for (int i = 0; i < 1_500; i++) {
            double[] series = course(i % 24);
            boolean drifts = SteadyState.drifts(series);
            assertThat(drifts).as(() -> Arrays.toString(series)).isEqualTo(slowDrifts(series));
            drifting += drifts ? 1 : 0;
        }
        assertThat(drifting).isBetween(200, 1_300);
    }

    @Test
    void steadyPart_startsAtTheLeastErrorInTheFirstHalf() {
        int steady = 0;
        int atTheMiddle = 0;
        for (int i = 0; i < 400; i++) {
            double[] series = course(1 + i % 40);
            SteadyState.Finding finding = SteadyState.of(series);
            int middle = series.length / 2;
            double least = IntStream.rangeClosed(0, middle)
                    .mapToDouble(from -> slowError(series, from))
                    .min()
                    .orElseThrow();
            assertThat(finding.from()).isBetween(0, middle);
            assertThat(slowError(series, finding.from())).isCloseTo(least, within(1e-9 * (1 + least)));
            double[] rest = Arrays.copyOfRange(series, finding.from(), series.length);
            if (rest.length < 8) {
                assertThat(finding.steady()).isFalse();
                assertThat(finding.drift()).isNaN();
                assertThat(finding.spread()).isNaN();
                continue;
            }
            double spread = slowDeviation(rest) / Math.abs(Arrays.stream(rest).sum() / rest.length);
            assertThat(finding.drift()).isCloseTo(slowDrift(rest), within(1e-9));
            assertThat(finding.spread()).isCloseTo(spread, within(1e-9));
            boolean isSteady = finding.from() < middle && spread <= 0.3 && !slowDrifts(rest);
            assertThat(finding.steady()).isEqualTo(isSteady);
            steady += isSteady ? 1 : 0;
            atTheMiddle += finding.from() == middle ? 1 : 0;
        }
        assertThat(steady).isBetween(80, 320);
        assertThat(atTheMiddle).isPositive();
    }

    /** Rates of a billion that vary by one. Sums of their squares would lose the variation. */
    @Test
    void steadyPart_ofLargeRates_isTheOneOfTheirVariation() {
        for (int i = 0; i < 30; i++) {
            double[] series = course(40);
            double[] higher = Arrays.stream(series).map(v -> v + (1L << 30)).toArray();
            assertThat(SteadyState.of(higher).from())
                    .isEqualTo(SteadyState.of(series).from());
        }
    }

    // ---- Change points ---------------------------------------------------------------------------------------------

    /**
     * Twice the mean distance between the sides minus the mean distances within each side, times left * right / (left +
     * right).
     */
    private static double slowDistance(double[] values, int at, int to) {
        double left = at;
        double right = to - at;
        double across = mean(values, 0, at, at, to);
        double within = mean(values, 0, at, 0, at) + mean(values, at, to, at, to);
        return left * right / (left + right) * (2 * across - within);
    }

    private static double mean(double[] values, int from, int to, int otherFrom, int otherTo) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            for (int j = otherFrom; j < otherTo; j++) {
                sum += Math.abs(values[i] - values[j]);
            }
        }
        return sum / (to - from) / (otherTo - otherFrom);
    }

    private static double slowBest(double[] values) {
        double best = 0;
        for (int at = 3; at <= values.length - 3; at++) {
            for (int to = at + 3; to <= values.length; to++) {
                best = Math.max(best, slowDistance(values, at, to));
            }
        }
        return best;
    }

    private static void orders(double[] values, int done, List<double[]> all) {
        if (done == values.length) {
            all.add(values.clone());
        }
        for (int i = done; i < values.length; i++) {
            swap(values, done, i);
            orders(values, done + 1, all);
            swap(values, done, i);
        }
    }

    private static void swap(double[] values, int one, int other) {
        double value = values[one];
        values[one] = values[other];
        values[other] = value;
    }

    /** The p-value is estimated from random orders. A short series has few enough orders to try them all. */
    @ParameterizedTest
    @ValueSource(ints = {6, 7})
    void changeP_isTheFractionOfAllOrdersWithThisDistance(int length) {
        for (int step = 0; step < 6; step++) {
            double[] series = gaussians(length, 1);
            for (int i = length / 2; i < length; i++) {
                series[i] += step;
            }
            double found = slowBest(series) * (1 - 1e-9);
            List<double[]> orders = new ArrayList<>();
            orders(series.clone(), 0, orders);
            double exact =
                    orders.stream().filter(order -> slowBest(order) >= found).count() / (double) orders.size();
            // The estimate ends after 50 orders with at least this distance, so its relative standard deviation is
            // about a seventh.
            assertThat(ChangePoints.of(series).p()).isCloseTo(exact, within(0.45 * exact));
        }
    }

    private double[] gaussians(int length, double deviation) {
        return random.doubles(length)
                .map(each -> deviation * random.nextGaussian())
                .toArray();
    }
}
