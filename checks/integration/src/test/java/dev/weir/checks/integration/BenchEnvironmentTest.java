package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.environment.Place;
import dev.weir.bench.environment.Worker;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.driver.Pass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Campaigns whose processes have clocks of their own, with real processes and a real broker. */
class BenchEnvironmentTest extends BenchTestBase {
    private static final int PARTITIONS = 4;
    private static final double MOST_APART_MILLIS = 10; // a twelfth of what a clock that is half set right is wrong by

    private static Worker here(Worker.Role role, long clockAheadMillis) {
        return new Worker(new Place.Here(), "", Set.of(role), "", "", clockAheadMillis);
    }

    /**
     * Two members of one group share the partitions, the sender and the time. The quickest record of each partition takes the
     * same way however busy the machine is, so that those of both members differ by nothing but their clocks: these are 250 ms
     * apart, and the sender's is another one.
     */
    @Test
    void membersWhoseClocksAreApart_haveTheSameLeastLatency_andNothingIsLost() throws Exception {
        Measured measured = measure("clocks-apart");
        double[] least = measured.inEachPartition(0);
        assertThat(apart(least))
                .as("%s", Arrays.toString(least))
                .isLessThanOrEqualTo(MOST_APART_MILLIS + measured.clockErrorMillis());
        // What is wrong with the sender's clock is in all of them alike.
        assertThat(DoubleStream.of(least))
                .allSatisfy(millis -> assertThat(millis).isBetween(0.0, 50.0));
    }

    /** The same of the medians, and closer: where both members get the processor when they ask for it. */
    @Test
    @Tag("long")
    void membersWhoseClocksAreApart_haveTheSameMedian() throws Exception {
        double[] medians = measure("medians-apart").inEachPartition(50);
        assertThat(apart(medians)).as("%s", Arrays.toString(medians)).isLessThanOrEqualTo(2);
        assertThat(DoubleStream.of(medians))
                .allSatisfy(millis -> assertThat(millis).isBetween(0.0, 50.0));
    }

    /** A run of two members whose clocks are 250 ms apart, which loses nothing. */
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

    /** A hold at the highest rate that may be asked for, and what it says of the members' place. */
    @Test
    @Tag("long")
    @Timeout(600)
    void search_tellsOfTheMembersPlace_andOfTheirClocks() throws Exception {
        Path program = Files.writeString(folder.resolve("ssh"), """
                #!/bin/sh
                while [ "$1" != -- ]; do shift; done
                shift 2
                exec sh -c "$*"
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Worker far = new Worker(
                new Place.Ssh(program.toString(), "h1", List.of()),
                "",
                Set.of(Worker.Role.DRIVER),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("weir.root"),
                250);
        BenchEnvironment apart =
                new BenchEnvironment("apart", null, List.of(here(Worker.Role.GENERATOR, -90_000), far));
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
