package dev.weir.bench.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Pass;
import dev.weir.metrics.Limiter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which limiter is derived from given figures. */
class ExplanationsTest {

    private static final String STREAMING = "scenario: consume\n";

    /** The figures of one second on four cores of a quiet machine. The driver computes all the time. */
    private final Map<String, Double> metrics = new LinkedHashMap<>(Map.of(
            "host: busy %",
            40.0,
            "client: fetch ms",
            0.4,
            "client: kB per fetch",
            800.0,
            "client: records per fetch",
            8000.0,
            "broker: fetch total ms",
            0.3,
            "broker: fetch queued ms",
            0.05,
            "broker: fetch local ms",
            0.2,
            "broker: fetch remote ms",
            0.0,
            "broker: fetch answer queued ms",
            0.05,
            Pass.WAITED_FOR_CORES,
            2.0));

    private double driverCores = 0.95;
    private double brokerCores = 0.3;
    private long gcMillis = 20;
    private long records = 1_000_000;
    private Set<Flag> flags = Set.of();

    private Explanation explained(String workload) {
        String yaml = "name: test\ndrivers: [plain]\nmethod: {rounds: 1, control: false}\n" + workload;
        WorkloadPoint asked = Workload.parse("test", yaml, false).points().getFirst();
        return explained(yaml, new Point(asked.id(), asked.scenario().label(), asked.dimensions()));
    }

    private Explanation explained(String yaml, Point point) {
        Campaign campaign = new Campaign(
                "test-1",
                "test",
                yaml,
                "plain",
                null,
                1,
                1,
                List.of(new Driver("plain", "1", Map.of())),
                List.of(point),
                new Environment("", "", "", 4, 1, Map.of(), Map.of(), "", 1));
        Totals totals = new Totals(
                records,
                records * 100,
                1_000_000_000,
                (long) (driverCores * 1e9),
                1,
                gcMillis,
                1,
                (long) (brokerCores * 1e9),
                metrics);
        Run run = new Run(
                point.id(), "plain", 0, 0, 1, 1, 2, 0, List.of(), totals, new Ledger(1, 1, 0, 0, 0), flags, null);
        return Explanations.of(Analysis.of(campaign, List.of(run), each -> Map.of()))
                .getFirst();
    }

    private Limiter limiter(String workload) {
        return Objects.requireNonNull(explained(workload).limiter());
    }

    @Test
    void driverThatComputesAllTheTime_isItsOwnLimit() {
        assertThat(limiter(STREAMING))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.STAGE_CPU, "driver");
        assertThat(explained(STREAMING).evidence())
                .contains("the driver kept 0.95 cores busy", "a fetch took 0.40 ms for the client");
    }

    /**
     * The driver waits for each response before it sends the next request. Idle brokers must not be named as the
     * limiter.
     */
    @Test
    void driverThatWaits_whileNobodyWorks_isNotExcused() {
        driverCores = 0.4;
        brokerCores = 0.2;
        assertThat(explained(STREAMING).limiter()).isNull();
        metrics.put("client: fetch ms", 5.0);
        records = 200_000; // 25 fetches of 5 ms take an eighth of the second.
        assertThat(explained(STREAMING).limiter()).isNull();
        assertThat(explained(STREAMING).sentence()).contains("the library itself");
    }

    @Test
    void longWay_isTold_fromBrokersThatAreSlow() {
        driverCores = 0.2;
        metrics.put("client: fetch ms", 12.0);
        assertThat(limiter(STREAMING))
                .extracting(Limiter::kind, Limiter::name, Limiter::sentence)
                .containsExactly(
                        Limiter.Kind.SOURCE_BROKER,
                        "way to the brokers",
                        "a fetch took 12.0 ms, and only 0.3 of them in the brokers");
        metrics.put("broker: fetch total ms", 11.0);
        metrics.put("broker: fetch queued ms", 9.0);
        assertThat(limiter(STREAMING))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.SOURCE_BROKER, "brokers");
        metrics.keySet().removeIf(name -> name.startsWith("broker:"));
        assertThat(limiter(STREAMING).name()).isEqualTo("brokers, or the way to them");
    }

    @Test
    void brokersThatWaitForData_areNotSlow() {
        driverCores = 0.2;
        metrics.put("client: fetch ms", 12.0);
        metrics.put("broker: fetch total ms", 11.8);
        metrics.put("broker: fetch remote ms", 11.5);
        assertThat(limiter(STREAMING))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.SOURCE_FETCH, "wait for data");
    }

    /** Many small requests also keep the whole machine busy. */
    @Test
    void smallFetches_areNamed_beforeTheMachine() {
        metrics.put("client: kB per fetch", 2.0);
        metrics.put("client: records per fetch", 20.0);
        metrics.put("host: busy %", 99.0);
        metrics.put(Pass.WAITED_FOR_CORES, 60.0);
        assertThat(limiter(STREAMING))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.SOURCE_FETCH, "fetch size");
    }

    /** A producer with a reduced window sends small batches, whose requests keep the brokers busy. */
    @Test
    void smallBatches_areNamed_beforeBrokers() {
        driverCores = 0.4;
        brokerCores = 0.9;
        metrics.keySet().removeIf(name -> name.startsWith("client: "));
        metrics.put("client: kB per batch", 0.4);
        assertThat(limiter("scenario: produce\n"))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.PRODUCER, "batch size");
    }

    @Test
    void fullMachine_isNamed_whereTheDriverWaitedForIt() {
        driverCores = 0.4;
        metrics.put("host: busy %", 99.0);
        metrics.put(Pass.WAITED_FOR_CORES, 70.0);
        assertThat(limiter(STREAMING)).satisfies(limiter -> {
            assertThat(limiter.kind()).isEqualTo(Limiter.Kind.MACHINE_CPU);
            assertThat(limiter.name()).isEqualTo("other processes");
            assertThat(limiter.sentence()).contains("others 3.26", "waited for 0.70 more");
        });
        metrics.put(Pass.WAITED_FOR_CORES, 3.0);
        assertThat(explained(STREAMING).limiter()).as("it has what it wants").isNull();
    }

    @Test
    void handlers_andTheirOrder() {
        String work =
                "scenario: work\ntopic: {partitions: 4}\noptions: {work.millis: 2, concurrency: 16, ordering: none}\n";
        driverCores = 0.1;
        records = 7_800;
        metrics.put(Totals.HANDLER_MILLIS, 2.0);
        metrics.put(Totals.CEILING, 8_000.0);
        assertThat(limiter(work))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.STAGE_WAIT, "handlers");
        records = 4_000;
        assertThat(explained(work).limiter()).isNull();
        assertThat(explained(work).evidence()).contains("8.0 handlers blocked at a time");
    }

    @Test
    void handlersThatFail_blockForEachCall() {
        driverCores = 0.1;
        records = 3_900;
        metrics.put(Totals.HANDLER_MILLIS, 2.0);
        metrics.put(Totals.CEILING, 4_002.0);
        assertThat(limiter(
                                "scenario: work\noptions: {work.millis: 2, concurrency: 16, ordering: none, work.failures: 0.5}\n")
                        .sentence())
                .contains("15.6 handlers blocked at a time", "of 16 that may");
    }

    /** Four partitions have ten keys each. A third of a partition's records have the same key (Zipf's law). */
    @Test
    void hottestKey_isNamed_whereItsHandlerIsBusyAllTheTime() {
        String work = """
                scenario: work
                topic: {partitions: 4, keys: 40, keySkew: 1}
                options: {work.millis: 2, concurrency: 16, ordering: key}
                """;
        driverCores = 0.1;
        records = 5_500;
        metrics.put(Totals.HANDLER_MILLIS, 2.0);
        metrics.put(Totals.CEILING, 8_000.0);
        assertThat(limiter(work)).satisfies(limiter -> {
            assertThat(limiter.kind()).isEqualTo(Limiter.Kind.KEY_SKEW);
            assertThat(limiter.sentence()).startsWith("34 % of a partition's records have one key");
        });
    }

    /** Sixty consumers acquire batches of 500 records until all 2,000 locks are taken. Most consumers are then idle. */
    @Test
    void fullLockWindow_isNamed_whereHandlersAreIdle() {
        String work =
                "scenario: work\ntopic: {partitions: 6}\noptions: {work.millis: 5, concurrency: 60, ordering: none}\n";
        driverCores = 0.2;
        records = 4_000;
        metrics.put(Totals.HANDLER_MILLIS, 5.0);
        metrics.put(Totals.CEILING, 12_000.0);
        metrics.put(LockWindow.HELD_PERCENT, 60.0);
        assertThat(explained(work).limiter()).isNull();
        metrics.put(LockWindow.HELD_PERCENT, 98.0);
        assertThat(limiter(work)).satisfies(limiter -> {
            assertThat(limiter.kind()).isEqualTo(Limiter.Kind.SHARE_WINDOW);
            assertThat(limiter.sentence()).contains("98 % of the locks", "while 20.0 handlers blocked");
        });
        assertThat(explained(work).evidence()).contains("98 % of the locks of the fullest partition were held");
        records = 11_500;
        assertThat(limiter(work).name()).as("all of them work").isEqualTo("handlers");
        metrics.keySet().removeAll(List.of(Totals.HANDLER_MILLIS, Totals.CEILING));
        assertThat(limiter(work).sentence())
                .as("handlers that do not block")
                .isEqualTo(
                        "the group held 98 % of the locks that it may of the fullest partition, while records waited");
    }

    /** The first of four partitions gets half of the records (Zipf's law), and has one handler. */
    @Test
    void hottestPartition_isNamed_whereItsHandlerIsBusyAllTheTime() {
        String work = """
                scenario: work
                topic: {partitions: 4, partitionSkew: 1, recordsPerSecond: 2000}
                options: {work.millis: 2, concurrency: 16, ordering: partition}
                """;
        driverCores = 0.1;
        records = 950;
        metrics.put(Totals.HANDLER_MILLIS, 2.0);
        metrics.put(Totals.CEILING, 2_000.0);
        assertThat(limiter(work)).satisfies(limiter -> {
            assertThat(limiter.kind()).isEqualTo(Limiter.Kind.ONE_PARTITION);
            assertThat(limiter.sentence()).startsWith("48 % of the records are in one partition");
        });
    }

    @Test
    void plan_generator_collector_andCommits() {
        String steady = "scenario: steady\ntopic: {recordsPerSecond: 5000}\n";
        records = 5_000;
        driverCores = 0.02;
        assertThat(limiter(steady))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.ARRIVAL, "plan");
        flags = Set.of(Flag.GENERATOR_BOUND);
        assertThat(limiter(steady))
                .extracting(Limiter::kind, Limiter::name)
                .containsExactly(Limiter.Kind.ARRIVAL, "generator");
        flags = Set.of();
        gcMillis = 400;
        assertThat(limiter(STREAMING).kind()).isEqualTo(Limiter.Kind.GC);
        gcMillis = 10;
        metrics.put("client: commits/s", 900.0);
        metrics.put("client: commit ms", 0.9);
        assertThat(limiter("scenario: at-most-once\n").kind()).isEqualTo(Limiter.Kind.COMMIT);
    }

    /** Without request times, the processor time alone must identify the brokers. */
    @Test
    void brokersThatWork_whileTheDriverWaits_areNamed() {
        driverCores = 0.4;
        brokerCores = 0.9;
        metrics.keySet().removeIf(name -> name.startsWith("client:"));
        flags = Set.of(Flag.BASELINE_BROKER_BOUND);
        assertThat(limiter(STREAMING).sentence()).isEqualTo("they kept 0.90 cores busy while the driver ran only 0.40");
    }

    @Test
    void workloadThatCannotBeReadAnyMore_stillHasWhatNeedsNone() {
        Explanation explanation = explained("nonsense: true", new Point("p", "consume", Map.of()));
        assertThat(Objects.requireNonNull(explanation.limiter()).kind()).isEqualTo(Limiter.Kind.STAGE_CPU);
    }
}
