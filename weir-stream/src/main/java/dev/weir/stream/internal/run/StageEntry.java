package dev.weir.stream.internal.run;

import dev.weir.stream.StageSnapshot;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Whereabouts;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A stage's place in a run: its name, its meter, and what it registers. Thread-safe once the run has started. */
public final class StageEntry implements StageContext {

    private final PipelineRun run;
    private final Lifetime lifetime;
    private final String name;
    private final Shape shape;

    private volatile IntSupplier depth = () -> 0;
    private volatile @Nullable Keeper keeper;

    /** Of many streams that show as one, the entry of the first. Set before the stage is made. */
    private @Nullable StageEntry shownAs;

    /** Of the first: the entries of the others, while they run. Written by the thread that starts the streams. */
    private volatile Set<StageEntry> others = Set.of();

    private volatile IntSupplier parallelism;

    /** Written before the stage runs. */
    private Runnable onStop = () -> {};

    /**
     * What a stage has of an element.
     *
     * @param atWork whether its function has it
     */
    public record Kept(Object value, boolean atWork) {}

    /** Looks in a stage for what stands for an element. Thread-safe. */
    @FunctionalInterface
    public interface Keeper {

        @Nullable
        Kept find(AckTarget of, long ofToken);
    }

    /**
     * How a stage works and counts.
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

    StageEntry(PipelineRun run, Lifetime lifetime, String name, Shape shape) {
        this.run = run;
        this.lifetime = lifetime;
        this.name = name;
        this.shape = shape;
        this.parallelism = shape::parallelism;
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
    }

    /** Registers who can tell what waits inside the stage or is being worked on. */
    public void keeper(Keeper ofElements) {
        keeper = ofElements;
        StageEntry first = shownAs;
        if (first != null) {
            Set<StageEntry> all = first.others.isEmpty() ? ConcurrentHashMap.newKeySet() : first.others;
            all.add(this);
            first.others = all;
            lifetime.onTermination(patience -> {
                all.remove(this);
                return "";
            });
        }
    }

    /** This entry is not shown, its stage counts and is asked under the other. */
    StageEntry shownAs(StageEntry first) {
        shownAs = first;
        return this;
    }

    @Override
    public @Nullable Whereabouts find(AckTarget target, long token) {
        return run.find(this, target, token);
    }

    /** Whether elements are inside and nobody can tell which. */
    boolean keepsUntold() {
        return keeper == null && depthNow() > 0;
    }

    /** The element as it is in this stage, if it is there. */
    @Nullable
    Whereabouts findHere(AckTarget target, long token) {
        Keeper here = keeper;
        Kept kept = here == null ? null : here.find(target, token);
        if (kept != null) {
            return new Whereabouts(name, kept.value, kept.atWork);
        }
        for (StageEntry other : others) {
            Whereabouts found = other.findHere(target, token);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Registers how many threads may work in the stage at once if that changes while it runs. */
    public void parallelism(IntSupplier threads) {
        parallelism = threads;
    }

    @Override
    public void onStop(Runnable stop) {
        onStop = stop;
        lifetime.onStop(stop);
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
        lifetime.cut();
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
        int threads = parallelism.getAsInt();
        long busy = meter.busyNanos();
        long blockedDown = meter.blockedDownNanos();
        long blockedUp = meter.blockedUpNanos();
        if (shape.ownThreads) {
            // Workers that were never needed wait for input as well, though no thread stands there and waits.
            blockedUp = (long) Math.max(0, (double) elapsedNanos * threads - busy - blockedDown);
        }
        return new StageSnapshot(
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

    private int depthNow() {
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
        others = Set.of();
        int last = parallelism.getAsInt();
        parallelism = () -> last;
    }
}
