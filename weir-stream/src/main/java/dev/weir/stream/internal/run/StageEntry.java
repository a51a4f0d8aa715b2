package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import dev.weir.stream.internal.steering.StageSteering;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Whereabouts;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stage's entry in a run: its name, its meter and its registrations. Thread-safe once the run has started. */
public final class StageEntry implements StageContext {

    private final PipelineRun run;
    private final StageLifetime lifetime;
    private final String name;
    private final Shape shape;

    private volatile IntSupplier depth = () -> 0;
    private volatile @Nullable Keeper keeper;

    /** The entry that users see for this stage in all substreams, if this entry belongs to a substream. */
    private final @Nullable StageEntry shownAs;

    /** The entries that this entry represents, one per substream. */
    private final Set<StageEntry> standsFor;

    private volatile IntSupplier parallelism;
    private final ThreadTime threadTime = new ThreadTime();
    private volatile @Nullable StageSteering steering;

    /** Supplies the activity of the stage's own workers, or null if it has none. */
    private volatile Supplier<@Nullable Activity> activity = () -> null;

    /** The parent stage of this stage's substream; null in the pipeline itself. */
    private volatile @Nullable StageEntry nesting;

    /** The objects exposed by the stages of the same chain, which share this list. */
    private List<Object> line = new CopyOnWriteArrayList<>();

    /** Written before the stage runs. */
    private Runnable onStop = () -> {};

    /**
     * An element found in a stage.
     *
     * @param value the element, or the part of it that the stage holds
     * @param atWork whether the stage's function is processing it
     */
    public record Kept(Object value, boolean atWork) {}

    /** Provides access to the elements in a stage. Thread-safe. */
    @FunctionalInterface
    public interface Keeper {

        /** Finds an element by its acknowledgement target and token. */
        @Nullable
        Kept find(AckTarget of, long ofToken);

        /** See {@link StageContext#dropRevoked}. */
        default void dropRevoked() {}
    }

    /**
     * The threads and the counters of a stage.
     *
     * @param meter the stage's counters
     * @param parallelism maximum number of threads that work in the stage at once
     * @param ownThreads whether no other stage runs on these threads
     */
    record Shape(StageMeter meter, int parallelism, boolean ownThreads) {

        Shape withMeter(StageMeter other) {
            return new Shape(other, parallelism, ownThreads);
        }
    }

    StageEntry(PipelineRun run, StageLifetime lifetime, String name, Shape shape) {
        this(run, lifetime, name, shape, null);
    }

    private StageEntry(
            PipelineRun run, StageLifetime lifetime, String name, Shape shape, @Nullable StageEntry shownAs) {
        this.run = run;
        this.lifetime = lifetime;
        this.name = name;
        this.shape = shape;
        this.shownAs = shownAs;
        this.standsFor = shownAs == null ? ConcurrentHashMap.newKeySet() : Set.of();
        this.parallelism = shape::parallelism;
        shape.meter.belongsTo(run.name(), name);
    }

    @Override
    public String pipelineName() {
        return run.name();
    }

    @Override
    public String stageName() {
        return name;
    }

    @Override
    public Clock clock() {
        return run.clock();
    }

    @Override
    public StageMeter meter() {
        return shape.meter;
    }

    @Override
    public void depth(IntSupplier elements) {
        depth = elements;
        show();
    }

    /** Registers the keeper, which finds queued and processed elements of the stage. */
    public void keeper(Keeper ofElements) {
        keeper = ofElements;
        show();
    }

    private void show() {
        if (shownAs != null && shownAs.standsFor.add(this)) {
            lifetime.onTermination(patience -> {
                shownAs.standsFor.remove(this);
                return "";
            });
        }
    }

    /** Returns the entry that users see for this stage. */
    StageEntry shown() {
        return shownAs == null ? this : shownAs;
    }

    /** Creates the entry for this stage in one substream. The new entry uses this entry's meter. */
    StageEntry inStream(StageLifetime stream, Shape ofStage) {
        return new StageEntry(run, stream, name, ofStage.withMeter(meter()), this);
    }

    @Override
    public void trouble(Supplier<String> sentence) {
        Supplier<String> named = () -> {
            String said = sentence.get();
            return said.isEmpty() ? "" : name + ": " + said;
        };
        run.troubles.add(named);
        lifetime.onTermination(patience -> {
            run.troubles.remove(named);
            return "";
        });
    }

    @Override
    public List<String> troubles() {
        return run.troubles.stream()
                .map(Supplier::get)
                .filter(sentence -> !sentence.isEmpty())
                .toList();
    }

    @Override
    public @Nullable Whereabouts find(AckTarget target, long token) {
        return run.find(this, target, token);
    }

    /** Adds the stage to a chain that shares a list of exposed objects. Called before the stage is created. */
    void joins(List<Object> exposedByLine) {
        line = exposedByLine;
    }

    @Override
    public <H> List<H> upstreamHandles(Class<H> type) {
        return line.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public boolean isOfInnerStream() {
        return shownAs != null;
    }

    void within(@Nullable StageEntry stage) {
        nesting = stage;
    }

    /** Returns whether the stage is nested in {@code stage}, at any depth. */
    boolean isWithin(@Nullable StageEntry stage) {
        StageEntry around = nesting;
        return around != null && (around == stage || around.isWithin(stage));
    }

    /**
     * Returns whether this stage, or a stage that it represents, holds elements that no {@link Keeper} can find.
     * Ignores {@code source}.
     */
    boolean keepsUntold(StageEntry source) {
        return (this != source && keeper == null && ownDepth() > 0)
                || standsFor.stream().anyMatch(entry -> entry.keepsUntold(source));
    }

    @Nullable
    Whereabouts findHere(AckTarget target, long token) {
        Keeper here = keeper;
        Kept kept = here == null ? null : here.find(target, token);
        if (kept != null) {
            return new Whereabouts(name, kept.value, kept.atWork);
        }
        for (StageEntry entry : standsFor) {
            Whereabouts found = entry.findHere(target, token);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    @Override
    public void dropRevoked() {
        run.dropRevoked();
    }

    /** Makes this stage, and the stages that it represents, drop revoked elements. */
    void dropRevokedHere() {
        Keeper here = keeper;
        if (here != null) {
            here.dropRevoked();
        }
        standsFor.forEach(StageEntry::dropRevokedHere);
    }

    /** Registers a supplier of the stage's maximum number of threads, for stages whose parallelism changes. */
    public void parallelism(IntSupplier threads) {
        shown().parallelism = threads;
    }

    public void activity(Supplier<@Nullable Activity> ofWorkers) {
        activity = ofWorkers;
    }

    /**
     * Returns the activity of the stage's workers, summed over all substreams; null if it is unknown or there are none.
     */
    @Nullable
    Activity activity() {
        Activity all = activity.get();
        for (StageEntry entry : standsFor) {
            Activity one = entry.activity.get();
            all = all == null ? one : one == null ? all : all.and(one);
        }
        return all;
    }

    /**
     * Registers the control of the stage's parallelism; see {@link dev.weir.stream.control.StageControl}. Does nothing
     * for stages of substreams.
     *
     * @param dispatcher the stage's dispatcher
     * @param failedCalls counts the calls of the stage's function that threw
     * @param most returns the current maximum of the parallelism
     */
    public void resizable(Dispatcher dispatcher, LongAdder failedCalls, IntSupplier most, IntConsumer resize) {
        if (shownAs == null) {
            StageSteering steered =
                    new StageSteering(name, dispatcher.name(), () -> parallelism.getAsInt(), failedCalls, most, n -> {
                        resize.accept(n);
                        // Count the thread time until now with the previous number of threads.
                        run.stages();
                    });
            steering = steered;
            run.expose(steered);
        }
    }

    @Override
    public void onStop(Runnable stop) {
        onStop = stop;
        lifetime.onStop(name, stop);
    }

    public void alsoOnStop(Runnable stop) {
        lifetime.alsoOnStop(stop);
    }

    /** Reports that the source has ended by itself. A later stop does not cut it short. */
    public void ended() {
        lifetime.ended(onStop);
    }

    /** Returns whether a stage that ends now does so by itself. See {@link StageLifetime#isWhole}. */
    public boolean isWhole() {
        return lifetime.isWhole();
    }

    public void cut() {
        lifetime.cut(name);
    }

    @Override
    public void onTermination(Termination termination) {
        lifetime.onTermination(termination);
    }

    @Override
    public void expose(Object handle) {
        line.add(handle);
        run.expose(handle);
    }

    @Override
    public void exposeResource(Object handle) {
        line.add(handle);
        lifetime.exposeResource(handle);
    }

    @Override
    public void fail(Throwable cause) {
        run.fail(cause);
    }

    @Override
    public @Nullable Throwable failure() {
        return run.cause();
    }

    StageSnapshot snapshot(long elapsedNanos) {
        StageMeter meter = shape.meter;
        long streams = shape.ownThreads ? Math.max(1, standsFor.size()) : 1;
        int threads = Math.clamp(streams * parallelism.getAsInt(), 0, Integer.MAX_VALUE);
        long busy = meter.busyNanos();
        long blockedDown = meter.blockedDownNanos();
        long blockedUp = meter.blockedUpNanos();
        if (shape.ownThreads) {
            // Workers that were never needed count as waiting for input.
            blockedUp = (long) Math.max(0, threadTime.until(elapsedNanos, threads) - busy - blockedDown);
        }
        return StageSnapshot.of(
                name,
                threads,
                meter.elementsIn(),
                meter.elementsOut(),
                busy,
                blockedUp,
                blockedDown,
                depthNow(),
                elapsedNanos);
    }

    /** Number of elements in the stage, queued or being processed. */
    int inside() {
        return depthNow() + meter().elementsHeld();
    }

    private int depthNow() {
        return ownDepth() + standsFor.stream().mapToInt(StageEntry::ownDepth).sum();
    }

    private int ownDepth() {
        try {
            return depth.getAsInt();
        } catch (RuntimeException ignored) {
            // The gauge may belong to a component that is already closed. The pipeline must still end.
            return 0;
        }
    }

    /** Drops references to the stage and its elements. */
    void release() {
        depth = () -> 0;
        onStop = () -> {};
        keeper = null;
        StageSteering steered = steering;
        if (steered != null) {
            steered.release();
        }
        if (shownAs == null) {
            standsFor.clear();
        }
        activity = () -> null;
        line = new CopyOnWriteArrayList<>();
        // End the pass: the meter of a failed stage still counts the stage as processing.
        meter().endPass();
        int last = parallelism.getAsInt();
        parallelism = () -> last;
    }

    /**
     * Sums up the time of all threads that a stage may use. Updated with each snapshot, because the number of threads
     * may change. Thread-safe.
     */
    private static final class ThreadTime {

        private final ReentrantLock lock = new ReentrantLock();
        private long lookedNanos;
        private int threads;
        private double sum;

        /**
         * Returns the thread time up to {@code elapsedNanos}. From then on, the stage has {@code threadsNow} threads.
         */
        double until(long elapsedNanos, int threadsNow) {
            lock.lock();
            try {
                if (elapsedNanos > lookedNanos) {
                    sum += (double) (elapsedNanos - lookedNanos) * (threads == 0 ? threadsNow : threads);
                    lookedNanos = elapsedNanos;
                }
                threads = threadsNow;
                return sum;
            } finally {
                lock.unlock();
            }
        }
    }
}
