package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs a campaign. First verifies all drivers, then measures each driver at each point. The measurements are repeated
 * in several rounds, and each round has a new random order. {@link #run} belongs to one thread; any thread may call
 * {@link #stop}.
 */
public final class CampaignRunner {
    /** Suffix of the control's name. The control is a second run of the baseline in each round. */
    public static final String CONTROL_SUFFIX = "-again";

    private static final String VERIFY_LOG = "verify.log";
    private static final String FILL_LOG = "fill.log";

    private final Workload workload;
    private final Settings settings;
    private final CampaignListener listener;
    private final List<String> drivers;
    private final DriverLauncher launcher;

    private final long startedNanos = System.nanoTime();

    /**
     * The folders, seed, cluster and environment of a campaign. Immutable.
     *
     * @param root the checkout, where the drivers were built
     * @param data where brokers keep filled topics between campaigns
     * @param results the campaign's folder; must contain no campaign yet, unless an interrupted campaign is resumed
     * @param seed seed of the random order
     * @param resume whether to finish an interrupted campaign in {@code results}
     * @param cluster the existing cluster to read from; null to fork brokers
     * @param environment where the campaign's processes run
     */
    public record Settings(
            Path root,
            Path data,
            Path results,
            long seed,
            boolean resume,
            @Nullable ExistingCluster cluster,
            BenchEnvironment environment) {

        /** Settings of a campaign on this machine. */
        public Settings(
                Path root, Path data, Path results, long seed, boolean resume, @Nullable ExistingCluster cluster) {
            this(root, data, results, seed, resume, cluster, BenchEnvironment.HERE);
        }

        /** Settings of a campaign on this machine, with forked brokers. */
        public Settings(Path root, Path data, Path results, long seed, boolean resume) {
            this(root, data, results, seed, resume, null);
        }
    }

    /**
     * Creates a runner without starting any brokers or drivers.
     *
     * @throws BenchException if no drivers are built in the checkout, the baseline cannot reach the brokers, or an
     *     existing cluster cannot satisfy a point
     */
    public CampaignRunner(Workload workload, Settings settings, CampaignListener listener) {
        this.settings = settings;
        this.listener = listener;
        this.launcher = new DriverLauncher(DriverCatalog.below(settings.root()), settings.environment());
        this.workload = reaching(workload, settings.cluster());
        CampaignBrokers.check(workload.points(), settings.cluster());
        this.drivers = new ArrayList<>(this.workload.drivers());
        if (workload.control()) {
            drivers.add(workload.baseline() + CONTROL_SUFFIX);
        }
    }

    /** Returns the workload with only the drivers that support the cluster's security protocol. */
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

    /** Ends the campaign soon. Finished runs are kept; the current run is discarded. */
    public void stop() {
        launcher.stop();
    }

    /** Returns whether {@link #stop} was called. */
    public boolean isStopped() {
        return launcher.isStopped();
    }

    /**
     * Executes the remaining runs and returns the results folder.
     *
     * @throws BenchException if the campaign cannot continue
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
            brokers.fetch(workload.points());
            CampaignTopics topics = new CampaignTopics(brokers, processes);
            ResultsFolder folder = folder(brokers, topics);
            try {
                fill(topics, folder);
                new CampaignRuns(workload, settings, drivers, listener, launcher, brokers, topics, folder, startedNanos)
                        .run();
            } catch (BenchException e) {
                if (!isStopped()) {
                    throw e;
                }
                // The campaign was stopped. Its finished runs are complete.
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
        CampaignBrokers brokers = new CampaignBrokers(settings, this::doing, listener::note, launcher::isStopped);
        if (existing != null && workload.points().stream().anyMatch(WorkloadPoint::countsFetches)) {
            listener.note("fetches are not counted (method.countFetches): existing brokers do not report them");
        }
        return brokers;
    }

    private void doing(String what) {
        listener.status(what, 0, mostRuns(workload, drivers), null);
    }

    /** Returns the number of runs if all points are run. */
    static int mostRuns(Workload workload, List<String> drivers) {
        return workload.rounds() * workload.points().size() * drivers.size();
    }

    /** Verifies the drivers' current build, then returns the campaign's folder. */
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

    /** Throws if the campaign began on a different cluster. Runs on different clusters are not comparable. */
    private static void requireSameCluster(Campaign campaign, BenchCluster cluster) {
        Map<String, String> begunAt = campaign.environment().settings();
        String id = begunAt.get(BenchCluster.CLUSTER_ID);
        if (!Objects.equals(id, cluster.settings().get(BenchCluster.CLUSTER_ID))) {
            throw new BenchException("the campaign was started "
                    + (id == null
                            ? "on its own brokers: leave the cluster's options out"
                            : "at another cluster, " + begunAt.get("cluster.bootstrap") + ": name that one again"));
        }
    }

    /** Throws if the campaign began on different machines. Runs on different machines are not comparable. */
    private void requireSamePlaces(Campaign campaign) {
        String begunAt = campaign.environment().settings().getOrDefault(DriverLauncher.WORKERS, "");
        String now = launcher.described().getOrDefault(DriverLauncher.WORKERS, "");
        if (!begunAt.equals(now)) {
            throw new BenchException("the campaign was started "
                    + (begunAt.isEmpty() ? "on this machine: leave --environment out" : "with workers at " + begunAt)
                    + (now.isEmpty() ? ": name its environment again" : ", and they are at " + now));
        }
    }

    private void noteOtherSources(Campaign campaign) {
        String begun = campaign.environment().commit();
        String now = EnvironmentProbe.commit(settings.root());
        if (!begun.equals(now)) {
            listener.note("started at commit " + begun + ", resumed at " + now
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

    static Path log(ResultsFolder folder, String name) {
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

    static String withoutControl(String name) {
        return name.endsWith(CONTROL_SUFFIX) ? name.substring(0, name.length() - CONTROL_SUFFIX.length()) : name;
    }

    /** Returns the workload of an interrupted campaign that is about to be resumed. */
    public static Workload workloadOf(Campaign campaign) {
        List<String> names = campaign.drivers().stream()
                .map(Driver::name)
                .filter(name -> !name.equals(campaign.control()))
                .toList();
        return Workload.ofText(campaign.workload())
                .withDrivers(names)
                .withRounds(campaign.rounds(), campaign.control() != null);
    }

    /** Returns a folder name for a new campaign, such as {@code plain-consumer-quick-20261121-021051}. */
    public static String newId(Workload workload) {
        return newId(workload.name(), workload.isQuick());
    }

    /** Returns a new name for a folder that holds several campaigns. */
    public static String newId(String name, boolean isQuick) {
        return name
                + (isQuick ? "-quick-" : "-")
                + LocalDateTime.now(ZoneId.systemDefault())
                        .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT));
    }
}
