package dev.weir.stream.spi;

import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage: elements in and out, time busy, time blocked on the stage above and on the one below.
 * Thread-safe. Stages write it once per batch, so it costs nothing per element.
 */
public final class StageMeter {

    /** A runtime may have been linked without the flight recorder. */
    private static final boolean CAN_RECORD =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final Waits up;
    private final Waits down;

    /** What is counted elsewhere. */
    private volatile LongSupplier alsoOut = () -> 0;

    /** Written before the stage runs; null if the meter is of no stage that is shown. */
    private @Nullable String pipelineName;

    private String stageName = "";

    /** Creates a meter that blocks on its own: a stage with threads of its own. */
    public StageMeter() {
        this(new Waits(), new Waits());
    }

    /** Creates the meter of a fused stage, which is blocked whenever its segment is. */
    private StageMeter(Waits up, Waits down) {
        this.up = up;
        this.down = down;
    }

    /** A meter with counts of its own that shares this one's blocked times: another stage of the same segment. */
    public StageMeter sameSegment() {
        return new StageMeter(up, down);
    }

    /** Whether both meters are of one segment, and so of one thread. */
    public boolean sharesThread(StageMeter other) {
        return up == other.up;
    }

    /** Whether its thread waits at this moment for the stage above or for the one below. */
    public boolean isBlocked() {
        return up.open != null || down.open != null;
    }

    /** Counts a batch worked on since {@code startNanos}. */
    public void worked(int in, int out, long startNanos) {
        elementsIn.add(in);
        elementsOut.add(out);
        long nanos = System.nanoTime() - startNanos;
        busyNanos.add(nanos);
        ran(nanos);
    }

    /** Says whose meter it is, for recordings. To be called before the stage runs. */
    public void belongsTo(String pipeline, String stage) {
        pipelineName = Objects.requireNonNull(pipeline, "pipeline");
        stageName = Objects.requireNonNull(stage, "stage");
        if (CAN_RECORD) {
            StageRun.makeKnown();
        }
    }

    /** The name of its stage, or an empty text if it is of none. */
    public String stageName() {
        return stageName;
    }

    /**
     * Tells a recording of the JDK's flight recorder that the calling thread has worked in this stage for so long,
     * until now; {@link #worked} does. While nobody records it costs a read.
     */
    public void ran(long nanos) {
        ran(nanos, "");
    }

    /**
     * Tells it, as {@link #ran(long)}, of a pass in which several maps took each element.
     *
     * @param maps their names, the lowest first, a line for each
     */
    public void ran(long nanos, String maps) {
        String pipeline = pipelineName;
        if (CAN_RECORD && pipeline != null) {
            StageRun.note(pipeline, stageName, maps, nanos);
        }
    }

    public void in(int elements) {
        elementsIn.add(elements);
    }

    public void out(int elements) {
        elementsOut.add(elements);
    }

    /**
     * Adds to the number of elements that the stage has in hand: taken, not handed on, and not told by {@link
     * StageContext#depth}. A drain that has to give up reports it. Once they are no longer there they are taken off
     * again.
     */
    public void holds(int more) {
        held.add(more);
    }

    /** The number of elements that the stage has in hand. */
    public int elementsHeld() {
        return Math.max(0, held.intValue());
    }

    public void busy(long nanos) {
        busyNanos.add(nanos);
    }

    /** Adds time in which the stage had nothing to do because nothing came. */
    public void blockedUp(long nanos) {
        up.ended.add(nanos);
    }

    /** Adds time in which the stage could not go on because nobody took. */
    public void blockedDown(long nanos) {
        down.ended.add(nanos);
    }

    /** Notes that nothing comes from now on; counts at once, and until {@link #endBlockedUp}. One thread at a time. */
    public void beginBlockedUp() {
        up.begin(1);
    }

    public void endBlockedUp() {
        up.end();
    }

    /**
     * Notes that nobody takes from now on; counts at once, and until {@link #endBlockedDown}. One thread at a time.
     *
     * @param threads for how many threads the time counts
     */
    public void beginBlockedDown(int threads) {
        down.begin(threads);
    }

    public void endBlockedDown() {
        down.end();
    }

    public long elementsIn() {
        return elementsIn.sum();
    }

    /**
     * Elements out are also those that somebody else counts, for whom a call per element would be too much.
     *
     * @param count never falls; called by any thread, must not block
     */
    public void countsOut(LongSupplier count) {
        alsoOut = Objects.requireNonNull(count, "count");
    }

    public long elementsOut() {
        return elementsOut.sum() + alsoOut.getAsLong();
    }

    public long busyNanos() {
        return busyNanos.sum();
    }

    public long blockedUpNanos() {
        return up.sum();
    }

    public long blockedDownNanos() {
        return down.sum();
    }

    /** Time waited in one direction, with the wait that goes on. Written by one thread at a time, read by any. */
    private static final class Waits {

        final LongAdder ended = new LongAdder();
        private volatile @Nullable Wait open;

        void begin(int threads) {
            open = new Wait(System.nanoTime(), threads);
        }

        void end() {
            Wait ending = open;
            if (ending != null) {
                open = null;
                ended.add(ending.nanos());
            }
        }

        long sum() {
            Wait current = open;
            return ended.sum() + (current == null ? 0 : current.nanos());
        }
    }

    private record Wait(long sinceNanos, int threads) {

        long nanos() {
            return (System.nanoTime() - sinceNanos) * threads;
        }
    }
}
