package dev.weir.bench.run;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Pass;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs a campaign: verifies each driver, then round by round each driver at each point, in an order drawn anew per round.
 * {@link #run} belongs to one thread; {@link #stop} is for any.
 */
public final class CampaignRunner {
    /** Added to the name of the baseline for its second run of a round. */
    public static final String CONTROL_SUFFIX = "-again";

    private static final long VERIFIED_RECORDS = 100_000;

    // Where each record takes a millisecond or more.
    private static final long VERIFIED_SLOW_RECORDS = 300;
    private static final Set<Scenario> SLOW = Set.of(Scenario.WORK, Scenario.AT_MOST_ONCE, Scenario.FLOW_CONTROL);

    private final Workload workload;
    private final Settings settings;
    private final CampaignListener listener;
    private final List<String> drivers;
    private final DryRuns dryRuns;

    private final long startedNanos = System.nanoTime();

    private volatile boolean isStopped;
    private volatile @Nullable DriverProcess current;

    /**
     * Where things are. Immutable.
     *
     * @param root the checkout, where the drivers were built
     * @param data where brokers keep filled topics between campaigns
     * @param results the folder of this campaign: new, or that of an interrupted one
     * @param seed draws the order
     * @param resume whether {@code results} holds what is to be finished
     */
    public record Settings(Path root, Path data, Path results, long seed, boolean resume) {}

    public CampaignRunner(Workload workload, Settings settings, CampaignListener listener) {
        this.workload = workload;
        this.settings = settings;
        this.listener = listener;
        this.dryRuns = new DryRuns(settings.data().resolve("dry-runs"));
        this.drivers = new ArrayList<>(workload.drivers());
        if (workload.control()) {
            drivers.add(workload.baseline() + CONTROL_SUFFIX);
        }
    }

    /** Ends the campaign soon: what is finished is kept, the run under way is not. */
    public void stop() {
        isStopped = true;
        DriverProcess process = current;
        if (process != null) {
            process.kill();
        }
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return isStopped;
    }

    /**
     * Does what is left to do and returns the folder.
     *
     * @throws BenchException if the campaign cannot go on
     */
    public ResultsFolder run() throws InterruptedException {
        DriverCatalog catalog = DriverCatalog.ofCheckout(settings.root());
        workload.drivers().forEach(catalog::entry);
        int brokers = workload.points().get(0).brokers();
        if (workload.points().stream().anyMatch(point -> point.brokers() != brokers)) {
            throw new BenchException(
                    "brokers cannot vary within a campaign yet: write a workload file for each number");
        }
        listener.status("starting " + brokers + (brokers == 1 ? " broker" : " brokers"), 0, total(), null);
        try (BenchCluster cluster = BenchCluster.start(settings.data(), brokers, () -> isStopped)) {
            ResultsFolder folder = settings.resume() ? ResultsFolder.open(settings.results()) : begin(catalog, cluster);
            for (WorkloadPoint point : workload.points()) {
                if (!isStopped && point.scenario() != Scenario.PRODUCE) {
                    listener.status("filling the topic of " + point.id(), 0, total(), null);
                    cluster.topic(point, point.recordsPerPartition());
                }
            }
            runs(catalog, cluster, folder);
            return folder;
        }
    }

    private int total() {
        return workload.rounds() * workload.points().size() * drivers.size();
    }

    private ResultsFolder begin(DriverCatalog catalog, BenchCluster cluster) throws InterruptedException {
        Map<String, Report.Hello> hellos = new LinkedHashMap<>();
        Path log = temporaryLog();
        for (WorkloadPoint point : verifiedPoints()) {
            for (String driver : workload.drivers()) {
                if (isStopped) {
                    throw new BenchException("stopped before the first run; nothing is kept");
                }
                listener.status("verifying " + driver, 0, total(), null);
                hellos.put(driver, verify(catalog, cluster, driver, point, log));
            }
        }
        Campaign campaign = campaign(catalog, cluster, hellos);
        ResultsFolder folder = ResultsFolder.create(settings.results(), campaign);
        moveInto(folder, log);
        return folder;
    }

    /** The first point of each order that is asked for. */
    private Iterable<WorkloadPoint> verifiedPoints() {
        Map<Pass.Order, WorkloadPoint> first = new EnumMap<>(Pass.Order.class);
        workload.points().forEach(point -> first.putIfAbsent(point.ordering(), point));
        return first.values();
    }

    private Report.Hello verify(
            DriverCatalog catalog, BenchCluster cluster, String driver, WorkloadPoint point, Path log)
            throws InterruptedException {
        String key = DryRuns.key(driver, catalog.entry(driver), point);
        Report.Hello passed = dryRuns.passed(key);
        if (passed != null) {
            return passed;
        }
        boolean slow = SLOW.contains(point.scenario()) || point.hasSlowSink();
        long perPartition = Math.max(1, (slow ? VERIFIED_SLOW_RECORDS : VERIFIED_RECORDS) / point.partitions());
        String topic = cluster.topic(point, perPartition);
        try (DriverProcess process = start(catalog, driver, point, log)) {
            Report.Hello hello = Measurement.verify(process, cluster, point, topic, perPartition);
            dryRuns.keep(key, hello);
            return hello;
        } catch (RunFailure e) {
            throw new BenchException("driver " + driver + " does not pass the dry run of "
                    + point.scenario().label() + ": " + e.getMessage() + "; its log is " + log);
        } finally {
            current = null;
        }
    }

    private static Path temporaryLog() {
        try {
            return Files.createTempFile("weir-bench-verify-", ".log");
        } catch (IOException e) {
            throw new BenchException("no temporary file: " + e, e);
        }
    }

    private static void moveInto(ResultsFolder folder, Path log) {
        try {
            Files.move(log, folder.path().resolve("logs").resolve("verify.log"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new BenchException("cannot move " + log + " into " + folder.path() + ": " + e, e);
        }
    }

    private Campaign campaign(DriverCatalog catalog, BenchCluster cluster, Map<String, Report.Hello> hellos) {
        List<Driver> described = new ArrayList<>();
        Map<String, String> versions = new TreeMap<>();
        for (String name : drivers) {
            Report.Hello hello = hellos.get(name.replace(CONTROL_SUFFIX, ""));
            if (hello == null) {
                throw new IllegalStateException("no hello of " + name);
            }
            String library = catalog.entry(hello.driver()).library();
            String version = version(hello, library) + ", " + version(hello, "kafka-clients");
            versions.put(name, version);
            Map<String, String> own = new TreeMap<>(workload.points().get(0).client());
            own.put("jvm.arguments", String.join(" ", hello.arguments()));
            own.put("class.path", String.join(" ", hello.libraries()));
            described.add(new Driver(name, version, own));
        }
        List<Point> points = workload.points().stream()
                .map(point -> new Point(point.id(), point.scenario().label(), point.dimensions()))
                .toList();
        return new Campaign(
                String.valueOf(settings.results().getFileName()),
                workload.name(),
                workload.text(),
                workload.baseline(),
                workload.control() ? workload.baseline() + CONTROL_SUFFIX : null,
                workload.rounds(),
                settings.seed(),
                described,
                points,
                EnvironmentProbe.read(settings.root(), versions, cluster.settings()));
    }

    private static String version(Report.Hello hello, String library) {
        return hello.libraries().stream()
                .filter(jar -> jar.startsWith(library + "-"))
                .map(jar -> jar.substring(0, jar.length() - ".jar".length()))
                .findFirst()
                .orElse(library + " (this checkout)");
    }

    /** The workload of a campaign that is to be finished. */
    public static Workload workloadOf(Campaign campaign) {
        List<String> names = campaign.drivers().stream()
                .map(Driver::name)
                .filter(name -> !name.equals(campaign.control()))
                .toList();
        return Workload.ofText(campaign.workload())
                .withDrivers(names)
                .withRounds(campaign.rounds(), campaign.control() != null);
    }

    /** A folder name for a new campaign, such as {@code plain-consumer-quick-20261121-021051}. */
    public static String newId(Workload workload) {
        return workload.name()
                + (workload.isQuick() ? "-quick-" : "-")
                + LocalDateTime.now(ZoneId.systemDefault())
                        .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT));
    }

    private record Step(WorkloadPoint point, String driver, int round) {
        Run.Key key() {
            return new Run.Key(point.id(), driver, round);
        }
    }

    /** All runs in their order: points and, within a point, drivers are drawn anew in each round. */
    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (int round = 0; round < workload.rounds(); round++) {
            Random random = new Random(settings.seed() + round);
            List<WorkloadPoint> points = new ArrayList<>(workload.points());
            Collections.shuffle(points, random);
            for (WorkloadPoint point : points) {
                List<String> shuffled = new ArrayList<>(drivers);
                Collections.shuffle(shuffled, random);
                for (String driver : shuffled) {
                    steps.add(new Step(point, driver, round));
                }
            }
        }
        return steps;
    }

    private void runs(DriverCatalog catalog, BenchCluster cluster, ResultsFolder folder) throws InterruptedException {
        List<Step> steps = steps();
        long begunNanos = System.nanoTime();
        int doneBefore = 0;
        int done = 0;
        int perRound = workload.points().size() * drivers.size();
        for (int order = 0; order < steps.size() && !isStopped; order++) {
            Step step = steps.get(order);
            if (order % perRound == 0
                    && done > doneBefore
                    && isTimeUp(begunNanos, (double) perRound / (done - doneBefore))) {
                listener.note(
                        "time is up: " + step.round() + " of " + workload.rounds() + " rounds; the rest by --resume");
                return;
            }
            if (folder.isDone(step.key())) {
                done++;
                doneBefore++;
                continue;
            }
            Duration remaining = done == doneBefore
                    ? null
                    : Duration.ofNanos((System.nanoTime() - begunNanos) / (done - doneBefore) * (steps.size() - done));
            listener.status(
                    step.driver() + " at " + step.point().id() + ", round " + (step.round() + 1),
                    done,
                    steps.size(),
                    remaining);
            Run run = run(catalog, cluster, folder, step, order);
            if (!isStopped) {
                folder.append(run, List.of());
                done++;
                listener.finished(run, done, steps.size());
            }
        }
    }

    /** Whether one more round, of so many times what was done since {@code begunNanos}, would take too long. */
    private boolean isTimeUp(long begunNanos, double roundShare) {
        long now = System.nanoTime();
        double wouldTakeSeconds = (now - startedNanos + (now - begunNanos) * roundShare) / 1e9;
        return wouldTakeSeconds > workload.points().get(0).seconds("maxSeconds");
    }

    private Run run(DriverCatalog catalog, BenchCluster cluster, ResultsFolder folder, Step step, int order)
            throws InterruptedException {
        long startedAtMillis = System.currentTimeMillis();
        String driver = step.driver().replace(CONTROL_SUFFIX, "");
        long seed = settings.seed() + step.round();
        String topic = cluster.topic(step.point(), step.point().recordsPerPartition());
        try (DriverProcess process = start(catalog, driver, step.point(), folder.log(step.key()))) {
            return new Measurement(process, cluster, step.point(), driver.equals(workload.baseline()))
                    .run(topic, step.driver(), step.round(), order, seed);
        } catch (RunFailure e) {
            return Run.failed(
                    step.point().id(),
                    step.driver(),
                    step.round(),
                    order,
                    seed,
                    startedAtMillis,
                    System.currentTimeMillis(),
                    String.valueOf(e.getMessage()));
        } finally {
            current = null;
            cluster.deleteSink(topic);
        }
    }

    private DriverProcess start(DriverCatalog catalog, String driver, WorkloadPoint point, Path log) {
        DriverProcess process = DriverProcess.start(driver, catalog.entry(driver), point.heapMegabytes(), log);
        current = process;
        return process;
    }
}
