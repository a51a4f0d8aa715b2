package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Finding;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Limits;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Search;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.explore.Verdict;
import dev.weir.bench.measurement.Measured;
import dev.weir.bench.measurement.RateTrial;
import dev.weir.bench.measurement.TrialFigures;
import dev.weir.bench.measurement.TrialResult;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the highest rate that each driver sustains at each point of a workload. {@link #run} belongs to one thread;
 * {@link #stop} is for any.
 */
public final class ExploreRunner {
    private static final List<Kind> PERTURBATIONS = List.of(Kind.COLD_START, Kind.RESTART, Kind.PAUSE);

    private final Workload workload;
    private final CampaignRunner.Settings settings;
    private final @Nullable LatencyTarget target;
    private final double maxSeconds;
    private final ExploreListener listener;
    private final DriverLauncher launcher;
    private final long startedNanos = System.nanoTime();

    /**
     * For these drivers.
     *
     * @param target in place of the workload's; null for that one
     * @param maxSeconds for all searches together; 0 for what the workload says
     * @throws BenchException if no drivers are built in the checkout
     * @throws dev.weir.bench.workload.WorkloadException if a point is none whose rate can be looked for
     */
    public ExploreRunner(
            Workload workload,
            CampaignRunner.Settings settings,
            @Nullable LatencyTarget target,
            double maxSeconds,
            ExploreListener listener) {
        this.workload = workload;
        this.settings = settings;
        this.target = target;
        this.maxSeconds = maxSeconds > 0
                ? maxSeconds
                : ExploreSettings.maxSeconds(workload.points().get(0));
        this.listener = listener;
        workload.points().forEach(point -> ExploreSettings.of(point, target));
        this.launcher = new DriverLauncher(DriverCatalog.ofCheckout(settings.root()));
        workload.drivers().forEach(launcher::entry);
    }

    /** Ends it soon: searches that are over are kept. */
    public void stop() {
        launcher.stop();
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return launcher.isStopped();
    }

    /**
     * Runs all searches and returns their findings, which {@link ExploredReport} finds in the folder too.
     *
     * @throws BenchException if it cannot go on
     */
    public List<Explored> run() throws InterruptedException {
        ResultsFolder.requireNew(settings.results());
        ExistingCluster existing = settings.cluster();
        status(existing == null ? "starting brokers" : "connecting to " + existing.bootstrapServers());
        List<Explored> all = new ArrayList<>();
        try (BenchCluster cluster = existing == null
                ? BenchCluster.forked(
                        settings.data(), workload.points().get(0).brokers(), listener::note, launcher::isStopped)
                : BenchCluster.existing(existing, listener::note, launcher::isStopped)) {
            ResultsFolder folder = ResultsFolder.create(
                    settings.results(),
                    CampaignDescription.of(
                            workload, settings, workload.drivers(), greeted(cluster), launcher, cluster));
            int left = workload.points().size() * workload.drivers().size();
            for (WorkloadPoint point : workload.points()) {
                for (String driver : workload.drivers()) {
                    OfDriver search = new OfDriver(cluster, folder, point, driver, (maxSeconds - seconds()) / left--);
                    all.add(search.explored(all.size()));
                    ExploredReport.write(folder, all);
                    listener.finished(all.getLast());
                }
            }
        } catch (BenchException e) {
            if (!isStopped()) {
                throw e;
            }
        }
        return all;
    }

    private double seconds() {
        return (System.nanoTime() - startedNanos) / 1e9;
    }

    private void status(String doing) {
        listener.status(doing, seconds());
    }

    /** What the drivers say of themselves; refuses one that lacks the scenario before anything is measured. */
    private Map<String, Report.Hello> greeted(BenchCluster cluster) throws InterruptedException {
        Map<String, Report.Hello> hellos = new LinkedHashMap<>();
        WorkloadPoint point = workload.points().get(0);
        for (String driver : workload.drivers()) {
            status("asking " + driver);
            Path log = CampaignRunner.temporaryLog();
            try (DriverProcess process = launcher.start(driver, point.heapMegabytes(), log)) {
                hellos.put(driver, new DriverSession(process, cluster, point).hello());
                Files.deleteIfExists(log);
            } catch (IOException e) {
                throw new BenchException("cannot delete " + log + ": " + e, e);
            } catch (RunFailure e) {
                throw new BenchException("driver " + driver + ": " + e.getMessage() + "; its log is " + log);
            }
        }
        return hellos;
    }

    /** One search. */
    private final class OfDriver {
        private final BenchCluster cluster;
        private final ResultsFolder folder;
        private final WorkloadPoint point;
        private final String driver;
        private final ExploreSettings how;
        private final Search search;
        private final RateTrial trials;
        private final long startedMillis = System.currentTimeMillis();

        private int count;
        private boolean hasPassed;
        private @Nullable TrialResult held; // the last hold that passed
        private double heldRate = Double.NaN;
        private @Nullable TrialFigures edge; // of the lowest rate that failed
        private double edgeRate = Double.POSITIVE_INFINITY;

        OfDriver(BenchCluster cluster, ResultsFolder folder, WorkloadPoint point, String driver, double mostSeconds) {
            this.cluster = cluster;
            this.folder = folder;
            this.point = point;
            this.driver = driver;
            this.how = ExploreSettings.of(point, target);
            this.search = new Search(new Limits(how.startRate(), how.maxRate(), mostSeconds, PERTURBATIONS));
            this.trials = new RateTrial(launcher, driver, cluster, point, how, folder.log(key()));
        }

        private Run.Key key() {
            return new Run.Key(point.id(), driver, 0);
        }

        Explored explored(int order) throws InterruptedException {
            for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
                if (isStopped()) {
                    throw new BenchException("it was stopped");
                }
                status(String.format(
                        Locale.ROOT,
                        "%s at %s: %s at %,.0f/s",
                        driver,
                        point.id(),
                        attempt.kind().label(),
                        attempt.rate()));
                long begunNanos = System.nanoTime();
                Outcome outcome = outcome(attempt);
                listener.tried(driver, point.id(), ++count, new Trial(attempt, outcome));
                search.tell(outcome, (System.nanoTime() - begunNanos) / 1e9);
            }
            Finding finding = search.finding();
            folder.append(
                    asRun(finding, order), isConfirmed(finding) ? heldMeasured().latencies() : List.of());
            return found(finding);
        }

        private Outcome outcome(Attempt attempt) throws InterruptedException {
            try {
                TrialResult result = trials.run(attempt, settings.seed());
                keep(attempt, result);
                return result.outcome();
            } catch (RunFailure e) {
                cluster.requireBrokers(); // Else it was not the driver that failed.
                if (isStopped()) {
                    throw new BenchException("it was stopped", e);
                }
                if (!hasPassed) { // A mistake in the workload, say: no lower rate would mend it.
                    throw new BenchException("driver " + driver + " at " + point.id() + ": " + e.getMessage()
                            + "; its log is " + folder.log(key()));
                }
                return new Outcome(Outcome.Result.FAILED, String.valueOf(e.getMessage()));
            } finally {
                cluster.deleteOfRun();
            }
        }

        private void keep(Attempt attempt, TrialResult result) {
            switch (result.outcome().result()) {
                case PASSED -> {
                    hasPassed = true;
                    if (attempt.kind() == Kind.HOLD) {
                        held = result;
                        heldRate = attempt.rate();
                    }
                }
                case FAILED -> {
                    if (attempt.rate() < edgeRate) {
                        edge = result.figures();
                        edgeRate = attempt.rate();
                    }
                }
                case GENERATOR_BOUND -> {}
            }
        }

        /** Whether the last hold that passed was at the rate that was found. */
        private boolean isConfirmed(Finding finding) {
            return held != null && heldRate == finding.low();
        }

        private Measured heldMeasured() {
            TrialResult last = held;
            if (last == null) {
                throw new IllegalStateException("no rate was held");
            }
            return last.measured();
        }

        private Explored found(Finding finding) {
            TrialResult last = isConfirmed(finding) ? held : null;
            TrialFigures figures = last != null ? last.figures() : edge;
            double ceiling = figures == null || Double.isNaN(figures.handlerMillis())
                    ? Double.NaN
                    : 1e3 * how.handlers(point) / figures.handlerMillis();
            return new Explored(
                    point.id(),
                    driver,
                    how.target().toString(),
                    how.members(),
                    finding,
                    last == null ? Double.NaN : how.holdSeconds(),
                    last == null ? Double.NaN : last.figures().latencyMillis(),
                    ceiling,
                    EdgeLimiter.of(finding.verdict(), edge, point.brokers()));
        }

        /** The hold at the rate that was found, so that the tables of the folder show it. */
        private Run asRun(Finding finding, int order) {
            long now = System.currentTimeMillis();
            if (!isConfirmed(finding)) {
                String why = finding.verdict() == Verdict.UNSTABLE_AT
                        ? "no rate below the unstable one was confirmed"
                        : "no rate was confirmed: " + finding.verdict();
                return Run.failed(point.id(), driver, 0, order, settings.seed(), startedMillis, now, why);
            }
            Measured measured = heldMeasured();
            return new Run(
                    point.id(),
                    driver,
                    0,
                    order,
                    settings.seed(),
                    startedMillis,
                    now,
                    measured.warmUpIntervals(),
                    measured.intervals(),
                    measured.totals(),
                    Ledger.NONE, // Members pass records on to each other, and each process knows its own only.
                    measured.flags(),
                    null);
        }
    }
}
