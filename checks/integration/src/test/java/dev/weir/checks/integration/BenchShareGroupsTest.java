package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests share groups: their drivers, the checks of the ledger, and the cleanup of the groups. */
@Timeout(300)
class BenchShareGroupsTest extends BenchTestBase {

    private static final String WORKLOAD = """
            name: NAME
            scenario: work
            drivers: [DRIVERS]
            baseline: BASELINE
            topic: {partitions: 2, records: 20000, valueBytes: 50}
            options: {ordering: none, concurrency: 4, work.millis: 1, share.locks: 500, OPTIONS}
            method: {rounds: 1, control: false, settleSeconds: 0.2, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
              measureSeconds: 2, intervalMillis: 50}
            """;

    @Test
    @Tag("long")
    void weir_isMeasuredAgainstTheCeilingOfItsHandlers() throws Exception {
        measureAgainstTheCeiling("share", "weir-share");
    }

    @Test
    @Tag("long")
    void officialClientAndWeir_areMeasuredAgainstTheCeilingOfTheirHandlers() throws Exception {
        measureAgainstTheCeiling("shares", "kafka-share", "weir-share", "weir-share-lean");
    }

    private static void measureAgainstTheCeiling(String name, String... drivers) throws Exception {
        ResultsFolder results = bench.run(workload(name, String.join(", ", drivers), "work.retryMillis: 10"));
        requireWhole(results, drivers.length);
        assertThat(Reports.text(results)).contains("handler ms", "ceiling/s", "efficiency %", "% of nominal");
        assertThat(Reports.json(results)).contains("\"ceiling\":", "\"efficiency\":", "\"redelivered\":");
        requireNoSettingsLeft();
    }

    @Test
    @Tag("long")
    void otherVariants_andAConsumerGroup_areMeasuredBesideThem() throws Exception {
        requireWhole(
                bench.run(workload(
                        "variants",
                        "kafka-share-explicit, kafka-share-tuned, kafka-share-record-limit, weir",
                        "share.acknowledgement: own")),
                4);
    }

    /** Each of the two consumers has two workers. */
    @Test
    @Tag("long")
    void fewerConsumersThanWorkers_shareThemOut() throws Exception {
        ResultsFolder results = bench.run(workload(
                "fan-out",
                "kafka-share, kafka-share-explicit",
                "share.consumers: 2, share.pollRecords: 50, share.acquire: record_limit"));
        requireWhole(results, 2);
        assertThat(results.runs())
                .allSatisfy(run -> assertThat(run.totals().metrics()).containsEntry("share: consumers", 2.0));
    }

    private static void requireWhole(ResultsFolder results, int runs) {
        assertThat(results.runs()).hasSize(runs).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.ledger().delivered()).isPositive();
            var metrics = run.totals().metrics();
            // Records before and after the measurement are in neither sum.
            assertThat(run.intervals().stream()
                            .skip(run.warmUpIntervals())
                            .mapToLong(Interval::records)
                            .sum())
                    .isPositive()
                    .isEqualTo(run.totals().records());
            assertThat(metrics)
                    .as("switches are not counted by interval, so not without the begin of a pass")
                    .doesNotContainKeys("voluntary switches", "involuntary switches")
                    .hasEntrySatisfying(
                            Totals.HANDLER_MILLIS, millis -> assertThat(millis).isGreaterThanOrEqualTo(1))
                    .hasEntrySatisfying(
                            Totals.CEILING,
                            ceiling -> assertThat(ceiling)
                                    .isEqualTo(4000 / metrics.getOrDefault(Totals.HANDLER_MILLIS, Double.NaN)))
                    // Handlers are still running when the measurement ends. In a short run, they hold many records.
                    .hasEntrySatisfying(
                            Totals.EFFICIENCY, percent -> assertThat(percent).isBetween(0.1, 150.0));
        });
    }

    private static void requireNoSettingsLeft() throws Exception {
        var known =
                bench.admin().listConfigResources(Set.of(ConfigResource.Type.GROUP), new ListConfigResourcesOptions());
        for (ConfigResource group : known.all().get()) {
            assertThat(bench.admin()
                            .describeConfigs(List.of(group))
                            .all()
                            .get()
                            .get(group)
                            .entries())
                    .as("%s", group)
                    .noneMatch(entry -> entry.source() == ConfigEntry.ConfigSource.DYNAMIC_GROUP_CONFIG);
        }
    }

    @Test
    @Tag("long")
    void driverThatLosesARecord_isRefused() throws Exception {
        String yaml = workload("losing", "losing-share", "work.retryMillis: 10");
        assertThatThrownBy(() -> bench.run(
                        BenchAtCluster.checkoutWith(
                                folder.resolve("losing-checkout"), LosingShareDriver.class, "losing-share"),
                        yaml))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver losing-share does not pass the dry run of work")
                .hasMessageContaining("after 298 of 300 records");
    }

    @Test
    void orderThatAShareGroupCannotKeep_isRefused() {
        assertThatThrownBy(() -> bench.run(workload("ordered", "weir-share", "work.retryMillis: 10")
                        .replace("ordering: none", "ordering: partition")))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("a share group, which keeps no order: set options.ordering: none");
    }

    private static String workload(String name, String drivers, String options) {
        return WORKLOAD.replace("NAME", name)
                .replace("DRIVERS", drivers)
                .replace("BASELINE", drivers.split(",", 2)[0])
                .replace("OPTIONS", options);
    }
}
