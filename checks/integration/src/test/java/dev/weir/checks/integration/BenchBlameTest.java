package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.driver.Pass;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a slow driver is not blamed on an idle broker. The fault is planted into the bare-socket driver. */
@Tag("long")
@Timeout(300)
class BenchBlameTest {

    @TempDir
    private Path folder;

    @Test
    void stopAndWait_isNotTheBrokersFault() throws Exception {
        String yaml = """
                name: blame
                scenario: consume
                drivers: [bare, bare-stop-and-wait, bare-discard]
                baseline: bare
                topic: {partitions: 1, records: 3000000, valueBytes: 50}
                method: {rounds: 2, control: false, minWarmUpSeconds: 1, maxWarmUpSeconds: 2, measureSeconds: 2}
                """;
        CampaignRunner.Settings settings = new CampaignRunner.Settings(
                Path.of(System.getProperty("weir.root")), folder.resolve("data"), folder.resolve("results"), 7, false);
        ResultsFolder results =
                new CampaignRunner(Workload.parse("test", yaml, false), settings, BenchAtCluster.SILENT).run();
        Map<String, Run> last = results.runs().stream()
                .collect(Collectors.toMap(Run::driver, Function.identity(), (before, after) -> after));
        assertThat(last.values()).allSatisfy(run -> assertThat(run.failure()).isNull());
        Run faulty = last.get("bare-stop-and-wait");
        assertThat(faulty.flags()).doesNotContain(Flag.BROKER_BOUND, Flag.BASELINE_BROKER_BOUND);
        assertThat(faulty.totals().metrics().get(Pass.FETCH_UNDER_WAY)).isLessThan(90);
        assertThat(last.get("bare").totals().metrics().get(Pass.FETCH_UNDER_WAY))
                .isGreaterThan(90);
    }
}
