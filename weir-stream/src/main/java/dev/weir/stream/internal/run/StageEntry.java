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
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stage's place in a run: its name, its meter, and what it registers. Thread-safe once the run has started. */
public final class StageEntry implements StageContext {

    private final PipelineRun run;
    private final StageLifetime lifetime;
    private final String name;
    private final Shape shape;

    private volatile IntSupplier depth = () -> 0;
    private volatile @Nullable Keeper keeper;

    /** The visible entry of a stage in one of many streams shown as one; it has no stage of its own. */
    private final @Nullable StageEntry shownAs;

    /** Entries of the stages with elements that this one stands for, while they run. */
    private final Set<StageEntry> standsFor;

    private volatile IntSupplier parallelism;
    private final ThreadTime threadTime = new ThreadTime();
    private volatile @Nullable StageSteering steering;

    /** Activity of a stage with workers of its own, if it can tell. */
    private volatile Supplier<@Nullable Activity> activity = () -> null;

    /** The stage that the streams are in which it belongs to; null if it is in the pipeline itself. */
    private volatile @Nullable StageEntry nesting;

    /** Written before the stage runs. */
    private Runnable onStop = () -> {};

    /**
     * The part of an element that a stage holds.
     *
     * @param atWork whether its function has it
     */
    public record Kept(Object value, boolean atWork) {}

    /** Knows what is in a stage. Thread-safe. */
    @FunctionalInterface
    public interface Keeper {

        /** Looks for what stands for an element. */
        @Nullable
        Kept find(AckTarget of, long ofToken);

        /** See {@link StageContext#dropRevoked}. */
        default void dropRevoked() {}
    }

    /**
     * The form in which a stage works and counts.
     *
     * @param meter its counters
     * @param parallelism how many threads may work in it at once
     * @param ownThreads whether those are its own or the segment's
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

    /** Registers who can tell what waits inside the stage or is being worked on. */
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

    /** The entry of a stage in a further stream: it counts here, and is asked through this one. */
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

    /** Says that it is in a stream within {@code stage}. */
    void within(@Nullable StageEntry stage) {
        nesting = stage;
    }

    /** Returns whether it is in a stream within {@code stage}, or in one further within. */
    boolean isWithin(@Nullable StageEntry stage) {
        StageEntry around = nesting;
        return around != null && (around == stage || around.isWithin(stage));
    }

    /**
     * Returns whether elements are inside and nobody can tell which; elements of {@code source} itself do not count.
     */
    boolean keepsUntold(StageEntry source) {
        return (this != source && keeper == null && ownDepth() > 0)
                || standsFor.stream().anyMatch(entry -> entry.keepsUntold(source));
    }

    /** The element as it is in this stage, if it is there. */
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

    /** Makes this stage, and those that show as it, drop what was lost. */
    void dropRevokedHere() {
        Keeper here = keeper;
        if (here != null) {
            here.dropRevoked();
        }
        standsFor.forEach(StageEntry::dropRevokedHere);
    }

    /** Registers how many threads may work in the stage at once if that changes while it runs. */
    public void parallelism(IntSupplier threads) {
        StageEntry shown = shownAs == null ? this : shownAs;
        shown.parallelism = threads;
    }

    /** Registers what tells what the stage's own workers do. */
    public void activity(Supplier<@Nullable Activity> ofWorkers) {
        activity = ofWorkers;
    }

    /**
     * Returns the activity of its own workers, of all streams that show as one, or null if it has none or cannot tell.
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
     * Registers how a user changes the number of elements that are worked on at once, see {@link
     * dev.weir.stream.control.StageControl}. Not for stages of one of many streams that show as one.
     *
     * @param dispatcher where it works
     * @param failedCalls counts the calls of its function that threw
     * @param most the highest number now
     */
    public void resizable(Dispatcher dispatcher, LongAdder failedCalls, IntSupplier most, IntConsumer resize) {
        if (shownAs == null) {
            StageSteering steered =
                    new StageSteering(name, dispatcher.name(), () -> parallelism.getAsInt(), failedCalls, most, n -> {
                        resize.accept(n);
                        // The time so far was that of the threads before.
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

    /** The same for a stage that is no source. */
    public void alsoOnStop(Runnable stop) {
        lifetime.alsoOnStop(stop);
    }

    /** The source has ended by itself: a stop that comes now cuts nothing off. */
    public void ended() {
        lifetime.ended(onStop);
    }

    /** A stop ends what the stage does before its end. */
    public void cut() {
        lifetime.cut(name);
    }

    @Override
    public void onTermination(Termination termination) {
        lifetime.onTermination(termination);
    }

    @Override
    public void expose(Object handle) {
        run.expose(handle);
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
        int threads = parallelism.getAsInt() * (shape.ownThreads ? Math.max(1, standsFor.size()) : 1);
        long busy = meter.busyNanos();
        long blockedDown = meter.blockedDownNanos();
        long blockedUp = meter.blockedUpNanos();
        if (shape.ownThreads) {
            // Workers that were never needed wait for input as well, though no thread stands there and waits.
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

    /** The number of elements that are in the stage: those that wait there, and what it has in hand. */
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
            // A gauge of somebody else's must not keep a pipeline from ending; it may be read after its owner closed.
            return 0;
        }
    }

    /** Lets go of the stage, and so of the elements that a cancelled stage still holds. */
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
        // A pass that has failed is over as well.
        meter().endPass();
        int last = parallelism.getAsInt();
        parallelism = () -> last;
    }

    /**
     * The time of all threads that a stage may use, summed up from one look to the next, as their number may change: by
     * a user, or by the stage itself. Thread-safe.
     */
    private static final class ThreadTime {

        private final ReentrantLock lock = new ReentrantLock();
        private long lookedNanos;
        private int threads;
        private double sum;

        /** The time until {@code elapsedNanos}, from when on there are {@code threadsNow}. */
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
