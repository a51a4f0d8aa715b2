package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Finding;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Limits;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Search;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.explore.Verdict;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.TrialFigures;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.Orders;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.measurement.GeneratorFailure;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.trial.RateTrial;
import dev.weir.bench.trial.SimulatedTrial;
import dev.weir.bench.trial.TrialResult;
import dev.weir.bench.trial.Trials;
import dev.weir.bench.workload.AcceptedOrders;
import dev.weir.bench.workload.ClientProperties;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the highest rate that one driver sustains at one point. Runs the trials, applies the user's requests to
 * change the search, and stores the finding. Confined to one thread.
 */
final class DriverSearch implements Orders.Target {
    private static final List<Kind> PERTURBATIONS = List.of(Kind.COLD_START, Kind.RESTART, Kind.PAUSE);

    /** Relative rounding error below which two rates count as equal. */
    private static final double ROUNDING = 1e-9;

    private final CampaignRunner.Settings settings;
    private final @Nullable LatencyTarget target;
    private final ExploreListener listener;
    private final Consumer<String> status;
    private final DriverLauncher launcher;
    private final @Nullable BenchCluster cluster; // null in a simulation
    private final ResultsFolder folder;
    private final String driver;
    private WorkloadPoint point; // changed by commands, like the next three fields
    private ExploreSettings how;
    private Search search;
    private Trials trials;
    private List<TimelineEntry> timeline = List.of();
    private final long startedMillis = System.currentTimeMillis();

    private int count;
    private boolean hasPassed;
    private boolean hasFailed;
    private @Nullable String refusal; // set if two trials end in a RunFailure before any trial passes
    private final Map<Double, TrialResult> held = new HashMap<>(); // result of the last passed HOLD trial at each rate
    private final List<Failed> failed = new ArrayList<>();
    private double extendedSeconds; // added by commands

    private record Failed(Attempt attempt, TrialFigures figures) {}

    /**
     * Creates a search for this driver's rate at this point, with a time limit.
     *
     * @param target replaces the workload's target; null to keep it
     * @param status receives progress
     * @param launcher starts the processes; closed by the caller; stopping it stops the search
     * @param cluster the brokers; null to search a model instead of running drivers
     */
    DriverSearch(
            CampaignRunner.Settings settings,
            @Nullable LatencyTarget target,
            ExploreListener listener,
            Consumer<String> status,
            DriverLauncher launcher,
            @Nullable BenchCluster cluster,
            ResultsFolder folder,
            WorkloadPoint point,
            String driver,
            double mostSeconds) {
        this.settings = settings;
        this.target = target;
        this.listener = listener;
        this.status = status;
        this.launcher = launcher;
        this.cluster = cluster;
        this.folder = folder;
        this.point = point;
        this.driver = driver;
        this.how = ExploreSettings.of(point, target);
        this.search = search(how, mostSeconds);
        this.trials = trials();
    }

    private static Search search(ExploreSettings how, double mostSeconds) {
        return new Search(new Limits(
                how.startRate(), how.maxRate(), mostSeconds, PERTURBATIONS, how.lifts(), how.expectedSeconds()));
    }

    @Override
    public @Nullable String objection(Order order) {
        if (order instanceof Order.Extend || order instanceof Order.End) {
            return search.next() == null ? order.text() + ": the search is over" : null;
        }
        if (!(order instanceof Order.Set set)) {
            return order.text()
                    + ": a search disturbs its members by itself, at its own times; it can be changed by set,"
                    + " extend and end";
        }
        if (search.secondsLeft() <= 0) {
            return order.text() + ": no time is left to begin again";
        }
        try {
            ClientProperties.check(set);
            ExploreSettings.of(AcceptedOrders.changed(point, set), target);
            return null;
        } catch (IllegalArgumentException | WorkloadException e) {
            return e.getMessage();
        }
    }

    @Override
    public Map<String, String> apply(Order order) {
        Map<String, String> did = new TreeMap<>();
        switch (order) {
            case Order.Extend extend -> {
                search.extend(extend.millis() / 1e3);
                extendedSeconds += extend.millis() / 1e3;
                did.put("extend", "it may take " + (long) search.secondsLeft() + " s more");
            }
            case Order.End end -> {
                search.giveUp();
                did.put("end", "ended");
            }
            case Order.Set set -> {
                restart(AcceptedOrders.changed(point, set));
                did.putAll(set.values());
                did.put("search", "began again");
            }
            default -> throw new IllegalArgumentException(order.text());
        }
        return did;
    }

    /** Restarts the search at a changed point and discards the earlier results. */
    private void restart(WorkloadPoint changed) {
        point = changed;
        how = ExploreSettings.of(point, target);
        search = search(how, search.secondsLeft());
        trials.close();
        trials = trials();
        hasPassed = false;
        hasFailed = false;
        refusal = null;
        held.clear();
        failed.clear();
    }

    private Trials trials() {
        BenchCluster brokers = cluster;
        return brokers == null
                ? new SimulatedTrial(driver, point, how)
                : new RateTrial(launcher, driver, brokers, point, how, folder.log(key()));
    }

    private Run.Key key() {
        return new Run.Key(point.id(), driver, 0);
    }

    /** Runs the search and stores its result in the folder as the run with this number. */
    Explored explored(int order) throws InterruptedException {
        long begunNanos = System.nanoTime();
        try (OrderDesk desk = desk()) {
            searched(new Orders(
                    desk,
                    List.of(),
                    () -> (System.nanoTime() - begunNanos) / 1e6,
                    (what, atMillis) -> listener.note(what)));
        } finally {
            trials.close();
        }
        Finding finding = finding();
        TrialResult last = held.get(finding.low());
        folder.append(
                asRun(finding, order),
                last == null ? List.of() : last.measured().latencies());
        return found(finding);
    }

    /** Opens the folder for the user's commands; null if it cannot be opened or the search is simulated. */
    private @Nullable OrderDesk desk() {
        if (cluster == null) {
            return null;
        }
        try {
            return OrderDesk.open(settings.results(), key().fileName());
        } catch (RunFailure e) {
            listener.note(String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Runs the trials. Executes the user's commands only between trials. */
    private void searched(Orders orders) throws InterruptedException {
        orders.take(this);
        for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
            if (launcher.isStopped()) {
                throw new BenchException("it was stopped");
            }
            status.accept(String.format(
                    Locale.ROOT,
                    "%s at %s: %s at %,.0f/s",
                    driver,
                    point.id(),
                    attempt.kind().label(),
                    attempt.rate()));
            long begunNanos = System.nanoTime();
            Outcome outcome = outcome(attempt);
            listener.tried(driver, point.id(), ++count, new Trial(attempt, outcome));
            search.tell(
                    outcome,
                    cluster == null
                            ? how.expectedSeconds().getOrDefault(attempt.kind(), 0.0)
                            : (System.nanoTime() - begunNanos) / 1e9);
            if (refusal != null) {
                search.giveUp();
            }
            orders.take(this);
        }
        timeline = orders.timeline();
    }

    double extendedSeconds() {
        return extendedSeconds;
    }

    /** Returns the reason why the search ended early, or null if it did not. */
    @Nullable
    String refusal() {
        return refusal;
    }

    private Finding finding() {
        Finding finding = search.finding();
        return refusal == null
                ? finding
                : new Finding(Verdict.NOT_FOUND, Double.NaN, Double.NaN, Double.NaN, finding.trials());
    }

    private Outcome outcome(Attempt attempt) throws InterruptedException {
        try {
            // Each repetition of a trial has another seed.
            TrialResult result = trials.run(attempt, settings.seed() + count);
            keep(attempt, result);
            return result.outcome();
        } catch (GeneratorFailure e) {
            requireGoingOn(e);
            return new Outcome(Outcome.Result.GENERATOR_BOUND, String.valueOf(e.getMessage()));
        } catch (RunFailure e) {
            requireGoingOn(e);
            if (!hasPassed && hasFailed) { // the workload may be wrong, so end the search
                refusal = "driver " + driver + " at " + point.id() + ": " + e.getMessage() + "; its log is "
                        + folder.log(key());
            }
            hasFailed = true;
            return new Outcome(Outcome.Result.FAILED, String.valueOf(e.getMessage()));
        } finally {
            if (cluster != null) {
                cluster.deleteOfRun();
            }
        }
    }

    private void requireGoingOn(RuntimeException cause) {
        if (cluster != null) {
            cluster.requireBrokers();
        } // The check throws if a broker has ended, which explains the failure.
        if (launcher.isStopped()) {
            throw new BenchException("it was stopped", cause);
        }
    }

    private void keep(Attempt attempt, TrialResult result) {
        switch (result.outcome().result()) {
            case PASSED -> {
                hasPassed = true;
                if (attempt.kind() == Kind.HOLD) {
                    held.put(attempt.rate(), result);
                }
            }
            case FAILED -> failed.add(new Failed(attempt, result.figures()));
            case GENERATOR_BOUND -> {}
        }
    }

    /** Returns the figures of the failed trial that determined the limit; null if there are none. */
    private @Nullable TrialFigures edge(Finding finding) {
        if (finding.verdict() == Verdict.UNSTABLE_AT) {
            return failed.stream()
                    .filter(each -> each.attempt().kind().isPerturbation()
                            && Math.abs(each.attempt().rate() / finding.unstableAt() - 1) <= ROUNDING)
                    .reduce((before, after) -> after)
                    .map(Failed::figures)
                    .orElse(null);
        }
        double from = finding.high() / (1 + Search.MARGIN) * (1 - ROUNDING);
        return failed.stream()
                .filter(each -> !each.attempt().kind().isPerturbation()
                        && each.attempt().rate() >= from)
                .min(Comparator.comparingDouble(each -> each.attempt().rate()))
                .or(() -> failed.stream()
                        .filter(each -> each.attempt().kind() == Kind.HOLD)
                        .reduce((before, after) -> after))
                .map(Failed::figures)
                .orElse(null);
    }

    private Explored found(Finding finding) {
        TrialResult last = held.get(finding.low());
        TrialFigures edge = edge(finding);
        TrialFigures figures = last != null ? last.figures() : edge;
        double ceiling = figures == null || Double.isNaN(figures.handlerMillis())
                ? Double.NaN
                : 1e3 * figures.handlers() / figures.handlerMillis() / point.callsPerRecord();
        return new Explored(
                point.id(),
                driver,
                how.target().toString(),
                how.members(),
                finding,
                last == null ? Double.NaN : how.holdSeconds(),
                last == null ? Double.NaN : last.figures().latencyMillis(),
                ceiling,
                EdgeLimiter.of(finding.verdict(), edge, point.brokers()),
                timeline);
    }

    /** Returns the last {@code HOLD} trial at the found rate as a run. Returns a failed run if no such trial passed. */
    private Run asRun(Finding finding, int order) {
        long now = System.currentTimeMillis();
        TrialResult last = held.get(finding.low());
        if (last == null) {
            String why = refusal != null
                    ? refusal
                    : finding.verdict() == Verdict.UNSTABLE_AT
                            ? "no rate below the unstable one was confirmed"
                            : "no rate was confirmed: " + finding.verdict();
            return Run.failed(point.id(), driver, 0, order, settings.seed(), startedMillis, now, why);
        }
        Measured measured = last.measured();
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(measured.flags());
        if (!timeline.isEmpty()) {
            flags.add(Flag.CHANGED);
        }
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
                Ledger.NONE, // unknown, because members take over each other's records
                flags,
                null,
                timeline,
                List.of(),
                List.of());
    }
}
