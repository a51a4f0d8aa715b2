package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.trial.SimulatedRun;
import dev.weir.bench.workload.Design;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.Refinement;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest rate that each driver sustains at each point of a workload. {@link #run} belongs to one
 * thread; any thread may call {@link #stop}.
 */
public final class ExploreRunner {
    private final Workload workload;
    private final CampaignRunner.Settings settings;
    private final @Nullable LatencyTarget target;
    private final double maxSeconds;
    private final ExploreListener listener;
    private final DriverLauncher launcher;
    private final boolean isSimulated;
    private final long startedNanos = System.nanoTime();
    private double extendedSeconds; // added by commands to maxSeconds

    /**
     * Creates a runner for the workload's drivers.
     *
     * @param target replaces the workload's target; null to keep it
     * @param maxSeconds total time of all searches; 0 for the workload's limit
     * @throws BenchException if no drivers are built in the checkout
     * @throws dev.weir.bench.workload.WorkloadException if a point does not allow a search
     */
    public ExploreRunner(
            Workload workload,
            CampaignRunner.Settings settings,
            @Nullable LatencyTarget target,
            double maxSeconds,
            ExploreListener listener) {
        this(workload, settings, target, maxSeconds, listener, false);
    }

    private ExploreRunner(
            Workload workload,
            CampaignRunner.Settings settings,
            @Nullable LatencyTarget target,
            double maxSeconds,
            ExploreListener listener,
            boolean isSimulated) {
        this.isSimulated = isSimulated;
        this.workload = workload;
        this.settings = settings;
        this.target = target;
        this.maxSeconds = maxSeconds > 0
                ? maxSeconds
                : ExploreSettings.maxSeconds(workload.points().get(0));
        this.listener = listener;
        workload.points().forEach(point -> ExploreSettings.of(point, target));
        if (isSimulated) {
            workload.points().forEach(SimulatedRun::requireModel);
        }
        this.launcher = new DriverLauncher(
                isSimulated ? DriverCatalog.none() : DriverCatalog.below(settings.root()), settings.environment());
        if (!isSimulated) {
            workload.drivers().forEach(launcher::entry);
        }
        CampaignBrokers.check(workload.points(), settings.cluster());
    }

    /** Creates a runner that searches a seeded model instead of measuring drivers. The model has its own clock. */
    public static ExploreRunner simulated(
            Workload workload,
            CampaignRunner.Settings settings,
            @Nullable LatencyTarget target,
            double maxSeconds,
            ExploreListener listener) {
        return new ExploreRunner(workload, settings, target, maxSeconds, listener, true);
    }

    /** Ends the exploration soon; finished searches are kept. */
    public void stop() {
        launcher.stop();
    }

    /** Returns whether {@link #stop} was called. */
    public boolean isStopped() {
        return launcher.isStopped();
    }

    /**
     * Runs all searches and returns their findings.
     *
     * @throws BenchException if the exploration cannot continue
     */
    public List<Explored> run() throws InterruptedException {
        ResultsFolder.requireNew(settings.results());
        if (!workload.timeline().isEmpty()) {
            listener.note("the file's timeline is left out: a search sets its own rates");
        }
        List<Explored> all = new ArrayList<>();
        if (!isSimulated) {
            launcher.open(workload.drivers(), this::status);
        }
        try (DriverLauncher processes = launcher;
                CampaignBrokers brokers =
                        new CampaignBrokers(settings, this::status, listener::note, launcher::isStopped)) {
            ResultsFolder folder = ResultsFolder.create(settings.results(), description(brokers, processes));
            List<String> refusals = new ArrayList<>();
            @Nullable
            Refinement refinement = workload.design() == Design.ADAPTIVE ? new Refinement(workload.sizes()) : null;
            int left = workload.points().size();
            for (List<Integer> stage = stage(refinement); !stage.isEmpty(); stage = stage(refinement)) {
                for (int place : stage) {
                    StringBuilder verdicts = new StringBuilder();
                    for (int driver = 0; driver < workload.drivers().size(); driver++) {
                        int searches = left * workload.drivers().size() - driver;
                        verdicts.append(explore(brokers, folder, place, driver, searches, all, refusals));
                    }
                    left--;
                    if (refinement != null) {
                        refinement.tell(place, verdicts.toString());
                    }
                }
                if (refinement == null) {
                    break;
                }
            }
            if (refinement != null && left > 0) {
                listener.note(left + " of " + workload.points().size()
                        + " points were not searched: the verdicts around them are the same");
            }
            if (refusals.size() == all.size()) {
                throw new BenchException(refusals.getFirst());
            }
        } catch (BenchException e) {
            if (!isStopped()) {
                throw e;
            }
        }
        return all;
    }

    private Campaign description(CampaignBrokers brokers, DriverLauncher processes) throws InterruptedException {
        if (isSimulated) {
            return CampaignDescription.simulated(workload, settings, workload.drivers())
                    .asExplored();
        }
        brokers.fetch(workload.points());
        BenchCluster first = brokers.at(workload.points().get(0));
        return CampaignDescription.of(workload, settings, workload.drivers(), greeted(first), processes, first)
                .asExplored();
    }

    /** Returns the indices of the points in the next stage. Without a refinement, there is one stage. */
    private List<Integer> stage(@Nullable Refinement refinement) {
        return refinement == null
                ? IntStream.range(0, workload.points().size()).boxed().toList()
                : List.copyOf(refinement.next());
    }

    /** Runs a search, reports its finding and returns its verdict as text. */
    private String explore(
            CampaignBrokers brokers,
            ResultsFolder folder,
            int place,
            int driver,
            int searches,
            List<Explored> all,
            List<String> refusals)
            throws InterruptedException {
        WorkloadPoint point = workload.points().get(place);
        double mostSeconds = isSimulated
                ? maxSeconds / workload.points().size() / workload.drivers().size()
                : (maxSeconds + extendedSeconds - seconds()) / searches;
        DriverSearch search = new DriverSearch(
                settings,
                target,
                listener,
                this::status,
                launcher,
                isSimulated ? null : brokers.forRun(point),
                folder,
                point,
                workload.drivers().get(driver),
                mostSeconds);
        all.add(search.explored(all.size()));
        extendedSeconds += search.extendedSeconds();
        ExploredReport.write(folder, all);
        listener.finished(all.getLast());
        String refusal = search.refusal();
        if (refusal != null) {
            listener.note(refusal);
            refusals.add(refusal);
        }
        return all.getLast().finding().verdict() + " ";
    }

    private double seconds() {
        return (System.nanoTime() - startedNanos) / 1e9;
    }

    private void status(String doing) {
        listener.status(doing, seconds());
    }

    /**
     * Starts each driver and returns the drivers' greetings by name. Fails if a driver does not support the scenario.
     */
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
}
