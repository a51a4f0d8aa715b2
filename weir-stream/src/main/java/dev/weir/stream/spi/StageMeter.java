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

    /** False if the runtime was linked without the flight recorder. */
    private static final boolean CAN_RECORD =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private static final Batch<?> NO_ELEMENTS = new Batch<>(0);

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final Waits up;
    private final Waits down;

    // The current pass. Its thread writes these fields before the batch, and readers read them after it, so a reader
    // that sees the batch sees the fields of that pass or a later one. An object per pass would be garbage per batch.
    private final AtomicReference<@Nullable Batch<?>> passing = new AtomicReference<>();
    private long passSinceNanos;
    private double passPart;
    private boolean passOneToOne;
    private @Nullable PassMark passMark;
    private int passPlace;
    private int passNotIn;
    private int passNotOut;

    // The highest values shown so far.
    private final AtomicLong shownIn = new AtomicLong();
    private final AtomicLong shownOut = new AtomicLong();
    private final AtomicLong shownBusy = new AtomicLong();

    /** Counts elements that leave by another way. */
    private volatile LongSupplier alsoOut = () -> 0;

    /** The pipeline's name, written before the stage runs; null if the meter belongs to no visible stage. */
    private @Nullable String pipelineName;

    private String stageName = "";

    /** Creates the meter of a stage with threads of its own, whose blocked times are its own. */
    public StageMeter() {
        this(new Waits(), new Waits());
    }

    /** Creates the meter of a fused stage, which is blocked whenever its segment is. */
    private StageMeter(Waits up, Waits down) {
        this.up = up;
        this.down = down;
    }

    /** Returns a meter for another stage of the same segment: its counts are its own, its blocked times are shared. */
    public StageMeter sameSegment() {
        return new StageMeter(up, down);
    }

    /** Returns whether both meters are of one segment, and so of one thread. */
    public boolean sharesThread(StageMeter other) {
        return up == other.up;
    }

    /**
     * Begins a pass of the stage's code over a batch. Until {@link #endPass}, finished elements and elapsed time are
     * visible, so that a slow stage shows progress within a batch. Called once per batch. If several threads count
     * here, one of their passes is shown.
     *
     * @param oneToOne whether each finished element counts as emitted
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void beginPass(Batch<?> batch, boolean oneToOne, long startNanos) {
        beginPass(batch, oneToOne, startNanos, null, 0, 1);
    }

    /**
     * Begins a pass of one of several stages that process each element together.
     *
     * @param startNanos the time by {@link System#nanoTime}
     * @param mark records which of them has the element
     * @param place the value of this stage there
     * @param part the part of the time attributed to this stage until the pass is counted
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
     * Begins a pass whose elements are counted elsewhere. Until {@link #endPass} its elapsed time is visible.
     *
     * @param startNanos the time by {@link System#nanoTime}
     */
    public void beginWork(long startNanos) {
        beginPass(NO_ELEMENTS, false, startNanos);
    }

    /**
     * Excludes the current element of the pass from the emitted count. Called by the thread of the pass.
     *
     * @param taken whether this stage has taken the element
     */
    public void dropInPass(boolean taken) {
        passNotOut++;
        if (!taken) {
            passNotIn++;
        }
    }

    /** Ends the pass. Call right before counting it. */
    public void endPass() {
        passing.lazySet(null);
    }

    /**
     * Returns whether the stage's own code has an element at this moment; also false for stages that record no passes.
     */
    public boolean isInPass() {
        if (passing.get() == null) {
            return false;
        }
        PassMark mark = passMark;
        return mark == null || mark.at == passPlace;
    }

    /** Returns whether its thread is waiting for the stage above. */
    public boolean isBlockedUp() {
        return up.isOpen();
    }

    /** Returns whether its thread is waiting for the stage below. */
    public boolean isBlockedDown() {
        return down.isOpen();
    }

    /**
     * Registers a test for waits on the stage above that are caused by a sibling: another branch that holds up their
     * common input.
     */
    public void siblingAbove(BooleanSupplier holdsUp) {
        up.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /**
     * Registers a test for waits on the stage below that are caused by a sibling: another input for which that stage
     * waits.
     */
    public void siblingBelow(BooleanSupplier holdsUp) {
        down.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /** Returns whether its thread is waiting because a sibling is slower. */
    public boolean waitsForSibling() {
        return (isBlockedUp() && up.sibling.getAsBoolean()) || (isBlockedDown() && down.sibling.getAsBoolean());
    }

    /** Returns whether its thread is waiting for the stage above or below. */
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

    /** Sets the names of pipeline and stage, for recordings. Call before the stage runs. */
    public void belongsTo(String pipeline, String stage) {
        pipelineName = Objects.requireNonNull(pipeline, "pipeline");
        stageName = Objects.requireNonNull(stage, "stage");
        if (CAN_RECORD) {
            StageRun.makeKnown();
        }
    }

    /** The name of its stage, or an empty string if there is none. */
    public String stageName() {
        return stageName;
    }

    /**
     * Emits a flight recorder event: the calling thread has worked in this stage for {@code nanos} until now.
     * {@link #worked} calls this. Without a recording it costs one read.
     */
    public void ran(long nanos) {
        ran(nanos, "");
    }

    /**
     * Emits a flight recorder event, as {@link #ran(long)} does, for a pass in which several maps processed each
     * element.
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
     * Changes the number of elements that the stage has in hand: taken, not emitted, and not counted by
     * {@link StageContext#depth}. Negative when elements leave. A drain that gives up reports this number.
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

    /** Adds time in which the stage waited for input. */
    public void blockedUp(long nanos) {
        up.ended.add(nanos);
    }

    /** Adds time in which the stage waited for the stage below to take output. */
    public void blockedDown(long nanos) {
        down.ended.add(nanos);
    }

    /** Starts counting a wait for input, until {@link #endBlockedUp}. One thread at a time. */
    public void beginBlockedUp() {
        up.begin(1);
    }

    public void endBlockedUp() {
        up.end();
    }

    /**
     * Starts counting a wait for the stage below, until {@link #endBlockedDown}. One thread at a time.
     *
     * @param threads number of threads for which the time counts
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
     * Returns a count that never falls. A pass adds an estimate until it is counted, and for a moment is in neither
     * count, so a lower reading is replaced by the previous one.
     */
    private static long rising(AtomicLong shown, long now) {
        return shown.accumulateAndGet(now, Math::max);
    }

    /**
     * Adds an external counter of emitted elements, for callers that cannot afford a call per element.
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

    /** Time waited in one direction, including a current wait. Written by one thread at a time, read by any. */
    private static final class Waits {

        final LongAdder ended = new LongAdder();
        volatile BooleanSupplier sibling = () -> false;
        /** No current wait. */
        private static final long NONE = 0;

        // An object per wait would be garbage per batch. A reader that combines the thread count of one wait with the
        // start of another is off by an instant.
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
