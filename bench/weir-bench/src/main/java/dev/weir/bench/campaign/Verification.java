package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.fill.FillPlan;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Failures;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.PartitionTurns;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Verifies each driver of a campaign in a dry run, unless the driver's current build has already passed with these
 * settings. Confined to one thread.
 */
final class Verification {
    private static final long RECORDS = 100_000;

    // Number of records in the dry run of a slow scenario, with at least a millisecond per record.
    private static final long SLOW_RECORDS = 300;
    private static final Set<Scenario> SLOW =
            Set.of(Scenario.WORK, Scenario.AT_MOST_ONCE, Scenario.FLOW_CONTROL, Scenario.PIPELINE);

    // Scenarios in which drivers commit finished records. The dry run verifies the committed offsets.
    private static final Set<Scenario> COMMITTING =
            Set.of(Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE, Scenario.WORK, Scenario.PIPELINE, Scenario.COPY);

    private final Workload workload;
    private final CampaignBrokers brokers;
    private final CampaignTopics topics;
    private final DriverLauncher launcher;
    private final DryRuns dryRuns;

    Verification(
            Workload workload,
            CampaignBrokers brokers,
            CampaignTopics topics,
            DriverLauncher launcher,
            DryRuns dryRuns) {
        this.workload = workload;
        this.brokers = brokers;
        this.topics = topics;
        this.launcher = launcher;
        this.dryRuns = dryRuns;
    }

    /**
     * Returns the greeting of each driver, by name.
     *
     * @param doing receives the name of the current driver
     * @param log output file of the drivers' processes
     * @throws BenchException if a driver fails, or the campaign is stopped
     */
    Map<String, Report.Hello> run(Consumer<String> doing, Path log) throws InterruptedException {
        Map<String, Report.Hello> hellos = new LinkedHashMap<>();
        for (WorkloadPoint point : verifiedPoints()) {
            for (String driver : workload.drivers()) {
                doing.accept("verifying " + driver);
                hellos.put(driver, verified(driver, point, log));
            }
        }
        return hellos;
    }

    /** The handler order and optional features that a point requires. */
    private record Wish(HandlerOrder order, Set<Feature> features) {}

    /** Returns the first point for each combination of handler order and optional features. */
    private Iterable<WorkloadPoint> verifiedPoints() {
        Map<Wish, WorkloadPoint> first = new LinkedHashMap<>();
        workload.points().forEach(point -> first.putIfAbsent(new Wish(point.ordering(), point.features()), point));
        return first.values();
    }

    private Report.Hello verified(String driver, WorkloadPoint point, Path log) throws InterruptedException {
        BenchCluster cluster = brokers.at(point);
        String key = DryRuns.key(driver, launcher.entry(driver), point) + cluster.id();
        Report.Hello passed = launcher.isHere() ? dryRuns.passed(key) : null; // always verifies a remote driver
        if (passed != null) {
            return passed;
        }
        boolean slow = SLOW.contains(point.scenario()) || point.hasSlowSink();
        long perPartition = Math.max(1, (slow ? SLOW_RECORDS : RECORDS) / point.partitions());
        String topic = topics.topic(point, perPartition, log);
        try (DriverProcess process = launcher.start(driver, point.heapMegabytes(), log)) {
            Report.Hello hello =
                    verified(cluster, new DriverSession(process, cluster, point), point, topic, perPartition);
            if (launcher.isHere()) {
                dryRuns.keep(key, hello);
            }
            return hello;
        } catch (RunFailure e) {
            cluster.requireBrokers(); // throws if a broker has ended, which explains the driver's failure
            throw new BenchException("driver " + driver + " does not pass the dry run of "
                    + point.scenario().label() + ": " + e.getMessage() + "; its log is " + log);
        }
    }

    /**
     * Makes the driver process the topic once, and returns the driver's greeting. The driver must deliver each record
     * once and in order, and must commit if the scenario requires it.
     */
    private Report.Hello verified(
            BenchCluster cluster, DriverSession driver, WorkloadPoint point, String topic, long recordsPerPartition)
            throws InterruptedException {
        Report.Hello hello = driver.hello();
        driver.configure(topic, recordsPerPartition);
        String group = driver.start(0, (double) DriverSession.PATIENCE.toSeconds());
        Report.Passed passed = driver.passed();
        Report.Passed written = cluster.written().copied(point, topic, recordsPerPartition, group, passed);
        LedgerFigures ledger = cluster.written().checked(point, topic, written.ledger());
        if (!passed.complete() && !ledger.isBroken()) {
            throw new RunFailure("it delivered " + ledger.distinct() + " of " + recordsPerPartition * point.partitions()
                    + " records within " + DriverSession.PATIENCE.toSeconds() + " s");
        }
        if (ledger.isBroken()) {
            String found = cluster.written().numbers(point, topic, recordsPerPartition);
            throw new RunFailure("it did not deliver each of " + recordsPerPartition * point.partitions()
                    + " records once and in order: " + ledger + (found.isEmpty() ? "" : "; " + found));
        }
        long failures = Failures.inAll(point.failures(), point.partitions(), recordsPerPartition);
        if (ledger.retried() != failures) {
            throw new RunFailure("it called handlers again " + ledger.retried() + " times, where " + failures
                    + " calls were to fail");
        }
        double strays = passed.client().getOrDefault(PartitionTurns.STRAYS, 0.0);
        if (strays > 0) {
            throw new RunFailure("it delivered " + (long) strays + " records of partitions that were paused");
        }
        if (COMMITTING.contains(point.scenario())
                && !cluster.groups().committedAll(group, topic, FillPlan.of(point, recordsPerPartition))) {
            throw new RunFailure("it did not commit all that it delivered");
        }
        return hello;
    }
}
