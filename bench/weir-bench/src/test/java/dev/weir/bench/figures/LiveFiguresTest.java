package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.live.Order;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Tests the figures of a plan of 1,000 records per second on a test clock. Processes report every half second. */
class LiveFiguresTest {
    private static final long START = 5_000_000_000L;
    private static final long HALF = TimeUnit.MILLISECONDS.toNanos(500);
    private static final LiveSettings SETTINGS = new LiveSettings(1000, 5, 3, Map.of());

    private static final LatencyTarget TARGET = LatencyTarget.of("p99<=100ms");

    private final LiveFigures figures = new LiveFigures(2, 500, 2);
    private long came = 2;

    private static Histogram of(long records, double millis) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount((long) (millis * 1e6), records);
        return histogram;
    }

    private void half(int number, long sent, long handled, double millis) {
        long from = START + number * HALF;
        figures.ofGenerator(from, from + HALF, 2 * sent, List.of(of(sent, 0.1), of(sent, 0.1), new Histogram(3)));
        figures.ofMember(
                0,
                from,
                from + HALF,
                new Report.Interval(
                        0,
                        2 * handled,
                        200 * handled,
                        new Usage(1_000, 1, 0, 0, -1, -1, 7, 8, 0),
                        new HandlerTime(2 * handled, 10 * handled),
                        List.of(),
                        false),
                List.of(of(handled, millis), of(handled, millis)));
        came += 2 * handled;
        figures.ofGroup(from, from + HALF, came, 0);
    }

    /** Simulates a run. A backlog grows while only half of the records are handled, and is gone half a second later. */
    private void played() {
        figures.begin(START, 1_000);
        for (int half = 0; half < 4; half++) {
            half(half, 250, 250, 4);
        }
        for (int half = 4; half < 8; half++) {
            half(half, 250, 125, 900);
        }
        half(8, 250, 250 + 500, 6);
        for (int half = 9; half < 12; half++) {
            half(half, 250, 250, 6);
        }
    }

    @Test
    void secondsAddUp_withTheirLag() {
        figures.ofMember(
                0,
                START - HALF,
                START,
                new Report.Interval(
                        0, 2, 200, new Usage(1, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false),
                List.of(of(1, 1), of(1, 1)));
        played();
        List<Interval> intervals = figures.intervals(figures.whole(6_000));
        assertThat(intervals).extracting(Interval::records).containsExactly(1000L, 1000L, 500L, 500L, 2000L, 1000L);
        assertThat(intervals).extracting(Interval::lagRecords).containsExactly(0L, 0L, 500L, 1000L, 0L, 0L);
        assertThat(intervals).extracting(Interval::startMillis).containsExactly(0L, 1000L, 2000L, 3000L, 4000L, 5000L);
        assertThat(figures.warmUp(6)).isOne();
    }

    @Test
    void phase_hasWhatCameBetweenTwoOrders() {
        played();
        Phase slow = figures.phase(2_040, 3_980, "set producerRate=1000", SETTINGS);
        assertThat(slow.sent()).isEqualTo(2000);
        assertThat(slow.records()).isEqualTo(1000);
        assertThat(slow.recordsPerSecond()).isEqualTo(500);
        assertThat(slow.p50Millis()).isCloseTo(900, within(2.0));
        assertThat(slow.consumers()).isEqualTo(3);
        assertThat(figures.phase(4_000, 6_000, "", SETTINGS).p99Millis()).isCloseTo(6, within(0.1));
        assertThat(figures.phase(2_000, 2_001, "", SETTINGS).records())
                .as("shorter than a second")
                .isZero();
    }

    @Test
    void whatWasDiscarded_isWarmUp_andInNoHistogramOfAPartition() {
        figures.begin(START, 0);
        half(0, 250, 250, 900);
        half(1, 250, 250, 900);
        figures.discard(1_100);
        half(2, 250, 250, 4);
        half(3, 250, 250, 4);
        assertThat(figures.warmUp(2)).isOne();
        List<Histogram> latencies = figures.latencies(2);
        assertThat(latencies)
                .filteredOn(histogram -> LatencyTags.isOfPartition(histogram.getTag()))
                .hasSize(2)
                .allSatisfy(
                        histogram -> assertThat(histogram.getMaxValue() / 1e6).isCloseTo(4, within(0.1)));
        assertThat(LatencyTags.merge(latencies).get(LatencyTags.RESPONSE))
                .isNotNull()
                .satisfies(histogram -> assertThat(histogram.getTotalCount()).isEqualTo(1000));
    }

    @Test
    void discardDuringWarmUp_doesNotShortenIt() {
        figures.begin(START, 2_000);
        half(0, 250, 250, 4);
        figures.discard(500);
        assertThat(figures.warmUp(9)).isEqualTo(2);
    }

    /** A generator behind its plan, or waiting for brokers, has not finished. */
    @Test
    void generator_sendsUntilItIsQuiet_andAllIsAcknowledged() {
        assertThat(figures.isSending()).as("never begun").isFalse();
        figures.begin(START, 0);
        half(0, 0, 0, 1);
        half(1, 0, 0, 1);
        figures.sendsNoMore();
        half(2, 0, 0, 1);
        assertThat(figures.isSending()).as("that report may be of before").isTrue();
        reported(3, 50, 0);
        reported(4, 0, 60);
        reported(5, 0, 20);
        assertThat(figures.isSending()).as("20 are under way").isTrue();
        reported(6, 0, 20);
        assertThat(figures.isSending()).isFalse();
        reported(7, 10, 20);
        assertThat(figures.isSending()).as("debt").isTrue();
    }

    private void reported(int number, long sent, long acknowledged) {
        long from = START + number * HALF;
        figures.ofGenerator(from, from + HALF, acknowledged, List.of(of(sent, 1), of(sent, 1), new Histogram(3)));
    }

    @Test
    void recordThatCameAgain_countsInItsSecond_andIsNoLessOfTheLag() {
        figures.begin(START, 0);
        half(0, 250, 250, 4);
        half(1, 250, 200, 4);
        figures.ofGroup(START + HALF, START + 2 * HALF, came, 40);
        half(2, 250, 250, 4);
        figures.ofGroup(START + 2 * HALF, START + 3 * HALF, came, 45);
        assertThat(figures.lag()).isEqualTo(100);
        assertThat(figures.again(0, 1)).isEqualTo(40);
        assertThat(figures.again(1, 2)).isEqualTo(5);
    }

    @Test
    void partitionThatIsSentTo_andHasNothing_isSilent() {
        figures.begin(START, 0);
        figures.ofGenerator(START, START + HALF, 10, List.of(of(5, 1), of(5, 1), new Histogram(3)));
        figures.ofMember(
                0,
                START,
                START + HALF,
                new Report.Interval(
                        0, 5, 200, new Usage(1, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false),
                List.of(new Histogram(3), of(5, 7)));
        figures.ofGroup(START, START + HALF, 7, 0);
        Recovery.Second second = figures.seconds(1, TARGET).getFirst();
        assertThat(second.silent()).isOne();
        assertThat(second.sent()).isEqualTo(10);
        assertThat(second.lag()).isEqualTo(5);
        assertThat(second.percentileMillis()).isCloseTo(7, within(0.1));
        BitSet numbers = new BitSet();
        numbers.set(5, 7);
        assertThat(figures.sentBySecond(List.of(numbers, new BitSet())))
                .as("6 was not")
                .containsExactly(1, 1);
    }

    /** A record counts as delivered when a reader receives its copy. The copiers' processor time still counts. */
    @Test
    void whatIsCopied_comesToItsReader_andCostsItsCopiers() {
        figures.begin(START, 1_000);
        for (int half = 0; half < 4; half++) {
            long from = START + half * HALF;
            figures.ofCopier(0, from, from + HALF, interval(90, 700));
            figures.ofCopier(1, from, from + HALF, interval(10, 300));
            figures.ofReader(from, from + HALF, interval(40, 50_000), List.of(of(15, 7), of(25, 7)));
        }
        List<Interval> intervals = figures.intervals(2);
        assertThat(intervals).extracting(Interval::records).containsExactly(80L, 80L);
        assertThat(intervals).extracting(Interval::cpuNanos).containsExactly(2_000L, 2_000L);
        assertThat(figures.cameTo(1, 2)).as("while it was measured").containsExactly(180, 20);
        assertThat(figures.timings(1, 2).getTotalCount()).isEqualTo(80);
        assertThat(figures.readerNanos(1, 2)).isEqualTo(100_000);
        figures.discard(2_000);
        assertThat(figures.readerNanos(2, 3)).isZero();
    }

    /** Two seconds have no reading of the brokers. The next reading is divided among three seconds. */
    @Test
    void secondWithoutALookAtTheBrokers_hasItsPartOfTheNextLook() {
        figures.begin(START, 0);
        figures.ofBrokers(START + HALF, 10);
        figures.ofBrokers(START + 7 * HALF, 90);

        assertThat(figures.intervals(4)).extracting(Interval::brokerCpuNanos).containsExactly(10L, 30L, 30L, 30L);
    }

    /** A late report counts for the second in which the records were delivered. */
    @Test
    void latenciesOfPhase_areThoseOfItsSecondsAlone() {
        figures.begin(START, 0);
        figures.ofMember(0, START, START + HALF, interval(40, 1), List.of(of(15, 7), of(25, 7)));
        figures.beginPart(1_100);
        figures.ofMember(1, START + 2 * HALF, START + 3 * HALF, interval(30, 1), List.of(of(10, 9), of(20, 9)));
        figures.ofMember(0, START + HALF, START + 2 * HALF, interval(3, 1), List.of(of(1, 7), of(2, 7)));

        assertThat(counts(figures.latenciesOfPhase(1, 0, 1)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "phase/1/response", 43L,
                        "phase/1/response/0", 16L,
                        "phase/1/response/1", 27L,
                        "phase/1/consumer/0", 43L));
        assertThat(counts(figures.latenciesOfPhase(2, 1, 2)))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "phase/2/response", 30L,
                        "phase/2/response/0", 10L,
                        "phase/2/response/1", 20L,
                        "phase/2/consumer/1", 30L));
        assertThat(figures.cameTo(1, 2)).containsExactly(30);
        assertThat(counts(figures.latencies(2))).as("the run has both").containsEntry("response/0", 26L);
    }

    private static Map<String, Long> counts(List<Histogram> latencies) {
        return LatencyTags.merge(latencies).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().getTotalCount()));
    }

    private static Report.Interval interval(long records, long cpuNanos) {
        return new Report.Interval(
                0, records, 0, new Usage(cpuNanos, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false);
    }

    private void second(int number, long sent, long cameOfOne) {
        long from = START + 2 * HALF * number;
        figures.ofGenerator(from, from + 2 * HALF, 2 * sent, List.of(of(sent, 1), of(sent, 1), new Histogram(3)));
        figures.ofMember(
                0,
                from,
                from + 2 * HALF,
                new Report.Interval(
                        0, 2, 200, new Usage(1, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false),
                List.of(of(cameOfOne, 7), of(sent, 7)));
    }

    /**
     * Each of 60 partitions gets about three records per second. One second without records does not make a partition
     * silent.
     */
    @Test
    void partitionOfFewRecordsASecond_isSilentFromWhereItWasDead() {
        figures.begin(START, 0);
        long[] came = {3, 0, 3, 0, 0, 0, 9};
        for (int second = 0; second < came.length; second++) {
            second(second, 3, came[second]);
        }
        assertThat(figures.seconds(came.length, TARGET))
                .extracting(Recovery.Second::silent)
                .containsExactly(0, 0, 0, 1, 1, 1, 0);
        assertThat(figures.seconds(5, TARGET))
                .extracting(Recovery.Second::silent)
                .containsExactly(0, 0, 0, 1, 1);
        assertThat(figures.seconds(came.length, LatencyTarget.of("p99<=2s")))
                .extracting(Recovery.Second::silent)
                .as("only three had to come by then")
                .containsOnly(0);
    }

    @Test
    void settings_takeWhatAnOrderSets_andKeepTheRest() {
        LiveSettings set = SETTINGS.with(
                new Order.Set(Map.of("work", "1.5ms", "consumers", "9", "client.max.poll.records", "40")));
        assertThat(set).isEqualTo(new LiveSettings(1000, 1.5, 9, Map.of("max.poll.records", "40")));
        assertThat(set.with(new Order.Set(Map.of("producerRate", "0"))).client())
                .hasSize(1);
        assertThat(set.drained().producerRate()).isZero();
        assertThat(set.drained().workMillis()).isZero();
    }
}
