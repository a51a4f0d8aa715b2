package dev.weir.bench.trial;

import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Outcome.Result;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.TrialFigures;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.PartitionSpread;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Judges a trial from the reports that cover its judged time. Confined to one thread.
 *
 * <p>A trial of kind {@code STEP} or {@code HOLD} passes if the judged time and its last third meet the target, and
 * members do not fall further behind. After a perturbation, the group has recovered if the last third meets the target.
 * It is still recovering if its delay shrinks and all due records arrive.
 */
final class TrialJudgement {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Tolerated lateness of the generator, or {@link #TOLERATED_SHARE} of the target's limit if that is larger. */
    private static final double TOLERATED_MILLIS = 10;

    private static final double TOLERATED_SHARE = 0.1;

    /** Largest growth of the delay, as a fraction of the elapsed time, at which members keep up. */
    private static final double FALLING_BEHIND = 0.025;

    private static final double CATCHING_UP = 0.005;

    /**
     * Lag at which a trial is aborted, because members cannot catch up before its end; {@link #LOST_FACTOR} times the
     * target's limit if that is larger.
     */
    private static final double LOST_MILLIS = 3_000;

    private static final double LOST_FACTOR = 10;

    /** A growth of the median delay up to this value is always ignored. */
    private static final double LEAST_MILLIS = 50;

    private static final int LEAST_LOOKS = 30;

    /** Fraction of the planned records below which the generator counts as stalled. */
    private static final double MOST_OF_THE_PLAN = 0.9;

    /** Largest shortfall of sent records that chance explains, in standard deviations. */
    private static final double DEVIATIONS = 4;

    private final Attempt attempt;
    private final ExploreSettings settings;
    private final WorkloadPoint point;
    private final LatencyTarget target;
    private final int handlers;
    private final long fromNanos;
    private final long toNanos;
    private final TrialWindow whole;
    private final TrialWindow[] thirds;
    private final List<TrialWindow> looks = new ArrayList<>();

    /**
     * Creates a judgement of the time that begins at {@code fromNanos}, a value of {@link System#nanoTime}, and lasts
     * for {@code seconds}.
     *
     * @param handlers the number of handlers in all members together that may block at the same time; 0 if handlers do
     *     not block
     */
    TrialJudgement(
            Attempt attempt,
            ExploreSettings settings,
            WorkloadPoint point,
            int handlers,
            long fromNanos,
            double seconds) {
        this.handlers = handlers;
        this.attempt = attempt;
        this.settings = settings;
        this.point = point;
        this.target = settings.target();
        this.fromNanos = fromNanos;
        long nanos = (long) (seconds * SECOND_NANOS);
        this.toNanos = fromNanos + nanos;
        double[] partitions = PartitionSpread.shares(point.partitions(), point.partitionSkew());
        this.whole = new TrialWindow(fromNanos, toNanos, partitions);
        this.thirds = new TrialWindow[] {
            new TrialWindow(fromNanos, fromNanos + nanos / 3),
            new TrialWindow(fromNanos + nanos / 3, fromNanos + nanos / 3 * 2),
            new TrialWindow(fromNanos + nanos / 3 * 2, toNanos, partitions)
        };
        long step = Math.max(SECOND_NANOS, nanos / LEAST_LOOKS);
        for (long at = fromNanos; at - toNanos < 0; at += step) {
            looks.add(new TrialWindow(at, at + Math.min(step, toNanos - at)));
        }
    }

    /** Returns the length of the judged time of a trial. */
    static double seconds(Attempt attempt, ExploreSettings settings) {
        return switch (attempt.kind()) {
            case STEP -> settings.stepSeconds();
            case HOLD -> settings.holdSeconds();
            default -> settings.recoverySeconds();
        };
    }

    /** Returns whether members have fallen so far behind that the trial should be aborted. */
    boolean isLost() {
        return !attempt.kind().isPerturbation()
                && recentMillis() > Math.max(LOST_MILLIS, LOST_FACTOR * target.limitMillis());
    }

    long toNanos() {
        return toNanos;
    }

    /** Returns whether the midpoint of an interval lies within the judged time. */
    boolean contains(long startNanos, long endNanos) {
        long middle = startNanos + (endNanos - startNanos) / 2;
        return middle - fromNanos >= 0 && middle - toNanos < 0;
    }

    void add(int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
        whole.add(member, startNanos, endNanos, interval, timings);
        for (TrialWindow third : thirds) {
            third.add(member, startNanos, endNanos, interval, timings);
        }
        for (TrialWindow look : looks) {
            look.add(member, startNanos, endNanos, interval, timings);
        }
    }

    /** The median delay of the most recent records; 0 before the first report. */
    private double recentMillis() {
        for (TrialWindow look : looks.reversed()) {
            if (look.records() > 0) {
                return look.medianMillis();
            }
        }
        return 0;
    }

    /**
     * Returns the outcome of the trial.
     *
     * @param isLost whether the trial was aborted because the members were too far behind
     * @param endNanos when the trial ended or was aborted
     * @param sent the number of records sent during the judged time
     * @param lateness the lateness of these records
     */
    Outcome outcome(boolean isLost, long endNanos, long sent, Histogram lateness) {
        Outcome judged = isLost
                ? new Outcome(Result.FAILED, behind(recentMillis()))
                : attempt.kind().isPerturbation() ? recovered() : held();
        // A late generator cannot cause a pass, but it can cause any other result.
        if (judged.result() == Result.PASSED && !judged.projected()) {
            return judged;
        }
        if (isGeneratorBound(lateness)) {
            return new Outcome(Result.GENERATOR_BOUND, "the generator sent late; " + judged.why());
        }
        return hasStalled(endNanos, sent)
                ? new Outcome(Result.GENERATOR_BOUND, "the generator sent too few records; " + judged.why())
                : judged;
    }

    /** Returns whether far fewer records were sent than planned. Allows for two missing reports. */
    private boolean hasStalled(long endNanos, long sent) {
        double seconds = Math.min(endNanos - fromNanos, toNanos - fromNanos) / (double) SECOND_NANOS;
        double due = attempt.rate() * (seconds - 2 * intervalSeconds());
        return due > 0 && sent < MOST_OF_THE_PLAN * due - DEVIATIONS * Math.sqrt(due);
    }

    private double intervalSeconds() {
        return point.intervalMillis() / 1e3;
    }

    private static String behind(double millis) {
        return String.format(Locale.ROOT, "members lay %,.1f s behind", millis / 1e3);
    }

    private boolean isGeneratorBound(Histogram lateness) {
        double tolerance = Math.max(TOLERATED_MILLIS, TOLERATED_SHARE * target.limitMillis());
        double share = Math.max(LimitingParty.MAX_LATE_SHARE, (1 - target.percentile() / 100) / 2);
        return LimitingParty.isGeneratorBound(lateness, (long) (tolerance * 1e6), share);
    }

    private Outcome held() {
        String objection = whole.objection(target, attempt.rate());
        if (objection == null) {
            objection = thirds[2].objection(target, attempt.rate());
        }
        double grownMillis = thirds[2].medianMillis() - thirds[0].medianMillis();
        if (objection == null && grownMillis > Math.max(LEAST_MILLIS, FALLING_BEHIND * betweenThirds(2))) {
            objection = String.format(Locale.ROOT, "members fell behind by %,.0f ms", grownMillis);
        }
        return objection == null ? new Outcome(Result.PASSED, latency(whole)) : new Outcome(Result.FAILED, objection);
    }

    /** The length of {@code apart} thirds of the judged time, in milliseconds. */
    private double betweenThirds(int apart) {
        return apart * thirds[0].seconds() * 1e3;
    }

    private String latency(TrialWindow window) {
        return String.format(
                Locale.ROOT, "p%s %,.1f ms", TrialWindow.trimmed(target.percentile()), window.millis(target));
    }

    private Outcome recovered() {
        String objection = thirds[2].objection(target, attempt.rate());
        if (objection == null) {
            return new Outcome(Result.PASSED, latency(thirds[2]), recoveryMillis(), false, Double.NaN);
        }
        double behind = thirds[2].medianMillis();
        double caughtUp = thirds[1].medianMillis() - behind;
        if (caughtUp >= CATCHING_UP * betweenThirds(1) && isAllDelivered(thirds[2])) {
            double left = behind / (caughtUp / betweenThirds(1));
            return new Outcome(
                    Result.PASSED,
                    objection + ", and members caught up",
                    thirds[0].seconds() * 3e3 + left,
                    true,
                    Double.NaN);
        }
        return new Outcome(
                Result.FAILED,
                objection + (Double.isNaN(behind) ? "" : ", " + behind(behind)),
                Double.NaN,
                false,
                thirds[2].arrivalRate());
    }

    /** Returns whether as many records arrived in the window as were sent. Tolerates one interval's records. */
    private boolean isAllDelivered(TrialWindow window) {
        double due = attempt.rate() * (1 - intervalSeconds() / window.seconds());
        return window.arrivalRate() >= due && window.silentPartition(attempt.rate()) < 0;
    }

    /** The time from the beginning to the end of the last slice that missed the target. Ignores the last third. */
    private double recoveryMillis() {
        double millis = 0;
        for (TrialWindow look : looks) {
            if (look.fromNanos() - thirds[2].fromNanos() < 0 && look.millis(target) > target.limitMillis()) {
                millis = (look.fromNanos() - fromNanos) / 1e6 + look.seconds() * 1e3;
            }
        }
        return millis;
    }

    /**
     * Adds figures to the outcome.
     *
     * @param endNanos when the trial ended or was aborted
     * @param brokerNanos the brokers' processor time during the trial
     * @param around the figures of the machine and the brokers
     */
    TrialResult result(Outcome outcome, long endNanos, long brokerNanos, Map<String, Double> around) {
        double nanos = Math.max(1, Math.min(endNanos - fromNanos, toNanos - fromNanos));
        Usage usage = whole.usage();
        double busy = around.getOrDefault("host: busy %", Double.NaN) / 100;
        TrialFigures figures = new TrialFigures(
                whole.millis(target),
                usage == null ? Double.NaN : usage.cpuNanos() / nanos,
                brokerNanos == Interval.UNKNOWN ? Double.NaN : brokerNanos / nanos,
                busy,
                whole.handlers().calls() == 0 ? Double.NaN : whole.handlers().meanMillis(),
                handlers == 0 ? Double.NaN : whole.handlers().nanos() / nanos / handlers,
                handlers,
                LockWindow.heldShare(point, around.getOrDefault(LockWindow.HELD, Double.NaN)));
        return new TrialResult(outcome, figures, measured(usage, (long) nanos, brokerNanos, figures, around));
    }

    private Measured measured(
            @Nullable Usage usage, long nanos, long brokerNanos, TrialFigures figures, Map<String, Double> around) {
        long cpu = usage == null ? Interval.UNKNOWN : usage.cpuNanos();
        long allocated = usage == null ? Interval.UNKNOWN : usage.allocatedBytes();
        long collected = usage == null ? Interval.UNKNOWN : usage.gcMillis();
        Interval interval = new Interval(
                0,
                Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)),
                whole.records(),
                whole.bytes(),
                cpu,
                allocated,
                collected,
                Interval.UNKNOWN,
                usage == null ? Interval.UNKNOWN : usage.heapBytes(),
                usage == null ? Interval.UNKNOWN : usage.directBytes(),
                brokerNanos);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("members", (double)
                Math.max(settings.members(), whole.consumers().size()));
        metrics.put("planned/s", attempt.rate());
        if (!Double.isNaN(figures.handlersBusyShare())) {
            metrics.put(Totals.HANDLER_MILLIS, figures.handlerMillis());
            metrics.put("handlers busy %", 100 * figures.handlersBusyShare());
        }
        metrics.putAll(around);
        LockWindow.put(point, metrics);
        Totals totals = new Totals(
                whole.records(),
                whole.bytes(),
                nanos,
                cpu,
                allocated,
                collected,
                Interval.UNKNOWN,
                brokerNanos,
                metrics);
        // No process knows the counts, because partitions move between members.
        LedgerFigures ledger = new LedgerFigures(0, 0, 0, 0, 0);
        return new Measured(0, List.of(interval), totals, ledger, Set.of(), latencies(nanos));
    }

    private List<Histogram> latencies(long nanos) {
        List<Histogram> latencies = new ArrayList<>();
        keep(whole.all(), LatencyTags.RESPONSE, nanos, latencies);
        int partition = 0;
        for (Histogram one : whole.partitions()) {
            keep(one, LatencyTags.responseOfPartition(partition++), nanos, latencies);
        }
        whole.consumers().forEach((member, one) -> keep(one, LatencyTags.responseOfConsumer(member), nanos, latencies));
        return latencies;
    }

    private static void keep(Histogram histogram, String tag, long nanos, List<Histogram> into) {
        if (histogram.getTotalCount() > 0) {
            long now = System.currentTimeMillis();
            histogram.setTag(tag);
            histogram.setStartTimeStamp(now - TimeUnit.NANOSECONDS.toMillis(nanos));
            histogram.setEndTimeStamp(now);
            into.add(histogram);
        }
    }
}
