package dev.weir.stream.spi;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
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

    private static final Batch<?> NO_ELEMENTS = new Batch<>(0);

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final Waits up;
    private final Waits down;

    // The pass under way. Its thread writes these before the batch, and readers read them after it: whoever sees the
    // batch sees what belongs to it, or to a later pass. An object per pass would be garbage per batch.
    private final AtomicReference<@Nullable Batch<?>> passing = new AtomicReference<>();
    private long passSinceNanos;
    private double passPart;
    private boolean passOneToOne;
    private @Nullable PassMark passMark;
    private int passPlace;
    private int passNotIn;
    private int passNotOut;

    // The highest readings so far.
    private final AtomicLong shownIn = new AtomicLong();
    private final AtomicLong shownOut = new AtomicLong();
    private final AtomicLong shownBusy = new AtomicLong();

    /** Counts elements that leave elsewhere. */
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

    /** Returns whether both meters are of one segment, and so of one thread. */
    public boolean sharesThread(StageMeter other) {
        return up == other.up;
    }

    /**
     * Begins a pass of the stage's code over a batch. Until {@link #endPass} the elements that it has done and its time
     * so far count, so that a stage that takes long for each element moves. Called once per batch. Several threads that
     * count here at once show one of their passes.
     *
     * @param oneToOne whether each element counts as handed on once it is done
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void beginPass(Batch<?> batch, boolean oneToOne, long startNanos) {
        beginPass(batch, oneToOne, startNanos, null, 0, 1);
    }

    /**
     * The same for one of several stages that take each element together.
     *
     * @param startNanos the time by {@link System#nanoTime}
     * @param mark where they note which of them has the element
     * @param place what this one notes there
     * @param part the part of the time that counts as this stage's until the pass is counted
     */
    public void beginPass(
            Batch<?> batch, boolean oneToOne, long startNanos, @Nullable PassMark mark, int place, double part) {
        if (Objects.requireNonNull(batch, "batch") != NO_ELEMENTS) {
            batch.rewind();
        }
        passSinceNanos = startNanos;
        passPart = part;
        passOneToOne = oneToOne;
        passMark = mark;
        passPlace = place;
        passNotIn = 0;
        passNotOut = 0;
        passing.lazySet(batch);
    }

    /**
     * Begins a pass whose elements count elsewhere: until {@link #endPass} its time so far counts.
     *
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void beginWork(long startNanos) {
        beginPass(NO_ELEMENTS, false, startNanos);
    }

    /**
     * Leaves the current element of the pass out of the count of those handed on. Called by the thread of the pass.
     *
     * @param taken whether this stage has taken the element
     */
    public void dropInPass(boolean taken) {
        passNotOut++;
        if (!taken) {
            passNotIn++;
        }
    }

    /** Ends the pass; to be called right before it is counted. */
    public void endPass() {
        passing.lazySet(null);
    }

    /**
     * Returns whether the stage's own code has an element at this moment; false as well for stages that note no passes.
     */
    public boolean isInPass() {
        if (passing.get() == null) {
            return false;
        }
        PassMark mark = passMark;
        return mark == null || mark.at == passPlace;
    }

    /** Returns whether its thread waits at this moment for the stage above. */
    public boolean isBlockedUp() {
        return up.isOpen();
    }

    /** Returns whether its thread waits at this moment for the stage below. */
    public boolean isBlockedDown() {
        return down.isOpen();
    }

    /**
     * Says who knows whether a wait for the stage above is one for a sibling: another branch holds up what feeds both.
     */
    public void siblingAbove(BooleanSupplier holdsUp) {
        up.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /** Says who knows whether a wait for the stage below is one for a sibling: it waits for another of its inputs. */
    public void siblingBelow(BooleanSupplier holdsUp) {
        down.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /** Returns whether its thread waits at this moment because a sibling is slower. */
    public boolean waitsForSibling() {
        return (isBlockedUp() && up.sibling.getAsBoolean()) || (isBlockedDown() && down.sibling.getAsBoolean());
    }

    /** Returns whether its thread waits at this moment for the stage above or for the one below. */
    public boolean isBlocked() {
        return up.isOpen() || down.isOpen();
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
        long counted = elementsIn.sum();
        Batch<?> batch = passing.get();
        return rising(shownIn, counted + (batch == null ? 0 : batch.passed() - passNotIn));
    }

    /**
     * Returns a count that never falls: a pass adds an estimate until it is counted, and for a moment is in neither
     * count. A reading that is less than one before it keeps that one.
     */
    private static long rising(AtomicLong shown, long now) {
        return shown.accumulateAndGet(now, Math::max);
    }

    /**
     * Adds a counter of elements out that another object counts, because a call per element would cost too much.
     *
     * @param count never falls; called by any thread, must not block
     */
    public void countsOut(LongSupplier count) {
        alsoOut = Objects.requireNonNull(count, "count");
    }

    public long elementsOut() {
        long counted = elementsOut.sum() + alsoOut.getAsLong();
        Batch<?> batch = passing.get();
        return rising(shownOut, counted + (batch == null || !passOneToOne ? 0 : batch.passed() - passNotOut));
    }

    public long busyNanos() {
        long counted = busyNanos.sum();
        return rising(
                shownBusy,
                passing.get() == null ? counted : counted + (long) ((System.nanoTime() - passSinceNanos) * passPart));
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
        volatile BooleanSupplier sibling = () -> false;
        /** No wait goes on. */
        private static final long NONE = 0;

        // An object per wait would be garbage per batch. Whoever reads the threads of the next wait with the beginning
        // of the last one is wrong by an instant.
        private int threads;
        private volatile long sinceNanos = NONE;

        void begin(int count) {
            threads = count;
            sinceNanos = System.nanoTime() | 1; // never NONE
        }

        void end() {
            long since = sinceNanos;
            if (since != NONE) {
                sinceNanos = NONE;
                ended.add(nanos(since));
            }
        }

        boolean isOpen() {
            return sinceNanos != NONE;
        }

        long sum() {
            long since = sinceNanos;
            return ended.sum() + (since == NONE ? 0 : nanos(since));
        }

        private long nanos(long since) {
            return Math.max(0, System.nanoTime() - since) * threads;
        }
    }
}
