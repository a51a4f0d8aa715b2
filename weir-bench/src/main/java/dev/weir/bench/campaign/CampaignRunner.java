package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.measurement.Measured;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs a campaign: verifies each driver, then round by round each driver at each point, in an order drawn anew per round.
 * {@link #run} belongs to one thread; {@link #stop} is for any.
 */
public final class CampaignRunner {
    /** Added to the name of the baseline for its second run of a round. */
    public static final String CONTROL_SUFFIX = "-again";

    private static final String VERIFY_LOG = "verify.log";
    private static final String FILL_LOG = "fill.log";
    private static final String WARM_LOG = "warm.log";

    private final Workload workload;
    private final Settings settings;
    private final CampaignListener listener;
    private final List<String> drivers;
    private final DriverLauncher launcher;
    private final RunMeasurements measurements;

    private final long startedNanos = System.nanoTime();

    /**
     * Where things are. Immutable.
     *
     * @param root the checkout, where the drivers were built
     * @param data where brokers keep filled topics between campaigns
     * @param results the folder of this campaign: new, or that of an interrupted one
     * @param seed draws the order
     * @param resume whether {@code results} holds what is to be finished
     * @param cluster whose brokers it reads from; null to fork some
     * @param environment where its processes run
     */
    public record Settings(
            Path root,
            Path data,
            Path results,
            long seed,
            boolean resume,
            @Nullable ExistingCluster cluster,
            BenchEnvironment environment) {

        /** On this machine. */
        public Settings(
                Path root, Path data, Path results, long seed, boolean resume, @Nullable ExistingCluster cluster) {
            this(root, data, results, seed, resume, cluster, BenchEnvironment.HERE);
        }

        /** On this machine, with brokers that are forked. */
        public Settings(Path root, Path data, Path results, long seed, boolean resume) {
            this(root, data, results, seed, resume, null);
        }
    }

    /** Throws {@link BenchException} if no drivers are built in the checkout, or the baseline cannot reach the brokers. */
    public CampaignRunner(Workload workload, Settings settings, CampaignListener listener) {
        this.settings = settings;
        this.listener = listener;
        this.launcher = new DriverLauncher(DriverCatalog.below(settings.root()), settings.environment());
        this.workload = reaching(workload, settings.cluster());
        this.measurements = new RunMeasurements(this.workload, settings, listener, launcher);
        CampaignBrokers.check(workload.points(), settings.cluster());
        this.drivers = new ArrayList<>(this.workload.drivers());
        if (workload.control()) {
            drivers.add(workload.baseline() + CONTROL_SUFFIX);
        }
    }

    /** The same without drivers that do not speak what a secured cluster speaks. */
    private Workload reaching(Workload all, @Nullable ExistingCluster cluster) {
        if (cluster == null || !cluster.isSecured()) {
            return all;
        }
        List<String> reaching = new ArrayList<>();
        for (String driver : all.drivers()) {
            if (!launcher.entry(driver).speaksPlaintextOnly()) {
                reaching.add(driver);
            } else if (driver.equals(all.baseline())) {
                throw new BenchException("the baseline " + driver + " does not speak " + cluster.protocol()
                        + ": name another one in the workload file");
            } else {
                listener.note("driver " + driver + " is left out: it does not speak " + cluster.protocol());
            }
        }
        return all.withDrivers(reaching);
    }

    /** Ends the campaign soon: what is finished is kept, the run under way is not. */
    public void stop() {
        launcher.stop();
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return launcher.isStopped();
    }

    /**
     * Does what is left to do and returns the folder.
     *
     * @throws BenchException if the campaign cannot go on
     */
    public ResultsFolder run() throws InterruptedException {
        workload.drivers().forEach(this::requireFit);
        if (settings.resume()) {
            requireSamePlaces(ResultsFolder.open(settings.results()).campaign());
        } else {
            ResultsFolder.requireNew(settings.results());
        }
        launcher.open(workload.drivers(), this::doing);
        try (DriverLauncher processes = launcher;
                CampaignBrokers brokers = brokers()) {
            CampaignTopics topics = new CampaignTopics(brokers, processes);
            ResultsFolder folder = folder(brokers, topics);
            try {
                fill(topics, folder);
                runs(brokers, topics, folder);
            } catch (BenchException e) {
                if (!isStopped()) {
                    throw e;
                }
                // What was under way was ended by that; the folder is whole without it.
            }
            return folder;
        }
    }

    private void requireFit(String driver) {
        if (launcher.entry(driver).joinsNoGroup() && workload.points().stream().anyMatch(WorkloadPoint::copiesByPlan)) {
            throw new BenchException("driver " + driver + " joins no group, to which a planned rate is sent:"
                    + " leave it out by --drivers, or topic.recordsPerSecond");
        }
    }

    private CampaignBrokers brokers() {
        ExistingCluster existing = settings.cluster();
        if (existing != null
                && workload.points().stream().anyMatch(WorkloadPoint::usesProxy)
                && (existing.isSecured() || existing.bootstrapServers().contains("["))) {
            throw new BenchException(
                    "method.proxy is for brokers without TLS and SASL that have IPv4 addresses or names:"
                            + " leave it out, or let the campaign start its own brokers");
        }
        CampaignBrokers brokers =
                new CampaignBrokers(settings.data(), existing, this::doing, listener::note, launcher::isStopped);
        if (existing != null && workload.points().stream().anyMatch(WorkloadPoint::countsFetches)) {
            listener.note("fetches are not counted (method.countFetches): brokers that are there already do not tell");
        }
        return brokers;
    }

    /** What goes on before and between runs. */
    private void doing(String what) {
        listener.status(what, 0, workload.rounds() * workload.points().size() * drivers.size(), null);
    }

    /** The campaign's folder, once its drivers have shown, as they are built now, that they do what is asked. */
    private ResultsFolder folder(CampaignBrokers brokers, CampaignTopics topics) throws InterruptedException {
        BenchCluster cluster = brokers.at(workload.points().get(0));
        Verification verification = new Verification(
                workload, brokers, topics, launcher, new DryRuns(settings.data().resolve("dry-runs")));
        try {
            if (settings.resume()) {
                ResultsFolder folder = ResultsFolder.open(settings.results());
                requireSameCluster(folder.campaign(), cluster);
                CampaignDescription.requireSameTraces(folder.campaign(), workload);
                CampaignDescription.requireSameValues(
                        folder.campaign(), cluster.topics().valueDigests(workload.points()));
                verification.run(this::doing, log(folder, VERIFY_LOG));
                noteOtherSources(folder.campaign());
                return folder;
            }
            Path log = temporaryLog();
            Map<String, Report.Hello> hellos = verification.run(this::doing, log);
            ResultsFolder folder = ResultsFolder.create(
                    settings.results(),
                    CampaignDescription.of(
                            workload,
                            settings,
                            drivers,
                            hellos,
                            launcher,
                            brokers.at(workload.points().get(0))));
            moveInto(folder, log);
            return folder;
        } catch (BenchException e) {
            throw isStopped() ? new BenchException("stopped before the first run; nothing was measured", e) : e;
        }
    }

    /** Of two clusters, one campaign would compare the clusters. */
    private static void requireSameCluster(Campaign campaign, BenchCluster cluster) {
        Map<String, String> begunAt = campaign.environment().settings();
        String id = begunAt.get(BenchCluster.CLUSTER_ID);
        if (!Objects.equals(id, cluster.settings().get(BenchCluster.CLUSTER_ID))) {
            throw new BenchException("the campaign was begun "
                    + (id == null
                            ? "on brokers of its own: leave the cluster's options out"
                            : "at another cluster, " + begunAt.get("cluster.bootstrap") + ": name that one again"));
        }
    }

    /** And of two machines, the machines. */
    private void requireSamePlaces(Campaign campaign) {
        String begunAt = campaign.environment().settings().getOrDefault(DriverLauncher.WORKERS, "");
        String now = launcher.described().getOrDefault(DriverLauncher.WORKERS, "");
        if (!begunAt.equals(now)) {
            throw new BenchException("the campaign was begun "
                    + (begunAt.isEmpty() ? "on this machine: leave --environment out" : "with workers at " + begunAt)
                    + (now.isEmpty() ? ": name its environment again" : ", and they are at " + now));
        }
    }

    private void noteOtherSources(Campaign campaign) {
        String begun = campaign.environment().commit();
        String now = EnvironmentProbe.commit(settings.root());
        if (!begun.equals(now)) {
            listener.note("begun at commit " + begun + ", resumed at " + now
                    + ": if the drivers differ, so may rounds of one campaign");
        }
    }

    private void fill(CampaignTopics topics, ResultsFolder folder) throws InterruptedException {
        for (WorkloadPoint point : workload.points()) {
            if (!isStopped() && CampaignTopics.isFilledAhead(point)) {
                doing("filling the topic of " + point.id());
                topics.topic(point, point.recordsPerPartition(), log(folder, FILL_LOG));
            }
        }
    }

    private static Path log(ResultsFolder folder, String name) {
        return folder.path().resolve("logs").resolve(name);
    }

    static Path temporaryLog() {
        try {
            return Files.createTempFile("weir-bench-verify-", ".log");
        } catch (IOException e) {
            throw new BenchException("no temporary file: " + e, e);
        }
    }

    private static void moveInto(ResultsFolder folder, Path log) {
        try {
            Files.move(log, log(folder, VERIFY_LOG), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new BenchException("cannot move " + log + " into " + folder.path() + ": " + e, e);
        }
    }

    /** The driver that this one is: the control is the baseline. */
    static String withoutControl(String name) {
        return name.endsWith(CONTROL_SUFFIX) ? name.substring(0, name.length() - CONTROL_SUFFIX.length()) : name;
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
        return newId(workload.name(), workload.isQuick());
    }

    /** The same for several campaigns. */
    public static String newId(String name, boolean isQuick) {
        return name
                + (isQuick ? "-quick-" : "-")
                + LocalDateTime.now(ZoneId.systemDefault())
                        .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT));
    }

    private void runs(CampaignBrokers brokers, CampaignTopics topics, ResultsFolder folder)
            throws InterruptedException {
        warm(brokers, topics, folder);
        CampaignStages stages = new CampaignStages(workload, folder, settings.seed(), drivers);
        Progress progress = new Progress();
        for (List<RunOrder.Step> steps = stages.next(); !steps.isEmpty() && !isStopped(); steps = stages.next()) {
            if (!runs(brokers, topics, folder, steps, progress)) {
                return;
            }
        }
        String leftOut = stages.leftOut();
        if (!leftOut.isEmpty() && !isStopped()) {
            listener.note(leftOut);
        }
    }

    /** How far the campaign is. */
    private static final class Progress {
        private final long begunNanos = System.nanoTime();
        private int doneBefore; // by an earlier command
        private int done;
        private int order; // of the next run

        /** What one run took, on the average. */
        private long meanNanos() {
            return (System.nanoTime() - begunNanos) / Math.max(1, done - doneBefore);
        }
    }

    /** Does the runs of a stage; false if time is up. */
    private boolean runs(
            CampaignBrokers brokers,
            CampaignTopics topics,
            ResultsFolder folder,
            List<RunOrder.Step> steps,
            Progress progress)
            throws InterruptedException {
        int perRound = steps.size() / workload.rounds();
        int from = progress.done;
        for (int i = 0; i < steps.size() && !isStopped(); i++) {
            RunOrder.Step step = steps.get(i);
            if (i % perRound == 0 && progress.done > progress.doneBefore && isTimeUp(progress.meanNanos() * perRound)) {
                listener.note(
                        "time is up: " + step.round() + " of " + workload.rounds() + " rounds; the rest by --resume");
                return false;
            }
            int order = progress.order++;
            if (folder.isDone(step.key())) {
                progress.done++;
                progress.doneBefore++;
                continue;
            }
            int all = from + steps.size();
            listener.status(
                    step.driver() + " at " + step.point().id() + ", round " + (step.round() + 1),
                    progress.done,
                    all,
                    progress.done == progress.doneBefore
                            ? null
                            : Duration.ofNanos(progress.meanNanos() * (all - progress.done)));
            BenchCluster cluster = brokers.forRun(step.point());
            Kept kept = run(cluster, topics, folder, step, order);
            if (!isStopped()) {
                folder.append(kept.run(), kept.latencies());
                progress.done++;
                listener.finished(kept.run(), progress.done, all);
            }
            cluster.deleteOfRun();
        }
        return true;
    }

    /**
     * Lets the baseline run once for nobody: brokers that have just started compile what they run as drivers do, and the
     * first runs of a campaign would be measured with other brokers than the rest, or than those of another campaign.
     */
    private void warm(CampaignBrokers brokers, CampaignTopics topics, ResultsFolder folder)
            throws InterruptedException {
        WorkloadPoint point = workload.points().get(0);
        BenchCluster cluster = brokers.at(point);
        cluster.figures().times(); // Attaches to them, which takes a while and is to be over before anything counts.
        if (folder.campaign().rounds() == 1
                || point.isPlanned()
                || point.asksForFreshBrokers()
                || folder.isComplete()
                || isStopped()) {
            return;
        }
        doing("warming the brokers");
        try {
            var unused = measurements.measure(
                    cluster,
                    topics,
                    new RunOrder.Step(point, workload.baseline(), 0),
                    log(folder, WARM_LOG),
                    settings.seed());
        } catch (RunFailure e) {
            if (!isStopped()) { // Else it was that. What is wrong, the runs will tell.
                listener.note("the brokers were not warmed: " + e.getMessage());
            }
        } finally {
            cluster.deleteOfRun();
        }
    }

    /** What goes into the folder. */
    private record Kept(Run run, List<Histogram> latencies) {}

    /** Whether one more round, which takes so long, would end too late. */
    private boolean isTimeUp(long roundNanos) {
        double wouldTakeSeconds = (System.nanoTime() - startedNanos + roundNanos) / 1e9;
        return wouldTakeSeconds > workload.points().get(0).seconds("maxSeconds");
    }

    private Kept run(BenchCluster cluster, CampaignTopics topics, ResultsFolder folder, RunOrder.Step step, int order)
            throws InterruptedException {
        long startedAtMillis = System.currentTimeMillis();
        String point = step.point().id();
        long seed = settings.seed() + step.round();
        try {
            Measured measured = measurements.measure(cluster, topics, step, folder.log(step.key()), seed);
            Run run = finished(step, order, seed, startedAtMillis, System.currentTimeMillis(), measured);
            return new Kept(run, measured.latencies());
        } catch (RunFailure e) {
            cluster.requireBrokers(); // Else it was not the driver that failed.
            Run failed = Run.failed(
                    point,
                    step.driver(),
                    step.round(),
                    order,
                    seed,
                    startedAtMillis,
                    System.currentTimeMillis(),
                    String.valueOf(e.getMessage()));
            return new Kept(failed, List.of());
        }
    }

    /** A run that ended well. */
    static Run finished(
            RunOrder.Step step, int order, long seed, long startedAtMillis, long stoppedAtMillis, Measured measured) {
        return new Run(
                step.point().id(),
                step.driver(),
                step.round(),
                order,
                seed,
                startedAtMillis,
                stoppedAtMillis,
                measured.warmUpIntervals(),
                measured.intervals(),
                measured.totals(),
                ledger(measured.ledger(), measured.groups()),
                measured.flags(),
                null,
                measured.timeline(),
                measured.phases(),
                measured.disturbances());
    }

    private static Ledger ledger(LedgerFigures figures, List<LedgerFigures> groups) {
        return new Ledger(
                figures.distinct() + figures.missing(),
                figures.distinct() + figures.duplicates() + figures.foreign() + figures.redelivered(),
                figures.missing(),
                figures.duplicates() + figures.foreign(),
                figures.reordered(),
                figures.retried(),
                figures.redelivered(),
                figures.topics().stream().map(topic -> ledger(topic, List.of())).toList(),
                groups.stream().map(group -> ledger(group, List.of())).toList());
    }
}
