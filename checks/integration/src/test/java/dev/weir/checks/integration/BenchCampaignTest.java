package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.BenchException;
import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.workload.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a tiny campaign with a forked broker and drivers in their own processes. The campaign is interrupted and later
 * completed.
 */
@Timeout(180)
class BenchCampaignTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final String TINY = """
            name: tiny
            scenario: at-least-once
            drivers: [plain, weir]
            topic: {partitions: 2, records: 200000, valueBytes: 50}
            method: {rounds: 1, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.2, intervalMillis: 20}
            """;

    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    void stoppedCampaign_keepsWhatIsFinished_andIsResumed() throws Exception {
        Path results = folder.resolve("results");
        String yaml = TINY.replace("measureSeconds: 0.2", "measureSeconds: 0.8, countFetches: true")
                + "options: {sink.records.per.second: 200000}\n"
                + "client: {max.partition.fetch.bytes: 20000}\n";
        List<Run> finished = new ArrayList<>();
        CampaignRunner[] first = new CampaignRunner[1];
        first[0] = runner(yaml, results, false, run -> {
            finished.add(run);
            first[0].stop();
        });
        assertThat(first[0].run().runs()).hasSize(1);

        CampaignRunner second = runner(yaml, results, true, finished::add);
        ResultsFolder whole = second.run();
        assertThat(finished).hasSize(3);
        assertThat(whole.runs()).extracting(Run::driver).containsExactlyInAnyOrder("plain", "plain-again", "weir");
        assertThat(whole.runs()).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.isValid()).as("%s", run.flags()).isTrue();
            Ledger ledger = run.ledger();
            assertThat(ledger.isClean()).as("%s", ledger).isTrue();
            assertThat(run.totals().cpuNanos()).isPositive();
            assertThat(run.totals().allocatedBytes()).isPositive();
            assertThat(run.totals().metrics())
                    .containsKeys("client: fetch ms", "broker: collection ms", "broker: fetch total p99 ms");
            assertThat(sum(run, "queued", "local", "remote", "answer queued", "sending"))
                    .as("the parts make up the whole, which a broker counts in whole milliseconds")
                    .isPositive()
                    .isCloseTo(sum(run, "total"), within(3.0));
            assertThat(folder.resolve("results/logs/" + run.key().fileName() + ".log"))
                    .as("the whole configuration of the client")
                    .content()
                    .contains("ConsumerConfig values", "fetch.min.bytes = ");
        });
        // Weir's buffer holds the whole topic, so later fetches are few.
        assertThat(whole.runs())
                .filteredOn(run -> !run.driver().equals("weir"))
                .allSatisfy(run -> assertThat(run.totals().metrics())
                        .hasEntrySatisfying(
                                Totals.SENT_PER_BYTE, sent -> assertThat(sent).isBetween(1.0, 3.0))
                        .hasEntrySatisfying(
                                Totals.RECORDS_PER_FETCH,
                                records -> assertThat(records).isGreaterThan(10)));
        assertThat(whole.campaign().environment().settings()).containsEntry("broker.log.retention.ms", "-1");
        assertThat(Reports.html(whole)).isNotEmptyFile();
        assertThat(Reports.json(whole)).contains("\"driver\":\"weir\"");
        assertThat(CampaignRunner.workloadOf(whole.campaign())).isEqualTo(Workload.parse("tiny", yaml, false));
    }

    @Test
    void stoppedAmidADryRun_saysSo_andDoesNotBlameTheDriver() {
        CampaignRunner[] runner = new CampaignRunner[1];
        runner[0] = runner(TINY, folder.resolve("results"), false, run -> {}, doing -> {
            if (doing.startsWith("verifying")) {
                runner[0].stop();
            }
        });
        assertThatThrownBy(() -> runner[0].run())
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("stopped before the first run");
    }

    /** Each remaining run would fail after a minute, and its driver would be blamed. */
    @Test
    @Tag("long")
    void brokerThatDies_endsTheCampaign_andIsNoFailureOfADriver() {
        Path results = folder.resolve("results");
        String yaml = TINY.replace("[plain, weir]", "[plain]").replace("rounds: 1,", "rounds: 1, control: false,");
        Set<ProcessHandle> others = ProcessHandle.current().children().collect(Collectors.toSet());
        CampaignRunner runner = runner(yaml, results, false, run -> {}, doing -> {
            if (doing.startsWith("plain at")) {
                killBroker(others);
            }
        });
        assertThatThrownBy(runner::run)
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("broker 1 has ended")
                .hasMessageContaining("the rest can be resumed");
        assertThat(ResultsFolder.open(results).runs()).isEmpty();
    }

    private static void killBroker(Set<ProcessHandle> others) {
        List<ProcessHandle> brokers = ProcessHandle.current()
                .children()
                .filter(child -> !others.contains(child))
                .toList();
        assertThat(brokers).hasSize(1);
        brokers.getFirst().destroyForcibly();
        brokers.getFirst().onExit().join();
    }

    @Test
    @Tag("long")
    void steadyRate_isTimedFromItsPlan_perPartition_withItsCosts() throws Exception {
        String yaml = """
                name: steady
                scenario: steady
                drivers: [weir]
                baseline: weir
                topic: {partitions: 2, recordsPerSecond: 1000, valueBytes: 23}
                method: {rounds: 1, control: false, minWarmUpSeconds: 5, maxWarmUpSeconds: 6, measureSeconds: 1, intervalMillis: 100}
                """;
        ResultsFolder results =
                runner(yaml, folder.resolve("results"), false, run -> {}).run();
        assertThat(results.runs()).hasSize(1).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.ledger().expected()).isEqualTo(8_000);
            assertThat(run.totals().records()).isPositive();
            assertThat(run.totals().metrics()).containsKeys("% of a core", "allocated MB", "direct MB", "collections");
            assertThat(run.intervals())
                    .allSatisfy(interval -> assertThat(interval.lagRecords()).isNotNegative());
            Map<String, Histogram> latencies = LatencyTags.merge(results.latencyIntervals(run.key()));
            assertThat(latencies)
                    .containsKeys(
                            LatencyTags.RESPONSE,
                            LatencyTags.responseOfPartition(1),
                            LatencyTags.LATENESS,
                            LatencyTags.ofWarmUp(LatencyTags.RESPONSE));
            assertThat(count(latencies, LatencyTags.responseOfPartition(0))
                            + count(latencies, LatencyTags.responseOfPartition(1)))
                    .isPositive()
                    .isEqualTo(count(latencies, LatencyTags.RESPONSE));
        });
        assertThat(Reports.text(results)).contains("CPU ratio");
        assertThat(Reports.html(results)).isNotEmptyFile();
    }

    /** Lag is the number of planned records minus the handled ones. The planned load has steps. */
    @Test
    @Tag("long")
    void shapeOfALoad_isSent_andComparedLikeAnyOther() throws Exception {
        String yaml = """
                name: shaped
                scenario: steady
                drivers: [weir]
                baseline: weir
                topic: {partitions: 2, recordsPerSecond: 1000, valueBytes: 23, load: 0s:1 5s:4}
                method: {rounds: 1, control: false, minWarmUpSeconds: 2, maxWarmUpSeconds: 3, measureSeconds: 4, intervalMillis: 100}
                """;
        ResultsFolder results =
                runner(yaml, folder.resolve("results"), false, run -> {}).run();
        assertThat(results.runs()).hasSize(1).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.flags()).doesNotContain(Flag.CHANGED);
            assertThat(run.ledger().expected()).isEqualTo(5_000 + 4 * 3_000);
            assertThat(run.totals().recordsPerSecond()).isCloseTo(2_500, within(250.0));
            List<Interval> intervals = run.intervals();
            long first = intervals.stream()
                    .skip(20)
                    .limit(10)
                    .mapToLong(Interval::records)
                    .sum();
            long last = intervals.stream()
                    .skip(intervals.size() - 10)
                    .mapToLong(Interval::records)
                    .sum();
            assertThat((double) last / first).isCloseTo(4, within(1.0));
        });
    }

    /** Open loop: the latency of a late record starts at its planned time, and no record is dropped. */
    @Test
    @Tag("long")
    void producingAtAPlannedRate_isTimedFromThePlanToTheAcknowledgement() throws Exception {
        String yaml = """
                name: latency
                scenario: produce
                drivers: [weir, lean-produce]
                baseline: weir
                topic: {partitions: 2, recordsPerSecond: 1000, valueBytes: 23, arrivals: poisson}
                client: {linger.ms: 5}
                method: {rounds: 1, control: false, minWarmUpSeconds: 5, maxWarmUpSeconds: 6, measureSeconds: 1, intervalMillis: 100}
                """;
        ResultsFolder results =
                runner(yaml, folder.resolve("results"), false, run -> {}).run();
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().expected()).isEqualTo(8_000);
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            Map<String, Histogram> latencies = LatencyTags.merge(results.latencyIntervals(run.key()));
            Histogram response = Objects.requireNonNull(latencies.get(LatencyTags.RESPONSE));
            assertThat(count(latencies, LatencyTags.responseOfPartition(0))
                            + count(latencies, LatencyTags.responseOfPartition(1)))
                    .isEqualTo(response.getTotalCount());
            assertThat(response.getTotalCount()).isPositive();
            assertThat(response.getValueAtPercentile(50))
                    .as("linger, and a way there and back")
                    .isBetween(200_000L, 2_000_000_000L);
            assertThat(count(latencies, LatencyTags.LATENESS)).isPositive();
            assertThat(latencies).containsKey(LatencyTags.ofWarmUp(LatencyTags.RESPONSE));
            assertThat(run.totals().metrics()).containsKeys("broker: produce total ms", "broker: produce local p99 ms");
        });
        assertThat(Reports.html(results)).isNotEmptyFile();
    }

    private static double sum(Run run, String... parts) {
        double sum = 0;
        for (String part : parts) {
            sum += run.totals().metrics().getOrDefault("broker: fetch " + part + " ms", Double.NaN);
        }
        return sum;
    }

    private static long count(Map<String, Histogram> latencies, String tag) {
        return Objects.requireNonNull(latencies.get(tag)).getTotalCount();
    }

    @Test
    void unknownDriver_isRefusedBeforeAnythingStarts() {
        String yaml = TINY.replace("weir]", "wier]");
        assertThatThrownBy(() -> runner(yaml, folder.resolve("results"), false, run -> {})
                        .run())
                .isInstanceOf(BenchException.class)
                .hasMessage("there is no driver wier; did you mean weir?");
    }

    private CampaignRunner runner(String yaml, Path results, boolean resume, Consumer<Run> onFinished) {
        return runner(yaml, results, resume, onFinished, doing -> {});
    }

    private CampaignRunner runner(
            String yaml, Path results, boolean resume, Consumer<Run> onFinished, Consumer<String> onStatus) {
        return new CampaignRunner(
                Workload.parse("tiny", yaml, false),
                new CampaignRunner.Settings(ROOT, folder.resolve("data"), results, 7, resume),
                new CampaignListener() {
                    @Override
                    public void note(String line) {}

                    @Override
                    public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {
                        onStatus.accept(doing);
                    }

                    @Override
                    public void finished(Run run, int runsDone, int runs) {
                        onFinished.accept(run);
                    }
                });
    }
}
