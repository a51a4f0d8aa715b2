package dev.weir.console.internal.state;

import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.metrics.Limiter;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.ThreadActivity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Looks at the pipeline once a second, on a thread of its own. Thread-safe. */
public final class Looker implements ConsoleSubject, AutoCloseable {

    private static final Logger LOG = System.getLogger(Looker.class.getName());

    /** What is looked at. */
    private record Subject(RunningPipeline pipeline, Supplier<@Nullable Limiter> limiter) {}

    private final Controls controls;
    private final History history = new History();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-console-look").factory());
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private @Nullable Subject subject;
    private final Map<String, RecentCounters> recent = new HashMap<>();
    private final Map<String, StageLook> shares = new HashMap<>();
    private @Nullable Limiter limiter;
    private @Nullable String step;
    private long number;
    private boolean failed;

    public Looker(Controls controls) {
        this.controls = controls;
    }

    public void start() {
        var ignored = thread.scheduleAtFixedRate(this::lookAgain, 0, 1, TimeUnit.SECONDS);
    }

    /** Says what the process does until there is a pipeline to look at. */
    public void announce(String newStep) {
        lock.lock();
        try {
            step = newStep;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The pipeline to look at from now on.
     *
     * @param newLimiter asked once a second, on the thread that looks
     */
    public void show(RunningPipeline pipeline, Supplier<@Nullable Limiter> newLimiter) {
        lock.lock();
        try {
            recent.clear();
            shares.clear();
            limiter = null;
            subject = new Subject(pipeline, newLimiter);
        } finally {
            lock.unlock();
        }
        controls.show(pipeline);
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
        return controls.set(wanted, by);
    }

    /** The state of this moment, in full; the rates, the shares and the limiter are those of the last look. */
    @Override
    public String now() {
        lock.lock();
        try {
            Subject looked = subject;
            return LookText.full(look(), controls.knobs(), looked == null ? null : Progress.of(looked.pipeline));
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
            limiter = looked == null ? null : looked.limiter.get();
            Look look = look();
            history.add(new History.Entry(number, LookText.brief(look)), LookText.full(look, controls.knobs(), null));
            failed = false;
        } catch (RuntimeException | LinkageError e) { // What is thrown from here would end the schedule in silence.
            if (!failed) {
                LOG.log(Level.WARNING, "the console cannot look at the pipeline", e);
            }
            failed = true;
        } finally {
            lock.unlock();
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
                    step);
        }
        RunningPipeline pipeline = looked.pipeline;
        List<ConsumerHandle> consumers = pipeline.handles(ConsumerHandle.class);
        ConsumerDump dump = consumers.isEmpty() ? null : consumers.getFirst().dump();
        ConsumerHealth health =
                consumers.isEmpty() ? null : consumers.getFirst().health();
        return new Look(
                number,
                Instant.now(),
                pipeline.name(),
                !pipeline.completion().isDone(),
                pipeline.stages().stream().map(this::asOfNow).toList(),
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
                null);
    }

    private StageLook asOfNow(StageSnapshot now) {
        StageLook last = shares.get(now.name());
        return last == null
                ? StageLook.between(null, null, now)
                : new StageLook(now, last.inPerSecond(), last.outPerSecond(), last.busy(), last.up(), last.down());
    }

    /** Ends its thread and all waits for looks. */
    @Override
    public void close() {
        thread.shutdownNow();
        history.close();
    }
}
