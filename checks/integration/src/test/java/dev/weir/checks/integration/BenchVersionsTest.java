package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.workload.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests two versions of a library side by side, on a topic with replicas that was filled in advance. */
@Timeout(180)
class BenchVersionsTest {
    @TempDir
    Path folder;

    /** Uses the library version of the Parallel Consumer driver, which needs no download. */
    @Test
    @Tag("long")
    void versionsOfALibrary_readATopicWithReplicas_eachWithItsOwnJar() throws Exception {
        String yaml = """
                name: versions
                scenario: consume
                drivers: [plain@4.3.1, plain]
                baseline: plain
                brokers: 2
                topic: {partitions: 2, replicas: 2, records: 800000, valueBytes: 50}
                method: {rounds: 1, control: false, heapMegabytes: 64, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 0.5, intervalMillis: 50}
                """;
        CampaignRunner.Settings settings = new CampaignRunner.Settings(
                Path.of(System.getProperty("weir.root")), folder.resolve("data"), folder.resolve("results"), 7, false);
        ResultsFolder results =
                new CampaignRunner(Workload.parse("test", yaml, false), settings, BenchAtCluster.SILENT).run();
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
        });
        assertThat(version(results, "plain@4.3.1")).contains("4.3.1");
        assertThat(version(results, "plain")).doesNotContain("4.3.1");
        assertThat(replicasOfPartition0()).as("one at each broker").hasSize(2);
    }

    private static String version(ResultsFolder results, String driver) {
        return results.campaign().drivers().stream()
                .filter(each -> each.name().equals(driver))
                .map(Driver::version)
                .findFirst()
                .orElseThrow();
    }

    private List<Path> replicasOfPartition0() throws Exception {
        try (Stream<Path> found = Files.find(
                folder.resolve("data"),
                10,
                (path, attributes) -> attributes.isDirectory()
                        && path.getFileName().toString().matches("fill-p2-n400000-.*-rf2-0"))) {
            return found.toList();
        }
    }
}
