package dev.weir.stream.spi;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage: elements in and out, busy time, and time blocked on the upstream and the downstream stage.
 * A stage updates the counters once per batch. Thread-safe.
 */
public final class StageMeter {

    /** False if the JVM's runtime image lacks the flight recorder. */
    private static final boolean CAN_RECORD =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private static final Batch<?> NO_ELEMENTS = new Batch<>(0);

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final Waits up;
    private final Waits down;

    // The current pass, in which the stage processes one batch. The pass's thread writes the other fields before
    // `passing`; readers read `passing` first.
    private final AtomicReference<@Nullable Batch<?>> passing = new AtomicReference<>();
    private long passSinceNanos;
    private double passPart;
    private boolean passOneToOne;
    private @Nullable PassMark passMark;
    private int passPlace;
    private int passNotIn;
    private int passNotOut;

    // The highest values returned so far, of elementsIn, elementsOut and busyNanos.
    private final AtomicLong shownIn = new AtomicLong();
    private final AtomicLong shownOut = new AtomicLong();
    private final AtomicLong shownBusy = new AtomicLong();

    /** An external counter of emitted elements; see {@link #countsOut}. */
    private volatile LongSupplier alsoOut = () -> 0;

    /** Name of the pipeline, written before the stage runs; null if the meter's stage is not visible. */
    private @Nullable String pipelineName;

    private String stageName = "";

    /** Creates the meter of a stage with its own threads and its own blocked times. */
    public StageMeter() {
        this(new Waits(), new Waits());
    }

    /** Creates the meter of a fused stage, which is blocked whenever its thread is. */
    private StageMeter(Waits up, Waits down) {
        this.up = up;
        this.down = down;
    }

    /** Returns a meter for a stage fused to this one. It has its own element counts but shares the blocked times. */
    public StageMeter sameSegment() {
        return new StageMeter(up, down);
    }

    /** Returns whether the stages of both meters run on the same thread. */
    public boolean sharesThread(StageMeter other) {
        return up == other.up;
    }

    /**
     * Starts a pass, in which the stage processes one batch. Until {@link #endPass}, the counters include the pass's
     * progress. Called once per batch. With several threads, the counters include only one of their passes.
     *
     * @param oneToOne whether each finished element counts as emitted
     * @param startNanos the current time of {@link System#nanoTime}
     */
    public void beginPass(Batch<?> batch, boolean oneToOne, long startNanos) {
        beginPass(batch, oneToOne, startNanos, null, 0, 1);
    }

    /**
     * Starts this stage's pass over a batch, in a loop that passes each element through several stages.
     *
     * @param startNanos the current time of {@link System#nanoTime}
     * @param mark records the stage that is processing the element
     * @param place number of this stage in {@code mark}
     * @param part this stage's fraction of the elapsed time while the pass is running
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
     * Starts a pass that counts no elements. Until {@link #endPass}, {@link #busyNanos()} includes its elapsed time.
     *
     * @param startNanos the current time of {@link System#nanoTime}
     */
    public void beginWork(long startNanos) {
        beginPass(NO_ELEMENTS, false, startNanos);
    }

    /**
     * Excludes the pass's current element from the emitted elements. Called on the pass's thread.
     *
     * @param taken whether this stage has received the element
     */
    public void dropInPass(boolean taken) {
        passNotOut++;
        if (!taken) {
            passNotIn++;
        }
    }

    /** Ends the pass. Called immediately before its elements and time are added to the counters. */
    public void endPass() {
        passing.lazySet(null);
    }

    /** Returns whether the stage's own code is processing an element. Always false for stages without passes. */
    public boolean isInPass() {
        if (passing.get() == null) {
            return false;
        }
        PassMark mark = passMark;
        return mark == null || mark.at == passPlace;
    }

    /** Returns whether the stage's thread is waiting for the upstream stage. */
    public boolean isBlockedUp() {
        return up.isOpen();
    }

    /** Returns whether the stage's thread is waiting for the downstream stage. */
    public boolean isBlockedDown() {
        return down.isOpen();
    }

    /**
     * Registers a test whether another branch that reads the same input holds this stage up. Evaluated while this stage
     * is waiting for the upstream stage.
     */
    public void siblingAbove(BooleanSupplier holdsUp) {
        up.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /**
     * Registers a test whether the downstream stage is waiting for another of its inputs. Evaluated while this stage is
     * waiting for the downstream stage.
     */
    public void siblingBelow(BooleanSupplier holdsUp) {
        down.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /** Returns whether the stage's thread is waiting because another branch is slower. */
    public boolean waitsForSibling() {
        return (isBlockedUp() && up.sibling.getAsBoolean()) || (isBlockedDown() && down.sibling.getAsBoolean());
    }

    /** Returns whether the stage's thread is waiting for the upstream or the downstream stage. */
    public boolean isBlocked() {
        return up.isOpen() || down.isOpen();
    }

    /** Counts a batch that was processed from {@code startNanos} until now. */
    public void worked(int in, int out, long startNanos) {
        elementsIn.add(in);
        elementsOut.add(out);
        long nanos = System.nanoTime() - startNanos;
        busyNanos.add(nanos);
        ran(nanos);
    }

    /** Sets the names of the pipeline and the stage, for flight recordings. Called before the stage runs. */
    public void belongsTo(String pipeline, String stage) {
        pipelineName = Objects.requireNonNull(pipeline, "pipeline");
        stageName = Objects.requireNonNull(stage, "stage");
        if (CAN_RECORD) {
            StageRun.makeKnown();
        }
    }

    /** Name of the stage, or an empty string. */
    public String stageName() {
        return stageName;
    }

    /**
     * Emits a flight recorder event for work of {@code nanos} that the calling thread has just finished. Called by
     * {@link #worked}. Costs almost nothing without a recording.
     */
    public void ran(long nanos) {
        ran(nanos, "");
    }

    /**
     * Emits the event of {@link #ran(long)} for a pass in which each element went through several {@code map} stages.
     *
     * @param maps names of these stages, one per line, the most downstream one first
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
     * Adds {@code more}, which may be negative, to the number of elements that the stage has received but not yet
     * emitted. Excludes elements that {@link StageContext#depth} includes. A drain that times out reports this number.
     */
    public void holds(int more) {
        held.add(more);
    }

    /** The number of elements that the stage holds. */
    public int elementsHeld() {
        return Math.max(0, held.intValue());
    }

    public void busy(long nanos) {
        busyNanos.add(nanos);
    }

    /** Adds time for which the stage waited for input. */
    public void blockedUp(long nanos) {
        up.ended.add(nanos);
    }

    /** Adds time for which the stage waited for the downstream stage to accept output. */
    public void blockedDown(long nanos) {
        down.ended.add(nanos);
    }

    /** Starts to measure a wait for input, until {@link #endBlockedUp}. One thread at a time may call these methods. */
    public void beginBlockedUp() {
        up.begin(1);
    }

    public void endBlockedUp() {
        up.end();
    }

    /**
     * Starts to measure a wait for the downstream stage, until {@link #endBlockedDown}. One thread at a time may call
     * these methods.
     *
     * @param threads number of waiting threads; multiplies the duration
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

    /** Returns {@code now}, or the highest value so far, so that a counter never decreases. */
    private static long rising(AtomicLong shown, long now) {
        return shown.accumulateAndGet(now, Math::max);
    }

    /**
     * Adds an external counter of emitted elements, for callers that cannot afford a call per element.
     *
     * @param count never decreases; may be called from any thread and must not block
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

    /**
     * Time spent waiting for the upstream or the downstream stage, including a wait in progress. Written by one thread
     * at a time, read by any.
     */
    private static final class Waits {

        final LongAdder ended = new LongAdder();
        volatile BooleanSupplier sibling = () -> false;
        /** Value of {@link #sinceNanos} while no wait is in progress. */
        private static final long NONE = 0;

        // Separate fields avoid an object per wait. A reader may combine the fields of two waits, and is wrong for an
        // instant.
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
