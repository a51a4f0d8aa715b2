package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests several groups that read the same topic, each with its own processes and ledger. */
@Timeout(300)
class BenchReaderGroupsTest extends BenchTestBase {

    private static final String WORKLOAD = """
            name: NAME
            scenario: work
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 100}
            client: {session.timeout.ms: 6000}
            options: {ordering: none, concurrency: 2, work.millis: 1}
            target: p90<=1s
            explore: {members: 2}
            method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
              measureSeconds: SECONDS}
            """;

    private static String workload(String name, String driver, int seconds) {
        return WORKLOAD.replace("NAME", name).replace("DRIVER", driver).replace("SECONDS", Integer.toString(seconds));
    }

    private static void requireWhole(Run run, int groups) {
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
        assertThat(run.ledger().groups()).hasSize(groups);
        run.ledger()
                .groups()
                .forEach(group -> assertThat(group.expected() * groups)
                        .as("each has all of the topic")
                        .isEqualTo(run.ledger().expected()));
    }

    /**
     * Each group has one process, and the trace has two producers and uneven partitions. {@link BenchDimensionsTest}
     * covers groups of several members.
     */
    @Test
    @Tag("long")
    void eachGroup_takesAllRecordsOfTheTrace_andTheRateIsThatOfAllGroups() throws Exception {
        Path trace = folder.resolve("trace.txt");
        Files.writeString(trace, "# seconds, records per second\n0 50\n1 150\n3 50\n");
        ResultsFolder results = bench.run(workload("groups", "plain", 4)
                        .replace("recordsPerSecond: 100", "trace: '" + trace + "', partitionSkew: 1, producers: 2")
                        .replace("members: 2", "members: 1")
                + "producer: {linger.ms: 3}\ngroups: 2\n");
        Run run = results.runs().getFirst();
        requireWhole(run, 2);
        assertThat(run.flags()).doesNotContain(Flag.UNEVEN, Flag.GUARANTEE_BROKEN, Flag.CHANGED);
        assertThat(run.phases()).isEmpty();
        assertThat(results.path().resolve("timeline.yaml")).doesNotExist();
        assertThat(run.totals().recordsPerSecond()).isCloseTo(200, within(40.0));
        Map<String, Double> metrics = run.totals().metrics();
        assertThat(metrics.get("planned/s"))
                .as("of the trace, while it was measured")
                .isCloseTo(200, within(1.0));
        assertThat(metrics.get("load: hottest partition %"))
                .isCloseTo(100 / (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0), within(1.5));
        assertThat(metrics)
                .containsEntry("group: consumers", 1.0)
                .containsEntry("group: most partitions of a consumer", 4.0);
        assertThat(metrics.get("group 1: records/s")).isCloseTo(100, within(20.0));
        assertThat(metrics.get("group 2: records/s")).isCloseTo(100, within(20.0));
        assertThat(metrics).containsKeys("group 1: p99 ms", "group 2: p99 ms");
        assertThat(run.intervals().stream().flatMap(each -> each.figures().keySet().stream()))
                .contains("host: busy %, by second", "generator, client: produce ms", "client: fetches/s");
        assertThat(results.latencyIntervals(run.key()).stream().map(Histogram::getTag))
                .contains(LatencyTags.responseOfConsumer(0), LatencyTags.responseOfConsumer(1));
        assertThat(Reports.lines(results)).contains("\"groups\":[{\"expected\":");
        assertThat(Reports.csv(results))
                .anySatisfy(file -> assertThat(file.getFileName()).hasToString("series.csv"));
    }

    /** The faulty driver commits records before it handles them. At each kill, some committed records are unhandled. */
    @Test
    @Tag("long")
    void faultOfMembers_befallsTheFirstGroup_andWhatItLosesIsItsOwn() throws Exception {
        Path root = BenchAtCluster.checkoutWithGenerator(
                folder.resolve("ahead-groups-checkout"), FaultyGroupDriver.class, "ahead");
        String yaml = workload("ahead-groups", "ahead", 15).replace("work.millis: 1}", "work.millis: 50}")
                + "groups: 2\ntimeline: [{at: 4s, kill: 1}]\n";
        Run run = bench.run(root, yaml).runs().getFirst();
        assertThat(run.failure()).isNull();
        List<Ledger> groups = run.ledger().groups();
        assertThat(groups.getFirst().lost()).as("%s", groups).isPositive();
        assertThat(groups.getLast().isClean()).as("%s", groups).isTrue();
        assertThat(run.disturbances())
                .singleElement()
                .extracting(Disturbance::lost)
                .isEqualTo(groups.getFirst().lost());
        assertThat(Reports.all(ResultsFolder.open(folder.resolve("ahead-groups")), false))
                .contains("ahead, group 1 of 2: ")
                .doesNotContain("ahead, group 2 of 2: ");
    }

    @Test
    @Tag("long")
    void orders_areOfAllGroups_andNothingIsLost() throws Exception {
        Run run = bench.run(
                        workload("groups-orders", "weir", 12)
                                + "groups: 2\ntimeline: [{at: 2s, restart-consumers: 50%}, {at: 5s, drain: true}, {at: 8s, set: {consumers: 3}}]\n")
                .runs()
                .getFirst();
        requireWhole(run, 2);
        assertThat(run.timeline().getFirst().did().get("restart-consumers"))
                .contains("group 1: 1 of 2", "group 2: 1 of 2");
        assertThat(run.timeline().get(1).did()).containsEntry("drain", "nothing is left");
        assertThat(run.timeline().getLast().did().get("consumers")).contains("group 1: 2 to 3", "group 2: 2 to 3");
    }

    @Test
    @Tag("long")
    void shareGroups_areBesideEachOther() throws Exception {
        for (String driver : List.of("kafka-share", "weir-share")) {
            requireWhole(
                    bench.run(workload("groups-" + driver, driver, 5)
                                            .replace("client: {session.timeout.ms: 6000}\n", "")
                                    + "groups: 2\n")
                            .runs()
                            .getFirst(),
                    2);
        }
    }

    /** Brokers refuse values that are too large. */
    @Test
    @Tag("long")
    void settingOfAShareGroup_isChangedWhileItReads_andWhatABrokerForbidsIsRefused() throws Exception {
        Run changed = withLocksAmidTheRun(3000);
        assertThat(changed.failure()).isNull();
        assertThat(changed.ledger().lost()).isZero();
        assertThat(changed.timeline().getFirst().did()).containsEntry("group.share.partition.max.record.locks", "3000");
        assertThat(withLocksAmidTheRun(9000).failure())
                .contains("its timeline cannot be followed", "must be in the range 100 to 4000");
    }

    private static Run withLocksAmidTheRun(int locks) throws Exception {
        return bench.run("""
                        name: locks-LOCKS
                        scenario: work
                        drivers: [kafka-share]
                        baseline: kafka-share
                        topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                        options: {ordering: none, concurrency: 2, work.millis: 1}
                        explore: {members: 1}
                        method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 2,
                          measureSeconds: 4}
                        timeline:
                          - {at: 3s, set: {group.share.partition.max.record.locks: LOCKS}}
                        """.replace("LOCKS", Integer.toString(locks))).runs().getFirst();
    }
}
