package dev.weir.metrics;

import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes a running pipeline continuously and reports its limiter. Thread-safe.
 *
 * <pre>{@code
 * void tell(RunningPipeline running) throws InterruptedException {
 *     try (LimiterProbe probe = LimiterProbe.start(running)) {
 *         running.await();
 *         System.out.println(probe.overall().sentence());
 *     }
 * }
 * }</pre>
 *
 * <p>A daemon thread takes a reading ten times a second until the pipeline ends or the probe is closed. A reading
 * samples counters and thread states. Once a second, it also searches for the oldest records, under the locks of the
 * stages that may contain them.
 */
public final class LimiterProbe implements AutoCloseable {

    /** The interval between readings. */
    public static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

    private static final Logger LOG = LoggerFactory.getLogger(LimiterProbe.class);

    /** Number of readings for {@link #limiter}: five seconds, as on the console. */
    private static final int LOOKS_KEPT = 51;

    /** Number of readings for the rate before a change: two seconds. */
    private static final int LOOKS_BEFORE = 21;

    /** Number of readings per verdict, which names their limiter. {@link #overall} adds up all verdicts. */
    private static final int LOOKS_PER_VERDICT = 10;

    /** Shortest observation that can have a limiter. */
    private static final long EARLY_NANOS = Duration.ofMillis(900).toNanos();

    /** A failed run has a limiter only if records have moved for at least this time. */
    private static final double LEAST_FLOW_SECONDS = 5;

    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    private final RunningPipeline pipeline;
    private final CountDownLatch over = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread looker;

    // Guarded by the lock.
    private final Deque<PipelineLook> looks = new ArrayDeque<>();
    private final Verdicts verdicts = new Verdicts();
    private final Gains gains = new Gains();
    private int sinceVerdict;

    /** Limiter as of the last reading; null until {@link #limiter} is called. */
    private @Nullable Limiter found;

    /** True if the last reading failed. Confined to the reading thread. */
    private boolean failing;

    private LimiterProbe(RunningPipeline pipeline) {
        this.pipeline = pipeline;
        this.looker = Thread.ofPlatform()
                .daemon()
                .name("weir-limiter-" + pipeline.name())
                .unstarted(this::lookUntilOver);
    }

    /** Starts observing {@code pipeline}. */
    public static LimiterProbe start(RunningPipeline pipeline) {
        LimiterProbe probe = new LimiterProbe(Objects.requireNonNull(pipeline, "pipeline"));
        probe.look();
        // The pipeline keeps this action until it ends. A reference to the probe would keep all readings too.
        CountDownLatch over = probe.over;
        var ignored = pipeline.completion().whenComplete((report, failure) -> over.countDown());
        probe.looker.start();
        return probe;
    }

    private void lookUntilOver() {
        try {
            while (!over.await(LOOK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                look();
            }
        } catch (InterruptedException e) { // Not expected, because nothing interrupts this private thread.
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            add(
                    isDue()
                            ? PipelineLook.at(pipeline, MachineLook.now())
                            : PipelineLook.inPassing(pipeline, MachineLook.now()));
            failing = false;
        } catch (Throwable e) { // Caught because it would otherwise end the thread silently.
            if (!failing) {
                LOG.warn("the limiter of pipeline {} is not looked for", pipeline.name(), e);
            }
            failing = true;
        }
    }

    /** Returns whether the next reading completes a verdict. */
    private boolean isDue() {
        lock.lock();
        try {
            return sinceVerdict == LOOKS_PER_VERDICT;
        } finally {
            lock.unlock();
        }
    }

    private void add(PipelineLook look) {
        lock.lock();
        try {
            if (!looks.isEmpty()) {
                List<PipelineLook> before = List.copyOf(looks);
                gains.look(before.subList(Math.max(0, before.size() - LOOKS_BEFORE), before.size()), look);
            }
            looks.addLast(look);
            found = null;
            if (looks.size() > LOOKS_KEPT) {
                looks.removeFirst();
            }
            sinceVerdict++;
            if (sinceVerdict > LOOKS_PER_VERDICT) {
                List<PipelineLook> all = List.copyOf(looks);
                verdicts.add(all.subList(all.size() - 1 - LOOKS_PER_VERDICT, all.size()));
                sinceVerdict = 1;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the current limiter, based on the last five seconds, or less at the start. After the pipeline has ended,
     * returns the last limiter. If a user follows the advice, the result includes the measured gain after about three
     * seconds.
     */
    public Limiter limiter() {
        lock.lock();
        try {
            Limiter limits = found;
            if (limits == null) {
                List<PipelineLook> recent = twoIfPossible();
                limits = isTooShort(recent) ? tooShort(recent) : LimiterFinder.find(recent);
                found = limits;
            }
            return measured(limits);
        } finally {
            lock.unlock();
        }
    }

    private static boolean isTooShort(List<PipelineLook> recent) {
        return recent.size() < 2
                || recent.getLast().atNanos() - recent.getFirst().atNanos() < EARLY_NANOS;
    }

    private Limiter tooShort(List<PipelineLook> recent) {
        Limiter none = pipeline.hasEnded()
                ? Limiter.unknown("the run ended within a second")
                : Limiter.measuring("the pipeline has been looked at for less than a second");
        return from(recent, none);
    }

    /** Adds the values of the readings to a finding, if there are two of them. */
    private static Limiter from(List<PipelineLook> recent, Limiter finding) {
        return recent.size() < 2 ? finding : finding.from(Interval.of(recent));
    }

    /**
     * Returns the limiter of most of the run so far. Ignores the time before the first record and after the last one,
     * unless no record has moved at all. If records have not moved for a second, returns a finding that says so, unless
     * the pipeline has ended and finished all of them. Names no limiter for a run that was too short, or that failed
     * before records had moved for five seconds.
     */
    public Limiter overall() {
        lock.lock();
        try {
            // A failure stops all records, so do not search a failed run for stuck records.
            return measured(hasFailed() ? ofFailedRun() : ofMostTime());
        } finally {
            lock.unlock();
        }
    }

    private Limiter ofFailedRun() {
        Limiter longest = verdicts.flowedSeconds() < LEAST_FLOW_SECONDS ? null : verdicts.longest();
        return longest != null
                ? longest
                : from(twoIfPossible(), Limiter.unknown("the run failed before a limiter could be found"));
    }

    private Limiter ofMostTime() {
        Limiter stuck = isDrained() ? null : stuck(looks);
        Limiter longest = stuck == null ? verdicts.longest() : stuck;
        if (longest != null) {
            return longest;
        }
        List<PipelineLook> all = twoIfPossible();
        return isTooShort(all) ? tooShort(all) : LimiterFinder.findPast(all);
    }

    /** Returns whether the run has failed. A cancelled run has not, for example after a drain's deadline. */
    private boolean hasFailed() {
        if (!pipeline.hasEnded()) {
            return false;
        }
        CompletableFuture<DrainReport> completion = pipeline.completion();
        // A cancelled run is FAILED too; its exception is a CancellationException.
        return completion.state() == Future.State.FAILED
                && !(completion.exceptionNow() instanceof CancellationException);
    }

    private boolean isDrained() {
        return pipeline.hasEnded()
                && !pipeline.completion().isCompletedExceptionally()
                && pipeline.completion().join().drained();
    }

    /** Returns why records are stuck; null if they move or there are none. */
    static @Nullable Limiter stuck(Collection<PipelineLook> looks) {
        List<PipelineLook> still = new ArrayList<>();
        for (PipelineLook look : looks) {
            if (!still.isEmpty() && Verdicts.flow(look) != Verdicts.flow(still.getLast())) {
                still.clear();
            }
            still.add(look);
        }
        // Remove readings without records in flight from the end. They were taken after a consumer was closed.
        while (still.size() > LOOKS_PER_VERDICT && Interval.of(still).unfinished() == 0) {
            still.removeLast();
        }
        if (still.size() <= LOOKS_PER_VERDICT) {
            return null;
        }
        Limiter found = LimiterFinder.find(still);
        Interval interval = Interval.of(still);
        boolean isNone = !found.kind().isLimit()
                || interval.stages().stream()
                        .anyMatch(stage -> stage.name().equals(found.name()) && (!stage.isTouched() || isEmpty(stage)));
        return isNone ? SourceRules.stuck(interval).from(interval) : found;
    }

    /** Returns whether the stage has no elements. For example, a source waits for the run to end. */
    private static boolean isEmpty(StageLoad stage) {
        return stage.atWork() == 0 && stage.inPass() == 0 && stage.last().depth() == 0;
    }

    private Limiter measured(Limiter found) {
        Double gain = gains.measured();
        return gain == null ? found : found.measured(gain);
    }

    /** Returns the readings. If there is only one, takes another. Returns fewer than two if readings fail. */
    private List<PipelineLook> twoIfPossible() {
        if (looks.size() == 1) {
            try {
                looks.addLast(PipelineLook.at(pipeline, MachineLook.now()));
            } catch (RuntimeException | Error failed) {
                LOG.debug("no second reading of pipeline {}", pipeline.name(), failed);
            }
        }
        return List.copyOf(looks);
    }

    /** Stops the thread. The findings remain available. */
    @Override
    public void close() {
        over.countDown();
        try {
            looker.join(JOIN_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds up the time of each limiter. Guarded by the probe's lock. */
    static final class Verdicts {

        private record Subject(Kind kind, String name) {}

        private record Total(double seconds, Limiter last) {

            Total and(Total later) {
                return new Total(seconds + later.seconds, later.last);
            }
        }

        private final Map<Subject, Total> counted = new HashMap<>();

        /** Totals since the last record moved, added to {@link #counted} when another record moves. */
        private final Map<Subject, Total> still = new HashMap<>();

        private boolean flowed;

        void add(List<PipelineLook> looks) {
            Limiter found = LimiterFinder.findPast(looks);
            if (found.kind() == Kind.MEASURING) { // no limiter found
                return;
            }
            Subject subject = new Subject(found.kind(), found.name());
            PipelineLook first = looks.getFirst();
            PipelineLook last = looks.getLast();
            Total total = new Total((last.atNanos() - first.atNanos()) / 1e9, found);
            if (flow(last) <= flow(first)) {
                still.merge(subject, total, Total::and);
                return;
            }
            if (flowed) {
                still.forEach((each, waited) -> counted.merge(each, waited, Total::and));
            }
            still.clear();
            flowed = true;
            counted.merge(subject, total, Total::and);
        }

        /** Returns the total number of elements emitted by all stages. */
        private static long flow(PipelineLook look) {
            long sum = 0;
            for (StageSnapshot stage : look.stages()) {
                sum += stage.elementsOut();
            }
            return sum;
        }

        /** Returns the seconds from the first to the last moving record, in whole verdicts. */
        double flowedSeconds() {
            return counted.values().stream().mapToDouble(Total::seconds).sum();
        }

        @Nullable
        Limiter longest() {
            Map<Subject, Total> from = counted.isEmpty() ? still : counted;
            Total longest = null;
            for (Total each : from.values()) {
                longest = longest == null || each.seconds > longest.seconds ? each : longest;
            }
            return longest == null ? null : longest.last;
        }
    }
}
