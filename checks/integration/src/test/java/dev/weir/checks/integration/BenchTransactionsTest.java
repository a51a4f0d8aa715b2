package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Campaigns that read what transactions wrote, some of them aborted, or write in transactions. */
@Timeout(180)
class BenchTransactionsTest extends BenchTestBase {

    @Test
    void readCommitted_deliversEachCommittedRecordOnce_andCommitsPastTheMarkers() throws Exception {
        ResultsFolder results = bench.run("""
                name: committed
                scenario: at-least-once
                drivers: [weir-lean]
                baseline: weir-lean
                topic: {partitions: 2, records: 20000, valueBytes: 50, transactionRecords: 100, abortedShare: 0.25}
                client: {isolation.level: read_committed}
                options: {sink.records.per.second: 20000}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.1,
                  intervalMillis: 20}
                """);
        assertThat(results.runs()).extracting(Run::failure).containsOnlyNulls();
        assertThat(results.runs())
                .hasSize(1)
                .allSatisfy(run -> assertThat(run.ledger().isClean())
                        .as("%s", run.ledger())
                        .isTrue());
    }

    @Test
    @Tag("long")
    void produceInTransactions_countsWhatIsCommitted_andRefusesWhoHasNone() {
        assertThatThrownBy(() -> bench.run("""
                        name: transactions
                        scenario: produce
                        drivers: [plain, reactor, weir]
                        topic: {partitions: 2, records: 20000, valueBytes: 50}
                        vary: [{options.transaction.records: [0, 100]}]
                        method: {rounds: 1, control: false}
                        """))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver weir does not pass the dry run of produce: it does not offer transactions"
                        + " (options.transaction.records), only [");
    }
}
