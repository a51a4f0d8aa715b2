package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.driver.PartitionTurns;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests drivers with failing handlers, mixed record lengths, unordered handling, and a missing feature. */
@Timeout(180)
class BenchDriversTest extends BenchTestBase {

    /** In partition order, a failed call blocks its partition for a second, which is too long for a dry run. */
    @Test
    @Tag("long")
    void failedCalls_areRepeated_andEachRecordIsDeliveredOnce() throws Exception {
        repeatFailedCalls("weir");
    }

    @Test
    @Tag("long")
    void failedCalls_ofEachLibrary_areRepeated_andEachRecordIsDeliveredOnce() throws Exception {
        repeatFailedCalls("plain", "weir", "parallel-consumer");
    }

    private static void repeatFailedCalls(String... drivers) throws Exception {
        ResultsFolder results = bench.run(
                """
                name: failing-COUNT
                scenario: work
                drivers: [DRIVERS]
                baseline: weir
                topic: {partitions: 2, records: 20000, valueBytes: 50}
                options: {work.failures: 0.75, work.retryMillis: 1, work.millis: 0.1}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 0.2, intervalMillis: 20}
                """.replace("COUNT", Integer.toString(drivers.length)).replace("DRIVERS", String.join(", ", drivers)));
        assertThat(results.runs()).hasSize(drivers.length).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.ledger().retried()).isPositive();
        });
        assertThat(Reports.text(results)).contains("calls of handlers failed and were repeated, for ");
        assertThat(Reports.json(results)).contains("\"retried\":");
    }

    /** None of the 300 records of a dry run fails, but a later one does. */
    @Test
    @Tag("long")
    void waitBeforeACallIsRepeated_endsWithTheRun() throws Exception {
        assertThat(bench.run("""
                        name: waiting
                        scenario: work
                        drivers: [plain]
                        topic: {partitions: 2, records: 20000, valueBytes: 50}
                        options: {work.failures: 0.001, work.retryMillis: 60000}
                        method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                          measureSeconds: 0.2, intervalMillis: 20}
                        """).runs()).hasSize(1).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.ledger().retried()).isPositive();
            assertThat(Duration.ofMillis(run.stoppedAtMillis() - run.startedAtMillis()))
                    .isLessThan(Duration.ofMinutes(1));
        });
    }

    @Test
    @Tag("long")
    void leanDriver_readsEachRecordOnce_ofMixedLengthsWithHeaders() throws Exception {
        assertThat(bench.run("""
                        name: lengths
                        scenario: consume
                        drivers: [lean]
                        baseline: lean
                        topic: {partitions: 2, records: 200000, valueSizes: 20:0.75 140:0.25, headers: 2, compression: zstd}
                        method: {rounds: 1, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.2,
                          intervalMillis: 20}
                        """).runs()).isNotEmpty().allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.totals().bytes() / (double) run.totals().records()).isBetween(45.0, 55.0);
        });
    }

    @Test
    @Tag("long")
    void asimov_outOfOrder_givesARecordForEachEvent() throws Exception {
        assertThat(bench.run("""
                        name: unordered
                        scenario: pipeline
                        drivers: [asimov-unordered]
                        baseline: asimov-unordered
                        topic: {partitions: 2, records: 3000, valueBytes: 50}
                        method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                          measureSeconds: 0.2, intervalMillis: 20}
                        options: {ordering: none}
                        """).runs()).hasSize(1).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            Ledger ledger = run.ledger();
            assertThat(ledger.delivered()).isPositive();
            assertThat(ledger.lost() + ledger.duplicates()).as("%s", ledger).isZero();
        });
    }

    @Test
    @Tag("long")
    void producers_ofTheLeanPathAndOfABareSocket_writeEachRecordOnce() throws Exception {
        assertThat(bench.run("""
                        name: writers
                        scenario: produce
                        drivers: [lean-produce, bare-produce]
                        baseline: lean-produce
                        topic: {partitions: 3, records: 50000, valueBytes: 50}
                        client: {batch.size: 16384}
                        method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                          measureSeconds: 0.2, intervalMillis: 20}
                        """).runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
        });
    }

    /** Compares the settings that the clients report. */
    @Test
    @Tag("long")
    void driversThatAreTunedAlike_haveTheSameSettings() throws Exception {
        ResultsFolder results = bench.run("""
                name: alike
                scenario: consume
                drivers: [plain-tuned, pekko-tuned, reactor-tuned, weir-untuned]
                baseline: plain-tuned
                topic: {partitions: 2, records: 200000, valueBytes: 50}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 0.2, intervalMillis: 20}
                """);
        assertThat(results.runs()).hasSize(4).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            boolean isTuned = run.driver().endsWith("-tuned");
            assertThat(results.log(run.key()))
                    .content()
                    .contains("max.poll.records = " + (isTuned ? 5_000 : 500))
                    .contains("max.partition.fetch.bytes = " + (isTuned ? 8 << 20 : 1 << 20))
                    .contains("receive.buffer.bytes = " + (isTuned ? 1 << 20 : 64 << 10));
        });
    }

    @Test
    void driverWithoutTheScenario_failsItsDryRun() {
        assertThatThrownBy(() -> bench.run("""
                        name: bare
                        scenario: at-least-once
                        drivers: [bare]
                        baseline: bare
                        topic: {partitions: 2, records: 200000, valueBytes: 50}
                        method: {rounds: 1, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.2,
                          intervalMillis: 20}
                        """))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver bare does not pass the dry run of at-least-once: it does not offer");
    }

    @Test
    @Tag("long")
    void driverThatSkipsItsCommits_isRefused() throws Exception {
        Path root = BenchAtCluster.checkoutWith(folder.resolve("forgetful"), ForgetfulDriver.class, "forgetful");
        assertThatThrownBy(() -> bench.run(root, """
                        name: forgetful
                        scenario: at-least-once
                        drivers: [forgetful]
                        baseline: forgetful
                        topic: {partitions: 2, records: 200000, valueBytes: 50}
                        method: {rounds: 1}
                        """))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver forgetful does not pass the dry run of at-least-once: it did not commit"
                        + " all that it delivered");
    }

    @Test
    @Tag("long")
    void flowControl_deliversNoRecordOfAPausedPartition() throws Exception {
        ResultsFolder results = bench.run("""
                name: paused
                scenario: flow-control
                drivers: [plain, weir]
                baseline: plain
                topic: {partitions: 5, records: 20000, valueBytes: 50}
                client: {max.poll.records: 1}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.5, measureSeconds: 0.5,
                  intervalMillis: 50}
                """);
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.totals().metrics()).containsEntry(PartitionTurns.STRAYS, 0.0);
        });
    }

    /**
     * Handlers in each of the three orders share one consumer. Each record must be handled once, in order, and
     * committed.
     */
    @Test
    @Tag("long")
    void handlersBesideEachOther_onOneConsumer_keepTheOrderThatIsAskedFor() throws Exception {
        ResultsFolder results = bench.run("""
                name: beside
                scenario: work
                drivers: [plain-blocking, plain-continuous]
                baseline: plain-blocking
                topic: {partitions: 3, records: 20000, valueBytes: 50, keys: 60}
                options: {work.millis: 0.2, concurrency: 4}
                vary: [{options.ordering: [partition, key, none]}]
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 0.2, intervalMillis: 20}
                """);
        assertThat(results.runs()).hasSize(6).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
        });
    }
}
