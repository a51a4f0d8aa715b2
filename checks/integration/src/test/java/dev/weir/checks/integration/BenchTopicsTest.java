package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests processes that read several topics together, and the results for each topic. */
@Timeout(300)
class BenchTopicsTest extends BenchTestBase {

    private static final String FILLED = """
            name: NAME
            scenario: SCENARIO
            drivers: [DRIVERS]
            baseline: BASELINE
            topic: {partitions: 2, records: 400000, valueBytes: 50}
            options: {commit.interval.millis: 200, ordering: none, concurrency: 4}
            method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, minWarmUpSeconds: 0,
              maxWarmUpSeconds: 1, measureSeconds: 1}
            """;

    private static String filled(String name, String scenario, String drivers) {
        return FILLED.replace("NAME", name)
                .replace("SCENARIO", scenario)
                .replace("DRIVERS", drivers)
                .replace("BASELINE", drivers.split(",", -1)[0]);
    }

    private static void requireWhole(Run run, int topics) {
        assertThat(run.failure()).as(run.driver()).isNull();
        assertThat(run.flags()).doesNotContain(Flag.GUARANTEE_BROKEN);
        assertThat(run.ledger().isClean())
                .as("%s %s", run.driver(), run.ledger())
                .isTrue();
        List<Ledger> each = run.ledger().topics();
        assertThat(each).as(run.driver()).hasSize(topics);
        assertThat(each).allMatch(Ledger::isClean);
        assertThat(each)
                .extracting(Ledger::expected)
                .allSatisfy(expected -> assertThat(expected).isPositive());
        if (topics > 0) {
            assertThat(each.stream().mapToLong(Ledger::expected).sum())
                    .isEqualTo(run.ledger().expected());
        }
    }

    private static void read(String name, String scenario, String drivers) throws Exception {
        read(filled(name, scenario, drivers), drivers);
    }

    private static void read(String yaml, String drivers) throws Exception {
        ResultsFolder results = bench.run(yaml + "vary: [{topics: [1, 3]}]\n");
        assertThat(results.runs()).hasSize(2 * drivers.split(",", -1).length);
        for (Run run : results.runs()) {
            requireWhole(run, run.point().endsWith("topics-3") ? 3 : 0);
        }
        assertThat(Reports.lines(results)).contains("\"topics\":[{\"expected\":");
    }

    @Test
    @Tag("long")
    void filledTopics_areRead_andHaveALedgerEach() throws Exception {
        read("topics", "at-least-once", "weir");
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void filledTopics_areReadByOtherLibrariesToo() throws Exception {
        read("topics-others", "at-least-once", "plain, plain-continuous, reactor, pekko");
    }

    /** 64 MB are too little, because Parallel Consumer fetches many records ahead. */
    @Test
    @Tag("long")
    @Timeout(900)
    void filledTopics_areReadByHandlersOfAllKinds() throws Exception {
        String drivers = "parallel-consumer, kafka-share, weir-share, weir";
        read(filled("topics-work", "work", drivers).replace("heapMegabytes: 64", "heapMegabytes: 256"), drivers);
    }

    /** Each record is committed separately. Large fetches would keep the run in the first topic. */
    @Test
    @Tag("long")
    void filledTopics_areReadAtMostOnceToo() throws Exception {
        String drivers = "plain, weir";
        read(
                filled("topics-ahead", "at-most-once", drivers)
                                .replace("valueBytes: 50", "valueBytes: 50, batchBytes: 8192")
                        + "client: {max.partition.fetch.bytes: 20000}\n",
                drivers);
    }

    @Test
    void driverThatReadsOneTopic_isRefusedByName() {
        assertThatThrownBy(() -> bench.run(filled("one-topic", "consume", "bare") + "topics: 2\n"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining(
                        "driver bare does not pass the dry run of consume: it does not offer several topics")
                .hasMessageContaining("(topics), only ");
    }

    @Test
    @Tag("long")
    void driverThatTakesOneTopicForAnother_isFoundOut_byTopic() throws Exception {
        Path root =
                BenchAtCluster.checkoutWith(folder.resolve("mixed-checkout"), MixedUpTopicsDriver.class, "mixed-up");
        assertThatThrownBy(() -> bench.run(root, filled("mixed-up", "consume", "mixed-up") + "topics: 2\n"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("it did not deliver each of 100000 records once and in order")
                .hasMessageContaining("topics=[LedgerFigures[distinct=50000, missing=0, duplicates=50000,")
                .hasMessageContaining("LedgerFigures[distinct=0, missing=50000, duplicates=0,");
    }

    private static String planned(String name, String driver, String timeline) {
        return """
                name: NAME
                scenario: work
                drivers: [DRIVER]
                baseline: DRIVER
                topics: 2
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                options: {ordering: none, concurrency: 2, work.millis: 1}
                explore: {members: 2}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 8}
                """.replace("NAME", name).replace("DRIVER", driver) + timeline;
    }

    /** All four partitions are assigned before the plan begins. */
    @Test
    @Tag("long")
    void group_sharesOutThePartitionsOfAllTopics_andNothingIsLostWhenMembersRestart() throws Exception {
        Run run = bench.run(planned("topics-group", "plain", "timeline: [{at: 3s, restart-consumers: 50%}]\n"))
                .runs()
                .getFirst();
        requireWhole(run, 2);
        Map<String, Double> metrics = run.totals().metrics();
        assertThat(metrics)
                .containsEntry("group: most partitions of a consumer", 2.0)
                .containsEntry("group: fewest partitions of a consumer", 2.0);
        assertThat(run.ledger().topics())
                .extracting(Ledger::expected)
                .as("9 s at 50 a second, and what was there")
                .allSatisfy(expected -> assertThat(expected).isBetween(400L, 600L));
    }

    @Test
    @Tag("long")
    void shareGroups_readAllTopics() throws Exception {
        for (String driver : List.of("kafka-share", "weir-share")) {
            requireWhole(
                    bench.run(planned("topics-" + driver, driver, "")).runs().getFirst(), 2);
        }
    }

    @Test
    @Tag("long")
    void steadyRun_readsAllTopics() throws Exception {
        Run run = bench.run("""
                        name: topics-steady
                        scenario: steady
                        drivers: [plain]
                        baseline: plain
                        topics: 2
                        topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 200}
                        method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                          measureSeconds: 4}
                        """).runs().getFirst();
        requireWhole(run, 2);
    }
}
