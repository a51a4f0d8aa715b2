package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handlers that fail are called again by each library's own means; the dry run counts how often. */
@Timeout(180)
class BenchFailingWorkTest {

    @TempDir
    private Path folder;

    @Test
    void failedCalls_areRepeated_andEachRecordIsDeliveredOnce() throws Exception {
        try (BenchAtCluster bench = new BenchAtCluster(folder)) {
            ResultsFolder results = bench.run("""
                    name: failing
                    scenario: work
                    drivers: [plain, weir]
                    topic: {partitions: 2, records: 20000, valueBytes: 50}
                    options: {work.failures: 0.2, work.retryMillis: 1, work.millis: 0.1}
                    method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                      measureSeconds: 0.2, intervalMillis: 20}
                    """);
            assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
                assertThat(run.failure()).isNull();
                assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
                assertThat(run.ledger().retried()).isPositive();
            });
            assertThat(Reports.text(results)).contains("calls of handlers failed and were repeated, for ");
            assertThat(Reports.json(results)).contains("\"retried\":");
        }
    }
}
