package dev.weir.stream.spi;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage: elements in and out, time busy, and time blocked on the upstream and on the downstream
 * stage. Thread-safe. A stage updates the counters once per batch, so they cost nothing per element.
 */
public final class StageMeter {

    /** False if the JVM's runtime image does not contain the flight recorder. */
    private static final boolean CAN_RECORD =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private static final Batch<?> NO_ELEMENTS = new Batch<>(0);

    private final LongAdder elementsIn = new LongAdder();
    private final LongAdder elementsOut = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final Waits up;
    private final Waits down;

    // The state of the current pass, in which the stage processes one batch. The thread that runs the pass writes the
    // other fields before it publishes the batch in `passing`. Readers read `passing` first, so a reader that sees a
    // batch sees the fields of that pass or of a later one. The fields are not grouped into an object, because an
    // object per pass would create garbage for every batch.
    private final AtomicReference<@Nullable Batch<?>> passing = new AtomicReference<>();
    private long passSinceNanos;
    private double passPart;
    private boolean passOneToOne;
    private @Nullable PassMark passMark;
    private int passPlace;
    private int passNotIn;
    private int passNotOut;

    // The highest values returned so far by elementsIn, elementsOut and busyNanos.
    private final AtomicLong shownIn = new AtomicLong();
    private final AtomicLong shownOut = new AtomicLong();
    private final AtomicLong shownBusy = new AtomicLong();

    /** An external counter of emitted elements; see {@link #countsOut}. */
    private volatile LongSupplier alsoOut = () -> 0;

    /** The pipeline's name, written before the stage runs; null if the meter does not belong to a visible stage. */
    private @Nullable String pipelineName;

    private String stageName = "";

    /** Creates the meter of a stage that has its own threads, and therefore its own blocked times. */
    public StageMeter() {
        this(new Waits(), new Waits());
    }

    /** Creates the meter of a fused stage, which is blocked whenever its thread is blocked. */
    private StageMeter(Waits up, Waits down) {
        this.up = up;
        this.down = down;
    }

    /** Returns a meter for a stage fused to this one. It has its own element counts but shares the blocked times. */
    public StageMeter sameSegment() {
        return new StageMeter(up, down);
    }

    /** Returns whether the stages of both meters are fused, and therefore run on the same thread. */
    public boolean sharesThread(StageMeter other) {
        return up == other.up;
    }

    /**
     * Starts a pass, in which the stage processes one batch. Until {@link #endPass}, the meter's counters include the
     * elements finished and the time elapsed in the pass, so that a slow stage shows progress within a batch. Called
     * once per batch. If several threads use this meter, the counters include only one of their passes.
     *
     * @param oneToOne whether each finished element counts as emitted
     * @param startNanos the current time of {@link System#nanoTime}
     */
    public void beginPass(Batch<?> batch, boolean oneToOne, long startNanos) {
        beginPass(batch, oneToOne, startNanos, null, 0, 1);
    }

    /**
     * Starts this stage's pass over a batch, for a loop that passes each element through several stages.
     *
     * @param startNanos the current time of {@link System#nanoTime}
     * @param mark records the stage that is currently processing the element
     * @param place the number that identifies this stage in {@code mark}
     * @param part the fraction of the elapsed time attributed to this stage while the pass is running
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
     * Starts a pass that does not count elements, for callers that count them separately. Until {@link #endPass},
     * {@link #busyNanos()} includes the time elapsed in the pass.
     *
     * @param startNanos the current time of {@link System#nanoTime}
     */
    public void beginWork(long startNanos) {
        beginPass(NO_ELEMENTS, false, startNanos);
    }

    /**
     * Excludes the pass's current element from the number of emitted elements. Called on the pass's thread.
     *
     * @param taken whether this stage has received the element
     */
    public void dropInPass(boolean taken) {
        passNotOut++;
        if (!taken) {
            passNotIn++;
        }
    }

    /** Ends the pass. Must be called immediately before the pass's elements and time are added to the counters. */
    public void endPass() {
        passing.lazySet(null);
    }

    /**
     * Returns whether the stage's own code is currently processing an element. Always false for stages that do not
     * record passes.
     */
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
     * Registers a test that returns true if another branch that reads the same input holds it up. The test is evaluated
     * while this stage is waiting for the upstream stage.
     */
    public void siblingAbove(BooleanSupplier holdsUp) {
        up.sibling = Objects.requireNonNull(holdsUp, "holdsUp");
    }

    /**
     * Registers a test that returns true if the downstream stage is waiting for another of its inputs. The test is
     * evaluated while this stage is waiting for the downstream stage.
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

    /** Sets the names of the pipeline and the stage, for flight recordings. Must be called before the stage runs. */
    public void belongsTo(String pipeline, String stage) {
        pipelineName = Objects.requireNonNull(pipeline, "pipeline");
        stageName = Objects.requireNonNull(stage, "stage");
        if (CAN_RECORD) {
            StageRun.makeKnown();
        }
    }

    /** The stage's name, or an empty string if there is none. */
    public String stageName() {
        return stageName;
    }

    /**
     * Emits a flight recorder event for work that the calling thread has just finished in this stage, and that took
     * {@code nanos}. Called by {@link #worked}. Costs almost nothing if no recording is active.
     */
    public void ran(long nanos) {
        ran(nanos, "");
    }

    /**
     * Emits the same flight recorder event as {@link #ran(long)}, for a pass in which each element went through several
     * {@code map} stages.
     *
     * @param maps the names of these stages, one per line, starting with the most downstream one
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
     * Adds {@code more} to the number of elements held by the stage. A negative value subtracts elements that have left
     * the stage. The stage holds an element that it has received but not yet emitted, unless {@link StageContext#depth}
     * already includes the element. A drain that times out reports this number.
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

    /**
     * Starts to measure a wait for input, which lasts until {@link #endBlockedUp} is called. Only one thread at a time
     * may call these methods.
     */
    public void beginBlockedUp() {
        up.begin(1);
    }

    public void endBlockedUp() {
        up.end();
    }

    /**
     * Starts to measure a wait for the downstream stage, which lasts until {@link #endBlockedDown} is called. Only one
     * thread at a time may call these methods.
     *
     * @param threads number of waiting threads; the duration of the wait is multiplied by it
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
     * Returns {@code now}, or the highest value returned so far if {@code now} is lower, so that a counter never
     * decreases. While a pass is running, {@code now} includes an estimate of the pass's progress. When the pass ends,
     * the estimate is removed shortly before the actual result is added, so {@code now} may briefly decrease.
     */
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
     * The time spent waiting for the upstream or the downstream stage, including a wait in progress. Written by one
     * thread at a time, read by any.
     */
    private static final class Waits {

        final LongAdder ended = new LongAdder();
        volatile BooleanSupplier sibling = () -> false;
        /** The value of {@link #sinceNanos} while no wait is in progress. */
        private static final long NONE = 0;

        // The thread count and the start of a wait are separate fields, because an object per wait would create garbage
        // for every batch. A reader may combine the thread count of one wait with the start of another, but its result
        // is wrong only for an instant.
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
