package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Executes the remaining runs of a campaign, stage by stage and round by round, and stores each run in the campaign's
 * folder. Confined to one thread; used once.
 */
final class CampaignRuns {
    private static final String WARM_LOG = "warm.log";

    private final Workload workload;
    private final CampaignRunner.Settings settings;
    private final List<String> drivers;
    private final CampaignListener listener;
    private final DriverLauncher launcher;
    private final CampaignBrokers brokers;
    private final CampaignTopics topics;
    private final ResultsFolder folder;
    private final RunMeasurements measurements;
    private final long startedNanos;

    private long begunNanos; // after the brokers' warm-up
    private int doneBefore; // runs done by an earlier command
    private int done;
    private int order; // order of the next run

    /**
     * Creates the runs of a campaign whose drivers and topics are ready. The caller closes {@code launcher} and
     * {@code brokers}.
     *
     * @param drivers the drivers, including the control
     * @param launcher starts the processes of the runs
     * @param startedNanos the start of the campaign and of its time limit, as {@link System#nanoTime}
     */
    CampaignRuns(
            Workload workload,
            CampaignRunner.Settings settings,
            List<String> drivers,
            CampaignListener listener,
            DriverLauncher launcher,
            CampaignBrokers brokers,
            CampaignTopics topics,
            ResultsFolder folder,
            long startedNanos) {
        this.workload = workload;
        this.settings = settings;
        this.drivers = drivers;
        this.listener = listener;
        this.launcher = launcher;
        this.brokers = brokers;
        this.topics = topics;
        this.folder = folder;
        this.measurements = new RunMeasurements(workload, settings, listener, launcher);
        this.startedNanos = startedNanos;
    }

    /**
     * Executes the runs until all are done, the time limit is reached or the campaign is stopped.
     *
     * @throws BenchException if the campaign cannot continue
     */
    void run() throws InterruptedException {
        warm();
        begunNanos = System.nanoTime();
        CampaignStages stages = new CampaignStages(workload, folder, settings.seed(), drivers);
        for (List<RunOrder.Step> steps = stages.next();
                !steps.isEmpty() && !launcher.isStopped();
                steps = stages.next()) {
            if (!run(steps)) {
                return;
            }
        }
        String leftOut = stages.leftOut();
        if (!leftOut.isEmpty() && !launcher.isStopped()) {
            listener.note(leftOut);
        }
    }

    /** Runs the baseline once without recording the result, to warm up new brokers. */
    private void warm() throws InterruptedException {
        WorkloadPoint point = workload.points().get(0);
        BenchCluster cluster = brokers.at(point);
        cluster.figures().times(); // the first call attaches to the brokers, which takes time
        if (folder.campaign().rounds() == 1
                || point.isPlanned()
                || point.asksForFreshBrokers()
                || folder.isComplete()
                || launcher.isStopped()) {
            return;
        }
        listener.status("warming the brokers", 0, CampaignRunner.mostRuns(workload, drivers), null);
        try {
            var unused = measurements.measure(
                    cluster,
                    topics,
                    new RunOrder.Step(point, workload.baseline(), 0),
                    CampaignRunner.log(folder, WARM_LOG),
                    settings.seed());
        } catch (RunFailure e) {
            if (!launcher.isStopped()) { // The measured runs will report the error.
                listener.note("the brokers were not warmed: " + e.getMessage());
            }
        } finally {
            cluster.deleteOfRun();
        }
    }

    /** Executes the runs of a stage. Returns false if the time limit was reached. */
    private boolean run(List<RunOrder.Step> steps) throws InterruptedException {
        int perRound = steps.size() / workload.rounds();
        int all = done + steps.size();
        for (int i = 0; i < steps.size() && !launcher.isStopped(); i++) {
            RunOrder.Step step = steps.get(i);
            if (i % perRound == 0 && done > doneBefore && isTimeUp(meanNanos() * perRound)) {
                listener.note(
                        "time is up: " + step.round() + " of " + workload.rounds() + " rounds; the rest by --resume");
                return false;
            }
            int ofThis = order++;
            if (folder.isDone(step.key())) {
                done++;
                doneBefore++;
                continue;
            }
            listener.status(
                    step.driver() + " at " + step.point().id() + ", round " + (step.round() + 1),
                    done,
                    all,
                    done == doneBefore ? null : Duration.ofNanos(meanNanos() * (all - done)));
            BenchCluster cluster = brokers.forRun(step.point());
            Kept kept = run(cluster, step, ofThis);
            if (!launcher.isStopped()) {
                folder.append(kept.run(), kept.latencies());
                done++;
                listener.finished(kept.run(), done, all);
            }
            cluster.deleteOfRun();
        }
        return true;
    }

    private long meanNanos() {
        return (System.nanoTime() - begunNanos) / Math.max(1, done - doneBefore);
    }

    /** Returns whether another round of this duration would exceed the time limit. */
    private boolean isTimeUp(long roundNanos) {
        double wouldTakeSeconds = (System.nanoTime() - startedNanos + roundNanos) / 1e9;
        return wouldTakeSeconds > workload.points().get(0).seconds("maxSeconds");
    }

    /** A run and its latencies, as stored in the folder. */
    private record Kept(Run run, List<Histogram> latencies) {}

    private Kept run(BenchCluster cluster, RunOrder.Step step, int ofThis) throws InterruptedException {
        long startedAtMillis = System.currentTimeMillis();
        long seed = settings.seed() + step.round();
        try {
            Measured measured = measurements.measure(cluster, topics, step, folder.log(step.key()), seed);
            Run run = finished(step, ofThis, seed, startedAtMillis, System.currentTimeMillis(), measured);
            return new Kept(run, measured.latencies());
        } catch (RunFailure e) {
            cluster.requireBrokers(); // throws if a broker has ended, which explains the driver's failure
            Run failed = Run.failed(
                    step.point().id(),
                    step.driver(),
                    step.round(),
                    ofThis,
                    seed,
                    startedAtMillis,
                    System.currentTimeMillis(),
                    String.valueOf(e.getMessage()));
            return new Kept(failed, List.of());
        }
    }

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
