package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderSender;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Injects each kind of fault into real processes. Checks that the fault happened and what it cost, but no speeds. */
class BenchFaultsTest extends BenchTestBase {

    /** A run takes as long as planned on any machine. */
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
              measureSeconds: SECONDS, proxy: PROXY}
            """;

    private static final Pattern PROCESSES = Pattern.compile("process(?:es)? (\\d+)");

    private static String workload(String name, String driver, int seconds, boolean proxy) {
        return WORKLOAD.replace("NAME", name)
                .replace("DRIVER", driver)
                .replace("SECONDS", Integer.toString(seconds))
                .replace("PROXY", Boolean.toString(proxy));
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

    /** Sends a command, waits until it is carried out, and returns its report. */
    private static String ordered(String name, CompletableFuture<ResultsFolder> run, String kind, String value)
            throws Exception {
        Path results = folder.resolve(name);
        Awaitility.await().atMost(4, TimeUnit.MINUTES).until(() -> run.isDone() || OrderSender.to(results) != null);
        assertThat(run).as("goes on").isNotDone();
        Answer answer = Objects.requireNonNull(OrderSender.to(results)).send(Order.of(Map.of(kind, value)));
        assertThat(answer).isNotNull();
        assertThat(Objects.requireNonNull(answer).error())
                .as("%s %s", kind, value)
                .isNull();
        return Objects.requireNonNull(answer.applied().get(kind));
    }

    /** Returns the process named by a fault report, if it still exists. */
    private static Optional<ProcessHandle> process(String did) {
        Matcher found = PROCESSES.matcher(did);
        assertThat(found.find()).as(did).isTrue();
        return ProcessHandle.of(Long.parseLong(found.group(1))).filter(ProcessHandle::isAlive);
    }

    private static List<ProcessHandle> members(String driver) {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> List.of(process.info().arguments().orElse(new String[0]))
                        .contains(driver))
                .toList();
    }

    private static boolean standsStill(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).startsWith("T");
        } catch (IOException e) {
            return false;
        }
    }

    /** Checks that the run lost nothing, and returns the only fault in its report. */
    private static Disturbance only(ResultsFolder results) {
        Run run = whole(results);
        assertThat(run.disturbances()).hasSize(1);
        return run.disturbances().getFirst();
    }

    private static Run whole(ResultsFolder results) {
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().duplicates()).as("%s", run.ledger()).isZero();
        assertThat(run.disturbances())
                .allSatisfy(each -> assertThat(each.lost()).isZero());
        return run;
    }

    private static ResultsFolder ended(CompletableFuture<ResultsFolder> run) throws Exception {
        return run.get(6, TimeUnit.MINUTES);
    }

    /** The short heartbeat interval lets the other member learn sooner that it is alone. */
    @Test
    @Tag("long")
    @Timeout(600)
    void memberThatIsKilled_isGone_whatItHadIsNotLost_andTheRestTakeItsPartitionsOver() throws Exception {
        String name = "killed";
        CompletableFuture<ResultsFolder> run = running(workload(name, "plain", 12, false)
                .replace("{session.timeout.ms: 6000}", "{session.timeout.ms: 6000, heartbeat.interval.ms: 500}")
                .replace("members: 2}", "members: 1}\nconsumers: 2"));
        String did = ordered(name, run, "kill", "1");
        assertThat(process(did)).as(did).isEmpty();
        assertThat(members("plain")).as("the other one").hasSize(1);
        ResultsFolder results = ended(run);
        Disturbance kill = only(results);
        Run changed = results.runs().getFirst();
        assertThat(changed.totals().metrics())
                .containsEntry("group: consumers", 2.0)
                .containsEntry("group: most partitions of a consumer", 2.0);
        assertThat(changed.flags()).contains(Flag.CHANGED);
        assertThat(changed.timeline())
                .singleElement()
                .extracting(TimelineEntry::order)
                .isEqualTo(Order.of(Map.of("kill", "1")));
        assertThat(changed.phases()).hasSize(2);
        assertThat(kill.order()).isEqualTo("kill 1");
        assertThat(kill.recoveryMillis()).as("%s", kill).isPositive();
        assertThat(kill.late()).as("%s", kill).isPositive();
        assertThat(Reports.all(results, false)).contains("what it recovered from", "kill 1");
        assertThat(Reports.lines(results)).contains("\"disturbances\":[{\"order\":\"kill 1\"");
        assertThat(Files.readString(results.path().resolve("timeline.yaml"))).contains("kill: \"1\"");
    }

    /** The faulty driver commits records before it handles them. At each kill, some committed records are unhandled. */
    @Test
    @Tag("long")
    @Timeout(600)
    void whatAKilledMemberHadCommittedAndNotHandled_isLost_andTheRunIsVoid() throws Exception {
        Path root = BenchAtCluster.checkoutWithGenerator(
                folder.resolve("ahead-checkout"), FaultyGroupDriver.class, "ahead");
        String yaml = workload("ahead", "ahead", 15, false).replace("work.millis: 1}", "work.millis: 50}")
                + "timeline: [{at: 4s, kill: 1}]\n";
        Run run = bench.run(root, yaml).runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).isPositive();
        assertThat(run.flags()).contains(Flag.GUARANTEE_BROKEN);
        assertThat(run.disturbances())
                .singleElement()
                .satisfies(
                        kill -> assertThat(kill.lost()).isEqualTo(run.ledger().lost()));
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void processesThatJoinAndLeave_areThereAndGone() throws Exception {
        String name = "scaled";
        CompletableFuture<ResultsFolder> run = running(workload(name, "plain", 600, false));
        assertThat(process(ordered(name, run, "join", "1"))).isPresent();
        assertThat(members("plain")).hasSize(3);
        assertThat(process(ordered(name, run, "leave", "1"))).isEmpty();
        assertThat(members("plain")).hasSize(2);
        assertThat(ordered(name, run, "rebalance", "true")).contains("then left: process ");
        assertThat(members("plain")).hasSize(2);
        assertThat(ordered(name, run, "end", "true")).isEqualTo("ended");
        assertThat(whole(ended(run)).disturbances())
                .extracting(Disturbance::order)
                .containsExactly("join 1", "leave 1", "rebalance true");
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void memberThatStandsStill_goesOnAfterwards() throws Exception {
        String name = "frozen";
        CompletableFuture<ResultsFolder> run = running(workload(name, "weir", 20, false));
        CompletableFuture<String> freeze = CompletableFuture.supplyAsync(() -> {
            try {
                return ordered(name, run, "freeze", "1 for 4s");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Awaitility.await()
                .atMost(4, TimeUnit.MINUTES)
                .until(() -> freeze.isDone()
                        || members("weir").stream()
                                        .filter(BenchFaultsTest::standsStill)
                                        .count()
                                == 1);
        assertThat(freeze).as("seen while it lasts").isNotDone();
        ProcessHandle frozen = process(freeze.get(2, TimeUnit.MINUTES)).orElseThrow();
        assertThat(standsStill(frozen)).isFalse();
        Disturbance cost = only(ended(run));
        assertThat(cost.longestMillis()).as("%s", cost).isGreaterThan(2_000);
        assertThat(cost.recoveryMillis()).as("%s", cost).isNotNaN();
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void networkThatIsCutSilentOrSlow_makesRecordsLate_andLosesNone() throws Exception {
        String name = "network";
        CompletableFuture<ResultsFolder> run = running(workload(name, "weir", 45, true) + """
                timeline:
                  - {at: 3s, cut: 2 for 3s}
                  - {at: 15s, silence: 2 for 3s}
                  - {at: 27s, delay: 2s for 6s}
                """);
        Run whole = whole(ended(run));
        assertThat(whole.disturbances())
                .extracting(Disturbance::order)
                .containsExactly("cut 2 for 3.000s", "silence 2 for 3.000s", "delay 2.000s for 6.000s");
        assertThat(whole.disturbances()).allSatisfy(cost -> {
            assertThat(cost.late()).as("%s", cost).isPositive();
            assertThat(cost.longestMillis()).as("%s", cost).isGreaterThan(1_500);
        });
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void backlog_comesAtOnce_andIsDrained() throws Exception {
        Run whole = whole(bench.run(workload("backlog", "plain", 20, false) + "timeline: [{at: 3s, backlog: 10s}]\n"));
        assertThat(whole.timeline().getFirst().did()).containsEntry("backlog", "1000 records more");
        assertThat(whole.ledger().expected()).as("of 21 s, and of 10 s more").isGreaterThan(3_000);
        assertThat(whole.disturbances()).hasSize(1);
        assertThat(whole.disturbances().getFirst().recoveryMillis()).isNotNaN();
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void brokerThatIsLost_comesBack_andNothingIsLostWithIt() throws Exception {
        String yaml = workload("broker", "plain", 40, false) + "timeline: [{at: 4s, lose-broker: 1 for 2s}]\n";
        Workload workload = Workload.parse("test", yaml, false);
        CampaignRunner.Settings settings = new CampaignRunner.Settings(
                Path.of(System.getProperty("weir.root")),
                folder.resolve("brokers"),
                folder.resolve("broker-results"),
                7,
                false);
        ResultsFolder results = new CampaignRunner(workload, settings, BenchAtCluster.SILENT).run();
        Disturbance cost = only(results);
        assertThat(cost.toMillis() - cost.fromMillis()).isGreaterThanOrEqualTo(2_000);
        assertThat(cost.late()).as("%s", cost).isPositive();
        assertThat(cost.recoveryMillis()).as("%s", cost).isNotNaN();
    }

    /** A slow disk delays records. A full disk ends its broker, which restarts with all its data. */
    @Test
    @Tag("long")
    @Timeout(900)
    void brokerWhoseDiskFails_comesBack_andNothingIsLostWithIt() throws Exception {
        String yaml = workload("disk", "plain", 60, false)
                + "timeline: [{at: 4s, slow-disk: 1 by 700ms for 4s}, {at: 25s, fill-disk: 1 for 3s}]\n"
                + "method.diskFaults: true\n";
        Workload workload = Workload.parse("test", yaml, false);
        CampaignRunner.Settings settings = new CampaignRunner.Settings(
                Path.of(System.getProperty("weir.root")),
                folder.resolve("brokers"),
                folder.resolve("disk-results"),
                7,
                false);
        ResultsFolder results = new CampaignRunner(workload, settings, BenchAtCluster.SILENT).run();
        Run whole = whole(results);
        assertThat(whole.ledger().lost()).isZero();
        assertThat(whole.timeline())
                .extracting(entry -> String.join(" ", entry.did().values()))
                .satisfiesExactly(
                        slow -> assertThat(slow).startsWith("broker 1, process "),
                        full -> assertThat(full)
                                .startsWith("broker 1, process ")
                                .endsWith(", which ended"));
        assertThat(whole.disturbances()).hasSize(2).allSatisfy(cost -> {
            assertThat(cost.late()).as("%s", cost).isPositive();
            assertThat(cost.longestMillis()).as("%s", cost).isGreaterThanOrEqualTo(700);
            assertThat(cost.recoveryMillis()).as("%s", cost).isNotNaN();
        });
    }
}
