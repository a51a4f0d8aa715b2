package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the output topic of every driver with the copy feature. Faulty drivers must be detected. */
@Timeout(300)
class BenchCopyTest extends BenchTestBase {
    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final long PER_PARTITION = 2_000;

    private static final String WORKLOAD = """
            name: NAME
            scenario: copy
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 2, records: 200000, valueBytes: 50}
            client: {linger.ms: 5}
            options: {guarantee: GUARANTEE, commit.interval.millis: 100, in.flight.records: 1000}
            method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.1,
              intervalMillis: 20, heapMegabytes: 256}
            """;

    /** {@link BenchPlannedLoadTest} covers exactly-once copies. */
    @Test
    @Tag("long")
    void driver_copiesEachRecord_byWhatStandsInTheOutput() throws Exception {
        requireCopied("weir-lean-copy", "at-least-once");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "kafka-streams, exactly-once",
        "weir-views-copy-parallel, at-least-once",
        "weir-lean, exactly-once",
        "plain, at-least-once",
        "plain-kip848, at-least-once",
        "weir, at-least-once",
        "weir-defaults, at-least-once",
        "weir-lean, at-least-once",
        "kafka-streams, at-least-once",
        "pekko, at-least-once",
        "plain-two-workers, exactly-once",
        "weir, exactly-once",
        "weir-parallel, exactly-once",
        "kafka-streams-two-threads, exactly-once",
        "plain-two-workers, at-least-once",
        "weir-parallel, at-least-once",
        "kafka-streams-two-threads, at-least-once",
        "lean-copy, at-least-once",
        "reactor, at-least-once",
        "plain, exactly-once",
        "pekko, exactly-once"
    })
    void furtherDriver_copiesEachRecord_byWhatStandsInTheOutput(String driver, String guarantee) throws Exception {
        requireCopied(driver, guarantee);
    }

    /** In partition order, Parallel Consumer would take too long: it waits for the acknowledgement of each record. */
    @Test
    @Tag("long")
    void parallelConsumer_copiesEachRecord_inNoOrder() throws Exception {
        requireCopied(copied(
                ROOT,
                "parallel-consumer",
                workload("copies", "parallel-consumer", "at-least-once")
                        .replace("guarantee:", "ordering: none, guarantee:")));
    }

    private static void requireCopied(String driver, String guarantee) throws Exception {
        requireCopied(copied(ROOT, driver, workload("copies", driver, guarantee)));
    }

    private static void requireCopied(Report.Passed passed) {
        assertThat(passed.complete()).isTrue();
        assertThat(passed.ledger().isBroken()).as("%s", passed.ledger()).isFalse();
        assertThat(passed.records()).isEqualTo(2 * PER_PARTITION);
        assertThat(passed.bytes()).isGreaterThanOrEqualTo(2 * PER_PARTITION * 50);
        assertThat(passed.nanos()).isPositive();
        assertThat(passed.usage().cpuNanos()).isPositive();
    }

    private static Report.Passed copied(Path root, String driver, String yaml) throws Exception {
        WorkloadPoint point = Workload.parse("copy", yaml, false).points().get(0);
        DriverLauncher launcher = new DriverLauncher(DriverCatalog.below(root));
        Path log = folder.resolve(driver + ".log");
        try (BenchCluster cluster = BenchCluster.existing(bench.existing(), note -> {}, () -> false);
                DriverProcess process = launcher.start(driver, point.heapMegabytes(), log)) {
            String topic = cluster.topics().filled(point, PER_PARTITION);
            DriverSession session = new DriverSession(process, cluster, point);
            session.hello();
            session.configure(topic, PER_PARTITION);
            String group = session.start(0, 60);
            return cluster.written().copied(point, topic, PER_PARTITION, group, session.passed());
        }
    }

    @Test
    @Tag("long")
    void driverThatLosesARecord_isRefused() {
        assertThatThrownBy(() -> bench.run(planted(), workload("losing", "losing-copy", "at-least-once")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver losing-copy does not pass the dry run of copy")
                .hasMessageContaining("missing=2");
    }

    @Test
    @Tag("long")
    void driverThatWritesARecordTwice_isBrokenWhereOnceIsAskedFor() throws Exception {
        LedgerFigures ledger = copied(planted(), "doubling-copy", workload("doubling", "doubling-copy", "exactly-once"))
                .ledger();
        assertThat(ledger.duplicates()).isEqualTo(2);
        assertThat(ledger.isBroken()).isTrue();
    }

    @Test
    @Tag("long")
    void driverThatWritesARecordTwice_isCountedWhereThatIsAllowed() throws Exception {
        ResultsFolder results = bench.run(planted(), workload("counted", "doubling-copy", "at-least-once"));
        assertThat(results.runs()).hasSize(1).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.isValid()).as("%s", run.flags()).isTrue();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.ledger().redelivered()).isPositive();
            assertThat(run.totals().records())
                    .as("what is written twice is copied once")
                    .isLessThanOrEqualTo(run.ledger().expected());
        });
        assertThat(Reports.text(results)).contains("redeliveries, which are allowed, for ");
    }

    @Test
    @Tag("long")
    void driverWhoseTransactionHasNoOffsets_isRefused() {
        assertThatThrownBy(() -> copied(planted(), "halving-copy", workload("halving", "halving-copy", "exactly-once")))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("output and offsets were not committed together: partition 0");
    }

    @Test
    @Tag("long")
    void driverThatWritesWithoutATransaction_isRefused() {
        assertThatThrownBy(() -> copied(
                        planted(), "plain-writing-copy", workload("plain", "plain-writing-copy", "exactly-once")))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("of its output was written without transactions");
    }

    @Test
    @Tag("long")
    void whatWasAborted_isNotInTheOutput() throws Exception {
        Report.Passed passed =
                copied(planted(), "aborting-copy", workload("aborting", "aborting-copy", "exactly-once"));
        requireCopied(passed);
        assertThat(passed.client().get("output: transaction markers of a partition"))
                .as("a record that was aborted, and two markers")
                .isGreaterThanOrEqualTo(3);
    }

    @Test
    void driverWithoutTransactions_isRefusedWhereOnceIsAskedFor() {
        assertThatThrownBy(() -> bench.run(workload("without", "reactor", "exactly-once")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("it does not offer exactly once (options.guarantee)");
    }

    private static Path planted() throws Exception {
        return BenchAtCluster.checkoutWith(
                folder.resolve("planted"),
                FaultyCopyDriver.class,
                "losing-copy, doubling-copy, halving-copy, plain-writing-copy, aborting-copy");
    }

    private static String workload(String name, String driver, String guarantee) {
        return WORKLOAD.replace("NAME", name).replace("DRIVER", driver).replace("GUARANTEE", guarantee);
    }
}
