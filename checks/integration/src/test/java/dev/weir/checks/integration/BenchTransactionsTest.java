package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.fill.FillPlan;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests drivers that write in transactions, and drivers that read records of committed and aborted transactions. */
@Timeout(180)
class BenchTransactionsTest extends BenchTestBase {
    private static final long PER_PARTITION = 2_000;

    @Test
    @Tag("long")
    void readCommitted_deliversEachCommittedRecordOnce_andCommitsPastTheMarkers() throws Exception {
        WorkloadPoint point = Workload.parse("committed", """
                name: committed
                scenario: at-least-once
                drivers: [weir-lean]
                baseline: weir-lean
                topic: {partitions: 2, valueBytes: 50, transactionRecords: 100, abortedShare: 0.25}
                client: {isolation.level: read_committed}
                """, false).points().getFirst();
        DriverLauncher launcher = new DriverLauncher(DriverCatalog.below(Path.of(System.getProperty("weir.root"))));
        try (BenchCluster cluster = BenchCluster.existing(bench.existing(), note -> {}, () -> false);
                DriverProcess process = launcher.start("weir-lean", 64, folder.resolve("weir-lean.log"))) {
            String topic = cluster.topics().filled(point, PER_PARTITION);
            DriverSession session = new DriverSession(process, cluster, point);
            session.hello();
            session.configure(topic, PER_PARTITION);
            String group = session.start(0, 60);
            Report.Passed passed = session.passed();
            assertThat(passed.complete()).as("%s", passed.ledger()).isTrue();
            assertThat(passed.ledger().isBroken()).as("%s", passed.ledger()).isFalse();
            assertThat(passed.records()).isEqualTo(2 * PER_PARTITION);
            assertThat(cluster.groups().committedAll(group, topic, FillPlan.of(point, PER_PARTITION)))
                    .isTrue();
        }
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
