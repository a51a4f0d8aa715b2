package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.live.Fault;
import dev.weir.bench.live.Order;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/**
 * Tests the cost of disturbances. A test clock advances second by second, and each of two partitions gets ten records
 * per second.
 */
class DisturbancesTest {
    private static final long START = 7_000_000_000L;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Fault KILL = new Fault(Fault.Kind.KILL, 1, 0, 0);
    private static final Fault FREEZE = new Fault(Fault.Kind.FREEZE, 1, 0, 2_000);

    private final LiveFigures figures = new LiveFigures(2, 1000, 2);
    private final Disturbances disturbances = new Disturbances(LatencyTarget.of("p90<=500ms"));
    private int second;
    private long came = 2;
    private long again;

    private static Histogram of(long records, double millis) {
        Histogram histogram = new Histogram(3);
        if (records > 0) {
            histogram.recordValueWithCount((long) (millis * 1e6), records);
        }
        return histogram;
    }

    /**
     * Reports the next second: the deliveries of each partition, their latency, and the number of repeated deliveries.
     */
    private void second(long first, long other, double millis, long repeated) {
        long from = START + second++ * SECOND;
        long to = from + SECOND;
        figures.ofMember(
                0,
                from,
                to,
                new Report.Interval(0, 0, 0, new Usage(1, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false),
                List.of(of(first, millis), of(other, millis)));
        figures.ofGenerator(from, to, 20, List.of(of(10, 1), of(10, 1), new Histogram(3)));
        came += first + other - repeated;
        again += repeated;
        figures.ofGroup(from, to, came, again);
    }

    private void good(int seconds) {
        for (int i = 0; i < seconds; i++) {
            second(10, 10, 5, 0);
        }
    }

    private static BitSet bits(int... numbers) {
        BitSet bits = new BitSet();
        for (int number : numbers) {
            bits.set(number);
        }
        return bits;
    }

    @Test
    void kill_costsWhatCameLateAndAgain_untilTheGroupIsAsBefore() {
        figures.begin(START, 0);
        good(2);
        disturbances.add(KILL, 2_300, 2_310);
        second(10, 3, 5, 0);
        second(10, 0, 5, 0);
        second(10, 30, 2_000, 6);
        good(5);
        List<Disturbance> costs = disturbances.costs(figures, 10_000, List.of(bits(), bits(23)));
        assertThat(costs).hasSize(1);
        Disturbance cost = costs.getFirst();
        assertThat(cost.order()).isEqualTo("kill 1");
        assertThat(cost.recoveryMillis()).isEqualTo(5_000 - 2_310);
        assertThat(cost.late()).isEqualTo(40);
        assertThat(cost.longestMillis()).isCloseTo(2_000, within(5.0));
        assertThat(cost.again()).isEqualTo(6);
        assertThat(cost.lost()).isOne();
    }

    /** Members on other machines share no file with the harness, so the number of lost records is unknown. */
    @Test
    void whatNobodyCounts_isNotSaidToBeNone() {
        figures.begin(START, 0);
        good(2);
        disturbances.add(KILL, 2_300, 2_310);
        second(10, 0, 5, 0);
        figures.ofGroup(START + 2 * SECOND, START + 3 * SECOND, came, Interval.UNKNOWN);
        second(10, 20, 900, 0);
        good(4);
        Disturbance cost =
                disturbances.costs(figures, 8_000, List.of(bits(), bits())).getFirst();
        assertThat(cost.again()).isEqualTo(Interval.UNKNOWN);
    }

    @Test
    void eachHasItsOwn_andALossBelongsToTheOneThatWasNotOverWhenItWasSent() {
        figures.begin(START, 0);
        good(1);
        disturbances.add(FREEZE, 1_000, 3_000);
        second(0, 10, 5, 0);
        second(0, 10, 5, 0);
        second(30, 10, 1_500, 2);
        good(4);
        disturbances.add(KILL, 8_000, 8_000);
        second(10, 0, 5, 0);
        second(10, 0, 5, 0);
        good(1);
        // These records were sent in seconds 2, 4, 6 and 9.
        List<Disturbance> costs = disturbances.costs(figures, 11_000, List.of(bits(25, 45), bits(65, 95)));
        assertThat(costs).extracting(Disturbance::order).containsExactly("freeze 1 for 2.000s", "kill 1");
        assertThat(costs).extracting(Disturbance::recoveryMillis).containsExactly(1_000.0, Double.NaN);
        assertThat(costs).extracting(Disturbance::lost).containsExactly(1L, 3L);
        assertThat(costs).extracting(Disturbance::again).containsExactly(2L, 0L);
    }

    @Test
    void faultThatIsNotFelt_costsNothing() {
        figures.begin(START, 0);
        good(2);
        disturbances.add(new Fault(Fault.Kind.JOIN, 1, 0, 0), 2_000, 4_500);
        good(6);
        Disturbance cost =
                disturbances.costs(figures, 8_000, List.of(bits(), bits())).getFirst();
        assertThat(cost.recoveryMillis()).isZero();
        assertThat(cost.late()).isZero();
    }

    @Test
    void orderThatDisturbsNobody_endsTheTimeToRecoverIn_butTheBooksDoNot() {
        figures.begin(START, 0);
        good(2);
        disturbances.add(KILL, 2_000, 2_000);
        second(10, 0, 5, 0);
        disturbances.add(new Order.DiscardStats(), 2_500, 2_500);
        second(10, 20, 900, 0);
        disturbances.add(new Order.Set(Map.of("producerRate", "1")), 4_000, 4_000);
        good(4);
        List<Disturbance> costs = disturbances.costs(figures, 8_000, List.of(bits(), bits()));
        assertThat(costs).hasSize(1);
        assertThat(costs.getFirst().recoveryMillis()).isNaN();
        assertThat(costs.getFirst().late()).isEqualTo(30);
    }
}
