package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import dev.weir.stream.DrainReport;
import dev.weir.stream.ResultKey;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.steering.ThreadLook;
import dev.weir.stream.internal.waiting.DrainListeners;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.AwaitedFuture;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.EndAwaiters;
import dev.weir.stream.spi.JvmExit;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.Whereabouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run of a pipeline, with its tasks, its stages and its end. Thread-safe.
 *
 * <p>States: RUNNING; STOPPING after a stop was requested; TERMINATING after the last task has ended, while resources
 * are being closed; completed. A failure or {@link #cancel} interrupts all tasks and leads to TERMINATING. The run
 * reports its first failure.
 */
public final class PipelineRun implements RunningPipeline, StageLifetime {

    /** Time that cancelled stages have to return. Later, the drain report lists them as still running. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Time that JVM shutdown allows for closing resources after a cancellation, so that a consumer can commit and leave
     * its group. A platform may kill the process earlier.
     */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(18);

    /** Interval at which a drain during JVM shutdown looks for threads that have called System.exit. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Number of checks, one second in total, after which a drain during JVM shutdown gives up on idle threads. */
    private static final int RESTFUL_LOOKS = 5;

    /** Upper limit of a deadline, low enough to be added to the current time without overflow. */
    static final Duration LONGEST_DEADLINE = Duration.ofDays(36_500);

    private final String name;
    private final Clock clock;
    private final long startNanos = System.nanoTime();
    private final TaskGroup tasks;
    private final CompletableFuture<DrainReport> completion = new CompletableFuture<>();
    private final RunEnding ending = new RunEnding();
    private final ResourceClosings closings = new ResourceClosings(this);
    private final EndAwaiters awaiters = new EndAwaiters();
    private final DrainListeners told = new DrainListeners();
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final List<Object> handles = new CopyOnWriteArrayList<>();
    private final KeyedResult.OfRun results = new KeyedResult.OfRun();
    private final List<StageEntry> entries = new CopyOnWriteArrayList<>();

    /** Held while streams add their stages to the running pipeline. */
    private final ReentrantLock adding = new ReentrantLock();

    /** Each supplies the reason why a stage makes no progress, or an empty string. */
    final List<Supplier<String>> troubles = new CopyOnWriteArrayList<>();

    private final Set<Segment<?>> segments = ConcurrentHashMap.newKeySet();

    /** The thread calling the start actions, if any. */
    private volatile @Nullable Thread starter;

    /** The supervisor thread while it runs; null otherwise, because a terminated thread retains its task. */
    private volatile @Nullable Thread supervisor;

    /** True while the supervisor only waits for the tasks to end. */
    private volatile boolean awaitsTasks;

    private volatile @Nullable DrainReport report;
    private volatile long endNanos;

    private PipelineRun(String name, Clock clock) {
        this.name = name;
        this.clock = clock;
        this.tasks = new TaskGroup(name, this::fail);
        handles.add(new ThreadLook(tasks::threads));
    }

    /**
     * Builds the stages, starts their threads and returns. If a stage cannot be created, closes the stages created so
     * far.
     *
     * @param builder adds all stages to the assembly and closes the last segment
     */
    public static RunningPipeline start(String name, Clock clock, Consumer<RunAssembly> builder) {
        PipelineRun run = new PipelineRun(name, clock);
        RunAssembly assembly = new RunAssembly(run);
        try {
            builder.accept(assembly);
            assembly.checkDispatchers();
            run.tellStart(assembly);
            run.startSupervisor(assembly.segments());
            return run;
        } catch (RuntimeException | Error failure) {
            run.supervisor = null;
            run.fail(failure);
            assembly.abandon(failure);
            run.ending.terminate(run::fail);
            // A start action may have kept a reference to the run, so complete it.
            run.complete(DrainReport.of(false, run.ending.leftUndone(), Duration.ZERO, run.stages()), failure);
            throw failure;
        }
    }

    private void startSupervisor(List<Segment<?>> segments) {
        Thread started = Thread.ofVirtual().name("weir-" + name).unstarted(() -> {
            try {
                supervise(segments);
            } finally {
                supervisor = null;
            }
        });
        supervisor = started;
        started.start();
    }

    /** Runs the life cycle: starts the segments, waits for all tasks, closes the resources, and completes the run. */
    private void supervise(List<Segment<?>> segments) {
        DrainReport made;
        Throwable failed;
        try {
            segments.forEach(this::startOrClose);
            awaitsTasks = true;
            awaitTasks();
            awaitsTasks = false;
            closings.hurry(ending.patience());
            ending.terminate(this::fail);
            closings.await();
            List<String> leftUndone = ending.leftUndone();
            endNanos = System.nanoTime();
            failed = cause();
            made = DrainReport.of(failed == null && leftUndone.isEmpty(), leftUndone, elapsed(), stages());
            // Callers may keep this run for its report. Release what the report does not need.
            ending.release();
            entries.forEach(StageEntry::release);
        } catch (Throwable broken) {
            // Complete the run in any case, because callers wait for its end.
            ending.fail(broken);
            tasks.cancel();
            failed = cause();
            made = DrainReport.of(false, List.of(), elapsed(), List.of());
        }
        complete(made, failed);
    }

    private Duration elapsed() {
        return Duration.ofNanos((endNanos == 0 ? System.nanoTime() : endNanos) - startNanos);
    }

    private void complete(DrainReport made, @Nullable Throwable failed) {
        report = made;
        told.conclude(made); // before the completion: who has seen the end must not wait for its action to be called
        if (failed == null) {
            completion.complete(made);
        } else {
            completion.completeExceptionally(failed);
        }
        told.tell(made);
    }

    void startOrClose(Segment<?> segment) {
        if (cause() == null) {
            try {
                segment.start();
                return;
            } catch (RuntimeException | Error failure) {
                fail(failure);
            }
        }
        segment.close();
    }

    private void awaitTasks() {
        while (true) {
            try {
                tasks.await();
                return;
            } catch (InterruptedException ignored) {
                // Ignore the interrupt: nobody interrupts this thread to stop it, and the tasks still need a
                // supervisor.
            }
        }
    }

    /**
     * Returns whether every thread of the run is waiting. The threads are checked one after the other.
     *
     * @param isWaiting returns whether a thread is waiting for other threads or for time to pass
     */
    public boolean isAtRest(Predicate<Thread> isWaiting) {
        // Check the supervisor last: it has work to do if the last task ends between the two checks.
        return tasks.isAtRest(isWaiting) && isSupervisorAtRest(isWaiting);
    }

    private boolean isSupervisorAtRest(Predicate<Thread> isWaiting) {
        Thread supervising = supervisor;
        return supervising == null || (awaitsTasks ? !tasks.isEmpty() : isWaiting.test(supervising));
    }

    public Clock clock() {
        return clock;
    }

    void add(StageEntry entry) {
        entries.add(entry);
    }

    /**
     * Adds a stage of a substream after its parent stage and the parent's other substages. Stages are listed from
     * upstream to downstream.
     */
    void addWithin(@Nullable StageEntry nesting, StageEntry entry) {
        adding.lock();
        try {
            // The parent stage may itself belong to a substream.
            StageEntry parent = nesting == null ? null : nesting.shown();
            int place = parent == null ? -1 : entries.indexOf(parent);
            if (place < 0) {
                entries.add(entry);
                return;
            }
            do {
                place++;
            } while (place < entries.size() && entries.get(place).isWithin(parent));
            entries.add(place, entry);
            entry.within(parent);
        } finally {
            adding.unlock();
        }
    }

    void add(Segment<?> started) {
        segments.add(started);
    }

    void remove(Segment<?> closed) {
        segments.remove(closed);
    }

    /** Returns {@code name}, with a number appended if another stage has it. */
    String uniqueName(String name) {
        String candidate = name;
        for (int n = 2; !names.add(candidate); n++) {
            candidate = name + "-" + n;
        }
        return candidate;
    }

    /** Finds the stage that holds an element of a source. If unknown, returns the stages that may hold it, or null. */
    @Nullable
    Whereabouts find(StageEntry source, AckTarget target, long token) {
        for (StageEntry entry : entries) {
            Whereabouts found = entry.findHere(target, token);
            if (found != null) {
                return found;
            }
        }
        String perhaps = entries.stream()
                .filter(entry -> entry.keepsUntold(source))
                .map(StageEntry::stageName)
                .collect(Collectors.joining(" or "));
        return perhaps.isEmpty() ? null : new Whereabouts(perhaps, null, false);
    }

    /** Makes the stages drop revoked elements, upstream stages first, because a downstream stage may wait for them. */
    void dropRevoked() {
        entries.forEach(StageEntry::dropRevokedHere);
        tasks.wakePauses();
    }

    /** Closes the resources of streams that end before the run does. */
    ResourceClosings closings() {
        return closings;
    }

    /** Time limit for closing a resource of a stream that ends before the run does. */
    Duration patienceWithin() {
        return ending.patienceWithin();
    }

    /** Adds unfinished work to the report, for a stream that ended before the run did. */
    void leftUndone(String what) {
        ending.leftUndone(what);
    }

    /**
     * Reports {@code elements} unfinished elements of {@code stage}. A stop has cut their stream short at {@code at}.
     */
    void cutOff(String stage, int elements, String at) {
        ending.cutOff(stage, elements, at);
    }

    TaskGroup tasks() {
        return tasks;
    }

    @Override
    public void onStop(String of, Runnable stop) {
        ending.onStop(stop, this::fail);
    }

    /** Returns false once the run is stopping, because a stage may then end because of the stop. */
    @Override
    public boolean isWhole() {
        return !ending.isStopping() && !tasks.isCancelled();
    }

    @Override
    public void alsoOnStop(Runnable stop) {
        ending.onStop(stop, this::fail);
    }

    @Override
    public void onTermination(Termination termination) {
        ending.onTermination(termination);
    }

    void expose(Object handle) {
        if (handle instanceof KeyedResult<?> result) {
            results.add(result);
        } else {
            handles.add(handle);
        }
    }

    void withdraw(Object handle) {
        handles.remove(handle);
    }

    @Override
    public void exposeResource(Object handle) {
        expose(handle);
    }

    /** Ends the run with {@code failure}, unless it has already ended. */
    void fail(Throwable failure) {
        ending.fail(failure);
        tasks.cancel();
        closings.hurry(Duration.ZERO);
    }

    /** Fails the run because a stage was interrupted from outside, usually by user code on the stage's thread. */
    void interrupted() {
        if (cause() == null) {
            fail(new IllegalStateException("a stage of pipeline " + name + " was interrupted from outside"));
        }
    }

    @Nullable
    Throwable cause() {
        return ending.cause();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletableFuture<DrainReport> completion() {
        return FailureTransfer.copyOf(completion, new AwaitedFuture<>(awaiters));
    }

    @Override
    public boolean hasEnded() {
        return completion.isDone();
    }

    @Override
    public DrainReport await() throws InterruptedException {
        refuseWithin("await");
        awaiters.enter();
        try {
            Throwable failed = ended().get();
            if (failed != null) {
                throw FailureTransfer.rethrow(failed);
            }
            return Objects.requireNonNull(report);
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            awaiters.leave();
        }
    }

    @Override
    public RunningPipeline onDrained(Action<? super DrainReport> action) {
        told.add(Objects.requireNonNull(action, "action"));
        return this;
    }

    /**
     * Returns a future with the failure of the run, or null if it has not failed. The future never completes
     * exceptionally, because {@code get} would then call methods of the failure.
     */
    private CompletableFuture<@Nullable Throwable> ended() {
        return completion.handle((ended, failure) -> failure);
    }

    private void tellStart(RunAssembly assembly) {
        starter = Thread.currentThread();
        try {
            assembly.tellStart();
        } finally {
            starter = null;
        }
    }

    private void refuseWithin(String call) {
        boolean atStart = Thread.currentThread() == starter;
        if (atStart || tasks.isCurrentMember()) {
            throw new IllegalStateException(
                    call + (atStart ? " at the start of pipeline " : " in a stage of pipeline ") + name
                            + " would wait for its own end; call stop() or cancel() there, or " + call
                            + " on a thread that is not the pipeline's");
        }
    }

    @Override
    public void stop() {
        ending.stop(Stage.NEVER, this::fail);
    }

    @Override
    public DrainReport drain(Duration deadline) throws InterruptedException {
        refuseWithin("drain");
        long nanos = Math.min(
                ArgumentChecks.nanos(Objects.requireNonNull(deadline, "deadline")), LONGEST_DEADLINE.toNanos());
        ending.stop(System.nanoTime() + nanos, this::fail);
        closings.hurry(Duration.ofNanos(nanos));
        if (!endsWithin(nanos, true)) {
            if (cause() == null) {
                noteInside();
            }
            cancel();
            if (!endsWithin(GRACE_NANOS, false)) {
                return DrainReport.of(false, heldUp(), elapsed(), stages());
            }
        }
        return Objects.requireNonNull(report);
    }

    /** Adds the elements inside the stages to the report, before a cancellation leaves them unfinished. */
    private void noteInside() {
        Map<String, Integer> inside = new LinkedHashMap<>();
        entries.forEach(entry -> inside.put(entry.stageName(), entry.inside()));
        segments.forEach(segment -> inside.merge(segment.name(), segment.inHand(), Integer::sum));
        inside.forEach((stage, elements) -> {
            if (elements > 0) {
                leftUndone(stage + ": " + elements + (elements == 1 ? " element was" : " elements were")
                        + " not done at the deadline");
            }
        });
    }

    /** Returns the unfinished work of a run that has not ended, beginning with the stages that are still running. */
    private List<String> heldUp() {
        List<String> lines = new ArrayList<>(heldUpBy());
        lines.addAll(ending.leftUndone());
        return List.copyOf(lines);
    }

    private List<String> heldUpBy() {
        Map<String, Long> threads = tasks.names().stream()
                .collect(Collectors.groupingBy(task -> task, TreeMap::new, Collectors.counting()));
        if (threads.isEmpty()) {
            return List.of("the resources of pipeline " + name + " are still being closed");
        }
        return threads.entrySet().stream()
                .map(task -> task.getKey() + (task.getValue() == 1 ? "" : " (" + task.getValue() + " threads)")
                        + " is still running")
                .toList();
    }

    /**
     * Waits for the end of the run, and returns whether it has ended in time. During JVM shutdown, does not wait for
     * threads that have called System.exit.
     *
     * @param unlessHeld whether to return false early if a thread that has called System.exit holds up the end
     */
    private boolean endsWithin(long nanos, boolean unlessHeld) throws InterruptedException {
        CompletableFuture<@Nullable Throwable> ended = ended();
        long limitNanos = System.nanoTime() + nanos;
        int restful = 0;
        while (true) {
            try {
                long left = Math.max(0, limitNanos - System.nanoTime());
                Throwable ignored = ended.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException notYet) {
                if (limitNanos - System.nanoTime() <= 0) {
                    return false;
                }
            } catch (ExecutionException impossible) {
                throw new AssertionError(impossible);
            }
            if (JvmExit.isUnderWay()) {
                tasks.leaveExiting(ending::expectLess)
                        .forEach(task -> leftUndone(task + ": its thread called System.exit, which does not return"));
                restful = tasks.hasLeft() && tasks.isAtRest(ThreadLook::waitsInMachinery) ? restful + 1 : 0;
                if (unlessHeld && restful >= RESTFUL_LOOKS) {
                    return false;
                }
            }
        }
    }

    @Override
    public RunningPipeline drainOnShutdown(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        Thread hook = Thread.ofPlatform().name("weir-" + name + "-shutdown").unstarted(() -> drainAndClose(deadline));
        Runtime.getRuntime().addShutdownHook(hook);
        var ignored = completion.handle((ended, failure) -> {
            try {
                return Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException shuttingDown) {
                // JVM shutdown has started, so hooks can no longer be removed.
                return false;
            }
        });
        return this;
    }

    @Override
    public void cancel() {
        if (!completion.isDone()) {
            fail(new CancellationException("pipeline " + name + " was cancelled"));
        }
    }

    @Override
    public List<StageSnapshot> stages() {
        long elapsedNanos = elapsed().toNanos();
        return entries.stream().map(entry -> entry.snapshot(elapsedNanos)).toList();
    }

    @Override
    public List<Activity> activity() {
        List<Activity> all = new ArrayList<>();
        for (StageEntry entry : entries) {
            Activity found = entry.activity();
            for (Iterator<Segment<?>> each = segments.iterator(); found == null && each.hasNext(); ) {
                found = each.next().activity(entry.stageName(), entry.meter());
            }
            if (found != null) {
                all.add(found);
            }
        }
        return List.copyOf(all);
    }

    @Override
    public <H> List<H> handles(Class<H> type) {
        return handles.stream()
                .filter(Objects.requireNonNull(type, "type")::isInstance)
                .map(type::cast)
                .toList();
    }

    @Override
    public <R> CompletableFuture<R> result(ResultKey<R> key) {
        return FailureTransfer.copyOf(
                results.of(this, Objects.requireNonNull(key, "key")), new AwaitedFuture<>(awaiters));
    }

    @Override
    public void close() {
        drainOrCancel(DEFAULT_DRAIN);
    }

    private void drainAndClose(Duration deadline) {
        awaiters.remember();
        try {
            DrainReport drained = drain(deadline);
            DrainReport made = endsWithin(CLOSE_NANOS, false) && report != null ? report : drained;
            // A blocking action on this thread would delay JVM shutdown forever.
            var ignored = Thread.ofVirtual().name("weir-" + name + "-drained").start(() -> told.tell(made));
            told.await(LINGER.toNanos());
            awaiters.awaitEnds(LINGER.toNanos());
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
        }
    }

    private void drainOrCancel(Duration deadline) {
        try {
            var ignored = drain(deadline);
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
        }
    }
}
