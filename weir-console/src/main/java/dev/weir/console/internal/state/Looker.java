package dev.weir.console.internal.state;

import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.Look.Figures;
import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.StageTime;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.ThreadActivity;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the pipeline's state once a second, on a separate thread. Thread-safe. */
public final class Looker implements ConsoleSubject, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Looker.class);

    private record Subject(RunningPipeline pipeline, Supplier<@Nullable Limiter> limiter) {}

    private record Lag(long atNanos, long records, Set<TopicPartition> of) {}

    /** Time for which threads are sampled after a request for the full state. */
    private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Number of seconds over which the fall of the lag is measured, as in {@link RecentCounters}. */
    private static final int LAGS = 5;

    /** Time for which requests get the same state. Programs that tune read it more than once a second. */
    public static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Controls controls;
    private final LongSupplier clock;
    private volatile long askedNanos = System.nanoTime() - ASKED_NANOS;
    private final History history = new History();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-console-look").factory());
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private @Nullable Subject subject;
    private final Map<String, RecentCounters> recent = new HashMap<>();
    private final Map<String, StageLook> shares = new HashMap<>();
    private @Nullable Limiter limiter;
    private @Nullable LimiterProbe ownProbe;
    private final ThreadTable threadTable = new ThreadTable();
    private final Trend trend = new Trend();
    private final Deque<Lag> lags = new ArrayDeque<>();
    private @Nullable ProcessReading process;
    private long threadsNanos;
    private long collectionMillis = -1; // not read yet
    private @Nullable String step;

    /** State for requests, with its time and whether the pipeline had ended. Null if it must be built. */
    private byte @Nullable [] state;

    private long stateNanos;
    private boolean stateIsOver;

    /** Metrics for requests until the next reading. Null if they must be written. */
    private byte @Nullable [] trendLine;

    private long number;
    private boolean failed;
    private boolean isLimiterLost;
    private boolean closed;

    public Looker(Controls controls) {
        this(controls, System::nanoTime);
    }

    /**
     * Creates a looker for tests.
     *
     * @param clock the time in nanoseconds, for the time that requests share a state
     */
    public Looker(Controls controls, LongSupplier clock) {
        this.controls = controls;
        this.clock = clock;
    }

    public void start() {
        // At a fixed rate, the readings after a long one would follow at once and cover too little time.
        var ignored = thread.scheduleWithFixedDelay(this::lookAgain, 0, 1, TimeUnit.SECONDS);
    }

    /** Sets the text that the page shows until there is a pipeline. */
    public void announce(String newStep) {
        lock.lock();
        try {
            step = newStep;
            state = null;
        } finally {
            lock.unlock();
        }
    }

    /** Shows the given pipeline, with a limiter probe that ends with it or with this object. */
    public void show(RunningPipeline pipeline) {
        LimiterProbe probe = LimiterProbe.start(pipeline);
        show(new Subject(pipeline, probe::limiter), probe);
    }

    /**
     * Shows the given pipeline.
     *
     * @param newLimiter called once a second on the reading thread
     */
    public void show(RunningPipeline pipeline, Supplier<@Nullable Limiter> newLimiter) {
        show(new Subject(pipeline, newLimiter), null);
    }

    private void show(Subject next, @Nullable LimiterProbe newProbe) {
        LimiterProbe over;
        lock.lock();
        try {
            recent.clear();
            shares.clear();
            lags.clear();
            threadTable.clear();
            limiter = null;
            subject = next;
            controls.show(next.pipeline);
            state = null;
            over = closed ? newProbe : ownProbe;
            ownProbe = closed ? null : newProbe;
        } finally {
            lock.unlock();
        }
        close(over);
    }

    private static void close(@Nullable LimiterProbe probe) {
        if (probe != null) {
            probe.close();
        }
    }

    @Override
    public History history() {
        return history;
    }

    @Override
    public List<TimelineEntry> timeline() {
        return controls.timeline().entries();
    }

    @Override
    public ControlReport set(Map<String, String> wanted, String by) {
        try {
            return controls.set(wanted, by);
        } finally {
            forgetState();
        }
    }

    /**
     * Returns the full current state, with the rates, shares and limiter of the last reading. Requests within {@link
     * #SHARED_NANOS} get the same state, so many viewers cost little.
     */
    @Override
    public byte[] now() {
        askedNanos = System.nanoTime();
        lock.lock();
        try {
            Subject looked = subject;
            boolean isOver = looked != null && looked.pipeline.hasEnded();
            byte[] shared = state;
            if (shared == null || isOver != stateIsOver || clock.getAsLong() - stateNanos >= SHARED_NANOS) {
                shared = Json.line(build(looked));
                state = shared;
                stateIsOver = isOver;
                stateNanos = clock.getAsLong();
            }
            return shared;
        } finally {
            lock.unlock();
        }
    }

    private String build(@Nullable Subject looked) {
        if (System.nanoTime() - threadsNanos > TimeUnit.MILLISECONDS.toNanos(1_500)) {
            lookAtThreads();
        }
        return SnapshotJson.full(look(), controls, threadTable, looked == null ? null : Progress.of(looked.pipeline));
    }

    /** Makes the next request see a change. */
    private void forgetState() {
        lock.lock();
        try {
            state = null;
        } finally {
            lock.unlock();
        }
    }

    private void lookAgain() {
        lock.lock();
        try {
            Subject looked = subject;
            List<StageSnapshot> stages = looked == null ? List.of() : looked.pipeline.stages();
            for (StageSnapshot stage : stages) {
                shares.put(
                        stage.name(),
                        recent.computeIfAbsent(stage.name(), name -> new RecentCounters())
                                .next(stage));
            }
            number++;
            limiter = looked == null ? null : limiterOf(looked);
            process = ProcessReading.after(process);
            boolean isAsked = history.isRead() || System.nanoTime() - askedNanos < ASKED_NANOS;
            if (isAsked) {
                lookAtThreads();
            }
            Look look = look();
            remember(look);
            history.add(
                    new History.Entry(number, SnapshotJson.brief(look)),
                    SnapshotJson.full(look, controls, threadTable, null));
            failed = false;
        } catch (Throwable e) { // an exception thrown from here would silently end the schedule
            if (!failed) {
                LOG.warn("the console cannot look at the pipeline", e);
            }
            failed = true;
        } finally {
            lock.unlock();
        }
    }

    private void lookAtThreads() {
        Subject looked = subject;
        threadTable.look(looked == null ? List.of() : looked.pipeline.handles(ThreadActivity.class));
        threadsNanos = System.nanoTime();
    }

    private void remember(Look look) {
        long lag = Look.lagOf(look.consumer());
        Set<TopicPartition> known = known(look.consumer());
        if (!lags.isEmpty() && !known.equals(lags.getLast().of)) {
            lags.clear(); // a partition that comes or goes is no change of the lag
        }
        if (lag >= 0) {
            lags.addLast(new Lag(System.nanoTime(), lag, known));
            if (lags.size() > LAGS + 1) {
                lags.removeFirst();
            }
        }
        ProcessReading now = Objects.requireNonNull(process);
        long collected = collectionMillis < 0 ? 0 : now.collectionMillis() - collectionMillis;
        collectionMillis = now.collectionMillis();
        trendLine = null;
        trend.add(
                look.at().toEpochMilli(),
                look.stages().isEmpty() ? 0 : look.stages().getLast().outPerSecond(),
                look.consumer() == null ? 0 : lag < 0 ? Double.NaN : lag,
                now.cpuShare(),
                (double) now.heap().getUsed(),
                now.allocatedPerSecond(),
                (double) collected);
    }

    private Figures figures(List<StageLook> stages, @Nullable ConsumerDump consumer) {
        double seconds =
                stages.stream().mapToDouble(StageLook::recentSeconds).max().orElse(0);
        Lag first = lags.peekFirst();
        Lag last = lags.peekLast();
        double fall = first == null
                        || last == null
                        || first == last
                        || !known(consumer).equals(last.of)
                ? Double.NaN
                : (first.records - last.records) * 1e9 / (last.atNanos - first.atNanos);
        return new Figures(seconds, fall);
    }

    private static Set<TopicPartition> known(@Nullable ConsumerDump consumer) {
        return Look.known(consumer).stream()
                .map(each -> new TopicPartition(each.topic(), each.partition()))
                .collect(Collectors.toSet());
    }

    /** Returns the metrics of the complete run as JSON. */
    @Override
    public byte[] trend() {
        lock.lock();
        try {
            if (trendLine == null) {
                trendLine = Json.line(Json.object(trend::write));
            }
            return trendLine;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the limiter; null after a failure, which is only logged. */
    private @Nullable Limiter limiterOf(Subject looked) {
        try {
            Limiter found = looked.limiter.get();
            isLimiterLost = false;
            return found;
        } catch (RuntimeException | Error e) {
            if (!isLimiterLost) {
                LOG.warn("the console cannot find the limiter", e);
            }
            isLimiterLost = true;
            return null;
        }
    }

    private Look look() {
        Subject looked = subject;
        if (looked == null) {
            return new Look(
                    number,
                    Instant.now(),
                    "",
                    false,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    null,
                    null,
                    null,
                    process,
                    Figures.NONE,
                    step);
        }
        RunningPipeline pipeline = looked.pipeline;
        List<ConsumerHandle> consumers = pipeline.handles(ConsumerHandle.class);
        ConsumerDump dump = consumers.isEmpty() ? null : consumers.getFirst().dump();
        ConsumerHealth health =
                consumers.isEmpty() ? null : consumers.getFirst().health();
        List<StageLook> stages = pipeline.stages().stream().map(this::asOfNow).toList();
        return new Look(
                number,
                Instant.now(),
                pipeline.name(),
                !pipeline.hasEnded(),
                stages,
                pipeline.handles(DispatcherControl.class).stream()
                        .map(DispatcherControl::snapshot)
                        .sorted(Comparator.comparing(DispatcherSnapshot::name))
                        .toList(),
                pipeline.handles(ThreadActivity.class).stream()
                        .flatMap(threads -> threads.now().stream())
                        .toList(),
                pipeline.handles(WrittenTopics.class).stream()
                        .flatMap(output -> output.topics().stream())
                        .distinct()
                        .sorted()
                        .toList(),
                dump,
                health,
                limiter,
                process,
                figures(stages, dump),
                null);
    }

    /**
     * Returns the stage with its current counters. Adds the shares and rates from the limiter's measurement if it
     * includes the stage.
     */
    private StageLook asOfNow(StageSnapshot now) {
        StageLook last = shares.get(now.name());
        StageLook counted = last == null ? StageLook.between(null, null, now) : last.with(now);
        Limiter found = limiter;
        StageTime time = found == null ? null : found.stage(now.name());
        return found == null || time == null ? counted : counted.judged(time, found.seconds());
    }

    /** Stops the threads, and ends all waits for readings. */
    @Override
    public void close() {
        LimiterProbe over;
        lock.lock();
        try {
            closed = true;
            over = ownProbe;
            ownProbe = null;
        } finally {
            lock.unlock();
        }
        close(over);
        thread.shutdownNow();
        history.close();
    }
}
