package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.Place;
import dev.weir.bench.environment.Worker;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderSender;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.driver.Pass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests campaigns whose processes have separate clocks, with real processes and a real broker. */
class BenchEnvironmentTest extends BenchTestBase {
    private static final int PARTITIONS = 4;
    private static final double MOST_APART_MILLIS = 10; // a half-corrected clock would be 125 ms wrong

    private static Worker here(Worker.Role role, long clockAheadMillis) {
        return new Worker(new Place.Here(), "", Set.of(role), "", "", clockAheadMillis);
    }

    /** Returns an environment whose sender runs here, with its own clock. A stand-in for ssh starts the drivers. */
    private static BenchEnvironment apart() throws IOException {
        return apart(Path.of(System.getProperty("weir.root")));
    }

    /** Returns the same environment with the drivers built below {@code root}. */
    private static BenchEnvironment apart(Path root) throws IOException {
        Path program = folder.resolve("ssh");
        if (!Files.exists(program)) {
            Files.writeString(program, """
                    #!/bin/sh
                    while [ "$1" != -- ]; do shift; done
                    shift 2
                    exec sh -c "$*"
                    """);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        }
        Worker far = new Worker(
                new Place.Ssh(program.toString(), "h1", List.of()),
                "",
                Set.of(Worker.Role.DRIVER),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                root.toString(),
                250);
        return new BenchEnvironment("apart", null, List.of(here(Worker.Role.GENERATOR, -90_000), far));
    }

    private static CompletableFuture<ResultsFolder> running(String yaml) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return bench.run(apart(), yaml);
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Sends a command as soon as the run accepts commands. The run must still be running afterwards. */
    private static Answer ordered(String name, CompletableFuture<ResultsFolder> run, Order order) throws Exception {
        Path results = folder.resolve(name);
        Awaitility.await().atMost(4, TimeUnit.MINUTES).until(() -> run.isDone() || OrderSender.to(results) != null);
        if (run.isDone()) {
            assertThat(run.get().runs().getFirst().failure()).as("goes on").isNull();
        }
        Answer answer =
                Objects.requireNonNull(OrderSender.to(results), "it is over").send(order);
        assertThat(answer).as("answer to %s", order).isNotNull();
        assertThat(Objects.requireNonNull(answer).error()).as("%s", order).isNull();
        return answer;
    }

    private static Run whole(ResultsFolder results) {
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
        assertThat(run.ledger().duplicates()).as("%s", run.ledger()).isZero();
        return run;
    }

    /** The driver's files cannot be read from here, so it reports its deliveries at its end. */
    @Test
    @Tag("long")
    @Timeout(600)
    void steadyRun_whoseDriverIsElsewhere_isChanged_andLosesNothing() throws Exception {
        CompletableFuture<ResultsFolder> run = running("""
                name: steady-apart
                scenario: steady
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 600, live: true}
                """);
        List<Order> session = List.of(
                new Order.Set(Map.of("producerRate", "300")),
                new Order.DiscardStats(),
                new Order.Pause(2_000),
                new Order.Extend(60_000));
        for (Order order : session) {
            assertThat(ordered("steady-apart", run, order).applied()).isNotEmpty();
        }
        assertThat(ordered("steady-apart", run, new Order.End()).applied()).containsKey("end");
        Run changed = whole(run.get(5, TimeUnit.MINUTES));
        assertThat(changed.flags()).contains(Flag.CHANGED).doesNotContain(Flag.GUARANTEE_BROKEN);
        assertThat(changed.timeline()).hasSize(session.size() + 1);
        assertThat(changed.ledger().expected()).as("the pause alone has 600").isGreaterThan(600);
        assertThat(Objects.requireNonNull(changed.totals()).metrics()).containsKey(DriverSession.CLOCK_ERROR);
    }

    /** Returns a workload. Its run takes as long as planned on any machine. */
    private static String group(String name, String driver, String method, String timeline) {
        return """
                name: NAME
                scenario: work
                drivers: [DRIVER]
                baseline: DRIVER
                topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 100}
                client: {session.timeout.ms: 6000}
                options: {ordering: none, concurrency: 2, work.millis: 1}
                target: p90<=1s
                explore: {members: 2}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1, METHOD}
                timeline: [TIMELINE]
                """.replace("NAME", name)
                .replace("DRIVER", driver)
                .replace("METHOD", method)
                .replace("TIMELINE", timeline);
    }

    /** The killed member reports nothing more. Its deliveries are in a file on its machine. */
    @Test
    @Tag("long")
    @Timeout(600)
    void memberElsewhereThatIsKilled_isGone_andWhatItHadIsNotLost() throws Exception {
        ResultsFolder results = bench.run(
                apart(),
                group("killed-apart", "plain", "measureSeconds: 20", "{at: 2s, freeze: 1 for 1s}, {at: 6s, kill: 1}"));
        Run run = whole(results);
        assertThat(run.disturbances()).extracting(Disturbance::order).containsExactly("freeze 1 for 1.000s", "kill 1");
        Disturbance kill = run.disturbances().getLast();
        assertThat(kill.recoveryMillis()).as("%s", kill).isPositive();
        assertThat(kill.late()).as("%s", kill).isPositive();
        assertThat(kill.lost()).isZero();
        assertThat(kill.again()).as("nobody counts it").isEqualTo(Interval.UNKNOWN);
        assertThat(Reports.lines(results)).contains("\"order\":\"kill 1\"").contains("\"again\":null");
        String did = Objects.requireNonNull(run.timeline().getLast().did().get("kill"));
        assertThat(ProcessHandle.of(Long.parseLong(did.substring("process ".length())))
                        .filter(ProcessHandle::isAlive))
                .as(did)
                .isEmpty();
    }

    /** The faulty driver commits records before it handles them. At each kill, some committed records are unhandled. */
    @Test
    @Tag("long")
    @Timeout(600)
    void whatAKilledMemberElsewhereHadCommittedAndNotHandled_isLost() throws Exception {
        Path root = BenchAtCluster.checkoutWithGenerator(
                folder.resolve("ahead-apart-checkout"), FaultyGroupDriver.class, "ahead");
        String yaml = group("ahead-apart", "ahead", "measureSeconds: 15", "{at: 4s, kill: 1}")
                .replace("work.millis: 1}", "work.millis: 50}");
        Run run = bench.run(root, apart(root), yaml).runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isBetween(1L, 500L);
        assertThat(run.flags()).contains(Flag.GUARANTEE_BROKEN);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void networkElsewhereThatIsCutSilentOrSlow_makesRecordsLate_andLosesNone() throws Exception {
        Run run = whole(bench.run(
                apart(),
                group(
                        "network-apart",
                        "weir",
                        "measureSeconds: 45, proxy: true",
                        "{at: 3s, cut: 2 for 3s}, {at: 15s, silence: 2 for 3s}, {at: 27s, delay: 2s for 6s}")));
        assertThat(run.disturbances())
                .extracting(Disturbance::order)
                .containsExactly("cut 2 for 3.000s", "silence 2 for 3.000s", "delay 2.000s for 6.000s");
        assertThat(run.disturbances()).allSatisfy(cost -> {
            assertThat(cost.late()).as("%s", cost).isPositive();
            assertThat(cost.longestMillis()).as("%s", cost).isGreaterThan(1_500);
        });
    }

    /** Returns the full command line. {@link ProcessHandle} truncates it. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException e) { // It has ended since.
            return "";
        }
    }

    /** The network process of a member ends, so the member leaves the group. */
    @Test
    @Tag("long")
    @Timeout(600)
    void networkElsewhereThatEndsUnasked_failsTheRun() throws Exception {
        CompletableFuture<ResultsFolder> run =
                running(group("network-gone", "plain", "measureSeconds: 600, proxy: true", ""));
        assertThat(ordered("network-gone", run, new Order.DiscardStats()).applied())
                .isNotEmpty();
        ProcessHandle proxy = ProcessHandle.current()
                .descendants()
                .filter(process -> commandLine(process).contains("ProxyDriver"))
                .findFirst()
                .orElseThrow();
        assertThat(proxy.destroyForcibly()).isTrue();
        assertThat(run.get(1, TimeUnit.MINUTES).runs().getFirst().failure())
                .contains("driver proxy at ssh h1 failed: its process ended");
    }

    /** The output is read where the generators run. */
    @Test
    @Tag("long")
    @Timeout(600)
    void copyByPlan_whoseMembersAreElsewhere_losesNothing() throws Exception {
        Run run = whole(bench.run(apart(), """
                name: copy-apart
                scenario: copy
                drivers: [plain]
                baseline: plain
                topic: {partitions: 4, valueBytes: 50, recordsPerSecond: 200}
                explore: {members: 2}
                timeline: [{at: 3s, restart-consumers: 50%}]
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 1,
                  measureSeconds: 8}
                """));
        assertThat(run.ledger().expected()).as("8 s").isGreaterThan(1_600);
        assertThat(run.flags()).contains(Flag.CHANGED).doesNotContain(Flag.GUARANTEE_BROKEN);
        assertThat(run.disturbances())
                .singleElement()
                .satisfies(cost -> assertThat(cost.lost()).isZero());
    }

    /** Two members have clocks that are 250 ms apart. Their lowest latencies differ only by clock errors. */
    @Test
    @Tag("long")
    void membersWhoseClocksAreApart_haveTheSameLeastLatency_andNothingIsLost() throws Exception {
        Measured measured = measure("clocks-apart");
        double[] least = measured.inEachPartition(0);
        assertThat(apart(least))
                .as("%s", Arrays.toString(least))
                .isLessThanOrEqualTo(MOST_APART_MILLIS + measured.clockErrorMillis());
        // An error of the sender's clock affects all members equally.
        assertThat(DoubleStream.of(least))
                .allSatisfy(millis -> assertThat(millis).isBetween(0.0, 50.0));
    }

    /** Compares the medians, with a smaller tolerance. Needs a processor for each member. */
    @Test
    @Tag("long")
    void membersWhoseClocksAreApart_haveTheSameMedian() throws Exception {
        double[] medians = measure("medians-apart").inEachPartition(50);
        assertThat(apart(medians)).as("%s", Arrays.toString(medians)).isLessThanOrEqualTo(2);
        assertThat(DoubleStream.of(medians))
                .allSatisfy(millis -> assertThat(millis).isBetween(0.0, 50.0));
    }

    /** Measures a run of two members whose clocks are 250 ms apart, and checks that it loses nothing. */
    private Measured measure(String name) throws Exception {
        BenchEnvironment apart = new BenchEnvironment(
                "apart",
                null,
                List.of(
                        here(Worker.Role.GENERATOR, -90_000),
                        here(Worker.Role.DRIVER, 0),
                        here(Worker.Role.DRIVER, 250)));
        ResultsFolder folder = bench.run(apart, """
                name: %s
                scenario: work
                drivers: [plain]
                baseline: plain
                topic: {partitions: %d, valueBytes: 50, recordsPerSecond: 400}
                options: {ordering: partition, concurrency: 1, work.millis: 0}
                explore: {members: 2}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 500, maxWarmUpSeconds: 2,
                  measureSeconds: 5}
                """.formatted(name, PARTITIONS));
        Run run = folder.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).isZero();
        assertThat(run.ledger().duplicates()).isZero();
        Map<String, Double> metrics = Objects.requireNonNull(run.totals()).metrics();
        assertThat(metrics.get(DriverSession.CLOCK_ERROR)).as("%s", metrics).isBetween(0.0, 50.0);
        assertThat(folder.campaign().environment().settings())
                .containsEntry(
                        "environment.workers",
                        "this machine (generator), this machine (driver), this machine (driver)");
        return new Measured(
                folder.latencyIntervals(run.key()), Objects.requireNonNull(metrics.get(DriverSession.CLOCK_ERROR)));
    }

    private record Measured(List<Histogram> intervals, double clockErrorMillis) {

        double[] inEachPartition(double percentile) {
            return IntStream.range(0, PARTITIONS)
                    .mapToDouble(partition -> millis(LatencyTags.responseOfPartition(partition), percentile))
                    .toArray();
        }

        private double millis(String tag, double percentile) {
            Histogram sum = new Histogram(3);
            intervals.stream().filter(each -> tag.equals(each.getTag())).forEach(sum::add);
            assertThat(sum.getTotalCount()).as(tag).isGreaterThan(500);
            return sum.getValueAtPercentile(percentile) / 1e6;
        }
    }

    private static double apart(double[] millis) {
        return DoubleStream.of(millis).max().orElseThrow()
                - DoubleStream.of(millis).min().orElseThrow();
    }

    /** The search reaches the highest permitted rate. Its report must name the members' host. */
    @Test
    @Tag("long")
    @Timeout(600)
    void search_tellsOfTheMembersPlace_andOfTheirClocks() throws Exception {
        BenchEnvironment apart = apart();
        Explored explored = bench.explore(apart, """
                name: search-apart
                scenario: work
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50}
                options: {ordering: partition, concurrency: 1, work.millis: 0}
                target: p50<=2s
                explore: {members: 2, startRate: 50, maxRate: 50, warmUpSeconds: 1, stepSeconds: 2, holdSeconds: 4,
                  pauseSeconds: 0.5, recoverySeconds: 4, maxSeconds: 300}
                method: {heapMegabytes: 64, intervalMillis: 250}
                """);
        assertThat(explored.finding().low()).as("%s", explored).isBetween(40.0, 50.0);
        Run hold = ResultsFolder.open(folder.resolve("search-apart")).runs().getFirst();
        Map<String, Double> metrics = Objects.requireNonNull(hold.totals()).metrics();
        assertThat(metrics).containsKeys("host: busy % at ssh h1", "host: busy % at this machine");
        assertThat(metrics.get(DriverSession.CLOCK_ERROR)).as("%s", metrics).isBetween(0.0, 50.0);
        assertThat(metrics.getOrDefault(Pass.EARLIEST_MILLIS, 0.0)).isBetween(-50.0, 0.0);
    }
}
