package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.explain.Explanations;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderSender;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.PointResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests changes during a run, with real processes, but no speeds. */
class BenchLiveTest extends BenchTestBase {

    /** The run takes ten minutes, unless the test's commands end it earlier. */
    private static final String WORKLOAD = """
            name: NAME
            scenario: work
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 100}
            options: {ordering: none, concurrency: 2, work.millis: 2}
            explore: {members: 2}
            method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
              measureSeconds: SECONDS}
            """;

    private static String workload(String name, String driver, int seconds) {
        return WORKLOAD.replace("NAME", name).replace("DRIVER", driver).replace("SECONDS", Integer.toString(seconds));
    }

    private static CompletableFuture<ResultsFolder> running(String yaml) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return bench.run(yaml);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static Answer ordered(String name, CompletableFuture<?> run, Order order) throws Exception {
        Path results = folder.resolve(name);
        Awaitility.await().atMost(4, TimeUnit.MINUTES).until(() -> run.isDone() || OrderSender.to(results) != null);
        assertThat(run).as("goes on").isNotDone();
        Answer answer = Objects.requireNonNull(OrderSender.to(results)).send(order);
        assertThat(answer).as("answer to %s", order).isNotNull();
        return Objects.requireNonNull(answer);
    }

    private static Order.Set set(String key, String value) {
        return new Order.Set(Map.of(key, value));
    }

    private static Run whole(ResultsFolder results, boolean isChanged) {
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().duplicates()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().expected()).isGreaterThan(4);
        assertThat(run.flags().contains(Flag.CHANGED)).isEqualTo(isChanged);
        return run;
    }

    private static List<Order> orders(Run run) {
        return run.timeline().stream().map(TimelineEntry::order).toList();
    }

    /** Sends the lines of a session, and replays the session. */
    private void session(String name, String driver) throws Exception {
        List<Order> session = List.of(
                set("producerRate", "300"),
                set("work", "1ms"),
                set("consumers", driver.equals("weir") ? "3" : "5"),
                new Order.RestartConsumers("50%"),
                set("consumers", "2"),
                new Order.Pause(500),
                set("client.fetch.max.wait.ms", "200"),
                new Order.Drain(),
                new Order.Extend(60_000),
                new Order.DiscardStats());
        CompletableFuture<ResultsFolder> run = running(workload(name, driver, 600));
        for (Order order : session) {
            Answer answer = ordered(name, run, order);
            assertThat(answer.error()).as("%s", order).isNull();
            assertThat(answer.applied()).as("%s", order).isNotEmpty();
            assertThat(answer.timeline().getLast().order()).isEqualTo(order);
            if (order instanceof Order.Drain) {
                assertThat(answer.applied()).containsEntry("drain", "nothing is left");
            }
        }
        Answer refused = ordered(name, run, set("client.max.poll.record", "5"));
        assertThat(refused.error()).contains("did you mean max.poll.records?");
        // Waits until the measurement contains some whole seconds.
        Awaitility.await().pollDelay(4, TimeUnit.SECONDS).until(() -> !run.isDone());
        assertThat(ordered(name, run, new Order.End()).applied()).containsKey("end");
        ResultsFolder results = run.get(10, TimeUnit.MINUTES);
        Run typed = whole(results, true);
        assertThat(orders(typed)).startsWith(session.toArray(new Order[0])).endsWith(new Order.End());
        assertThat(typed.phases()).as("a drain begins two").hasSize(session.size() + 3);
        assertThat(typed.phases().getLast().consumers()).isEqualTo(2);
        TimelineEntry discard = typed.timeline().get(session.size() - 1);
        assertThat(typed.warmUpIntervals()).as("of seconds").isEqualTo((int) (discard.atMillis() / 1000));
        requireReported(results);
        requireResultOfLastPhase(results, typed);

        String timeline = Files.readString(results.path().resolve("timeline.yaml"));
        Run replayed = whole(bench.run(workload(name + "-again", driver, 600) + timeline), true);
        assertThat(orders(replayed)).isEqualTo(orders(typed));
        assertThat(replayed.phases())
                .extracting(Phase::begunBy)
                .isEqualTo(typed.phases().stream().map(Phase::begunBy).toList());
        assertThat(replayed.phases())
                .extracting(Phase::producerRate)
                .isEqualTo(typed.phases().stream().map(Phase::producerRate).toList());
        assertThat(replayed.phases())
                .extracting(Phase::consumers)
                .isEqualTo(typed.phases().stream().map(Phase::consumers).toList());
    }

    /** Checks that the time since the last effective command has its own result. */
    private static void requireResultOfLastPhase(ResultsFolder results, Run typed) {
        PointResult last = Analysis.of(results).points().getLast();
        assertThat(last.point().dimensions())
                .containsEntry("producerRate", "300")
                .containsEntry("consumers", "2");
        assertThat(last.point().dimensions().get("phase")).contains("discard-stats");
        Run run = last.drivers().getFirst().runs().getFirst();
        // A busy machine may delay the generator.
        assertThat(run.flags()).doesNotContain(Flag.CHANGED, Flag.GUARANTEE_BROKEN);
        Totals totals = run.totals();
        assertThat(totals.recordsPerSecond()).isBetween(100.0, 500.0);
        assertThat(totals.cpuNanos()).isPositive();
        assertThat(totals.allocatedBytes()).isPositive();
        assertThat(totals.metrics())
                .containsKeys(Totals.HANDLER_MILLIS, Totals.CEILING, Totals.EFFICIENCY, "host: busy %");
        assertThat(LatencyTags.merge(results.latencyIntervals(run.key())).keySet())
                .contains(LatencyTags.RESPONSE, LatencyTags.LATENESS, LatencyTags.responseOfPartition(0));
        assertThat(Explanations.of(Analysis.of(results)).getLast().limiter()).isNotNull();
        assertThat(Reports.text(results)).contains(last.point().label());
        assertThat(Reports.lines(results)).contains("{\"type\":\"phase\",\"scenario\":\"work\"");
        assertThat(typed.phases().getLast().result())
                .as("nothing comes after the end")
                .isNull();
    }

    private static void requireReported(ResultsFolder results) {
        String text = Reports.all(results, false);
        assertThat(text).contains("changed while it ran in 1 of 1 runs, not quoted", "phase by phase", "drain true");
        assertThat(Reports.lines(results))
                .contains("\"changedRuns\":[{\"round\":0,\"timeline\":[{\"at\":", "\"phases\":[");
        assertThat(results.path().resolve("live")).doesNotExist();
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void consumerGroup_thatIsChanged_losesNothing_andItsReplayHasTheSamePhases() throws Exception {
        session("consumers", "weir");
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void shareGroup_thatIsChanged_losesNothing_andItsReplayHasTheSamePhases() throws Exception {
        session("share", "kafka-share");
    }

    private static String refused(String name, CompletableFuture<?> run, Order order) throws Exception {
        Answer answer = ordered(name, run, order);
        assertThat(answer.applied()).isEmpty();
        return String.valueOf(answer.error());
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_thatIsChanged_losesNothing_andEndsByTime() throws Exception {
        String yaml = """
                name: steady-live
                scenario: steady
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 600, live: true}
                """;
        CompletableFuture<ResultsFolder> run = running(yaml);
        List<Order> session = List.of(
                set("producerRate", "300"), new Order.DiscardStats(), new Order.Extend(60_000), new Order.Pause(2_000));
        for (Order order : session) {
            assertThat(ordered("steady-live", run, order).error())
                    .as("%s", order)
                    .isNull();
        }
        assertThat(refused("steady-live", run, new Order.Drain())).contains("can be changed by set of producerRate");
        assertThat(refused("steady-live", run, set("consumers", "2"))).contains("scenario steady has one process");
        assertThat(ordered("steady-live", run, new Order.End()).applied()).containsKey("end");
        Run changed = whole(run.get(5, TimeUnit.MINUTES), true);
        assertThat(orders(changed)).startsWith(session.toArray(new Order[0])).endsWith(new Order.End());
        assertThat(changed.phases()).hasSize(session.size() + 2);
        assertThat(changed.phases().getLast().producerRate()).isEqualTo(300);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRunThatNobodyChanges_isQuoted_thoughItEndsByTime() throws Exception {
        ResultsFolder results = bench.run("""
                name: steady-unchanged
                scenario: steady
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 200}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 4, live: true}
                """);
        Run run = whole(results, false);
        assertThat(run.timeline()).isEmpty();
        assertThat(run.totals().records()).isBetween(600L, 1_000L);
        assertThat(run.ledger().expected())
                .as("1 s of warm-up, 4 s, 1 s of margin")
                .isBetween(1_000L, 1_600L);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void atMostOnce_atAPlannedRate_nothingComesAgainWhenMembersRestart() throws Exception {
        ResultsFolder results = bench.run("""
                name: at-most-once-live
                scenario: at-most-once
                drivers: [plain, weir]
                baseline: plain
                topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 100}
                explore: {members: 2}
                timeline: [{at: 3s, restart-consumers: 50%}]
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 12}
                """);
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().redelivered()).as("%s", run.ledger()).isZero();
            assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
            assertThat(run.flags()).contains(Flag.CHANGED).doesNotContain(Flag.GUARANTEE_BROKEN);
        });
    }

    private static String faulty(String driver, int seconds) {
        return """
                name: DRIVER
                scenario: steady
                drivers: [DRIVER]
                baseline: DRIVER
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: SECONDS, live: true}
                """.replace("DRIVER", driver).replace("SECONDS", Integer.toString(seconds));
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_whoseDriverEndsByItself_failsAtOnce() throws Exception {
        Path root = BenchAtCluster.checkoutWithGenerator(
                folder.resolve("ending-checkout"), FaultyGroupDriver.class, "ending");
        assertThat(bench.run(root, faulty("ending", 3_000)).runs().getFirst().failure())
                .as("100, and what else the last poll brought")
                .containsPattern("the driver ended its pass after \\d{3} of 200000000 records");
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_whoseDriverNeverClosesDown_fails() throws Exception {
        Path root = BenchAtCluster.checkoutWithGenerator(
                folder.resolve("hanging-checkout"), FaultyGroupDriver.class, "hanging");
        assertThat(bench.run(root, faulty("hanging", 2)).runs().getFirst().failure())
                .isEqualTo("it did not close down within 120 s");
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_thatIsNotLive_refusesEachOrderByName() throws Exception {
        String yaml =
                faulty("plain", 8).replace("name: plain", "name: not-live").replace(", live: true", "");
        CompletableFuture<ResultsFolder> run = running(yaml);
        assertThat(refused("not-live", run, new Order.End()))
                .isEqualTo("a run of scenario steady takes no orders: set method.live: true in its workload file");
        whole(run.get(5, TimeUnit.MINUTES), false);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_thatIsEndedBeforeAnythingIsMeasured_hasPhases() throws Exception {
        String yaml = faulty("plain", 600).replace("name: plain", "name: ended-early")
                + "timeline: [{at: 0.1s, end: true}]\n";
        Run ended = whole(bench.run(yaml), true);
        assertThat(ended.totals().records()).isZero();
        assertThat(ended.phases()).hasSize(2);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void search_takesOrdersBetweenTrials_andBeginsAgainWithOtherHandlers() throws Exception {
        String yaml = """
                name: search-live
                scenario: work
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50}
                options: {work.millis: 1}
                target: p90<=1s
                explore: {members: 1, startRate: 50, maxRate: 400, warmUpSeconds: 0.5, stepSeconds: 2, holdSeconds: 4,
                  pauseSeconds: 0.5, recoverySeconds: 3, maxSeconds: 400}
                method: {heapMegabytes: 64, intervalMillis: 250}
                """;
        CompletableFuture<Explored> search = CompletableFuture.supplyAsync(() -> {
            try {
                return bench.explore(yaml);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(refused("search-live", search, new Order.RestartConsumers("1")))
                .contains("a search disturbs its members by itself");
        Answer anew = ordered("search-live", search, new Order.Set(Map.of("work", "2ms", "producerRate", "80")));
        assertThat(anew.applied()).containsEntry("search", "began again");
        assertThat(ordered("search-live", search, new Order.Extend(60_000)).error())
                .isNull();
        assertThat(ordered("search-live", search, new Order.End()).applied()).containsKey("end");
        Explored explored = search.get(5, TimeUnit.MINUTES);
        assertThat(explored.timeline()).hasSize(3);
        assertThat(explored.finding().trials())
                .isNotEmpty()
                .first()
                .satisfies(trial -> assertThat(trial.attempt().rate()).isEqualTo(80));
    }
}
