package dev.weir.kafka.internal.in.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A section of the records of an {@link OffsetTracker}, with each record's pending acknowledgements. {@link #end},
 * {@link #drop} and {@link #retain} are thread-safe. Only the owner thread may call the other methods.
 *
 * <p>A holder of a record is a stage that must still acknowledge it. Most records have a single holder, so the state is
 * one byte, written once by the last holder. {@code extra} counts the pending acknowledgements beyond the first one; it
 * is null until some are added. Only holders add acknowledgements, so a holder that sees no extra one is the last
 * holder.
 *
 * <pre>
 *   state    HELD      the record has a pending acknowledgement
 *            FINISHED  all holders have acknowledged the record
 *            DROPPED   no acknowledgement is pending, but at least one holder has dropped the record
 *   extra    none or 0: one acknowledgement is pending; n: 1 + n are pending
 *            DROPPED_MARK is added once a holder has dropped the record
 * </pre>
 */
final class TrackerChunk {

    static final int BITS = 9;
    static final int SLOTS = 1 << BITS;

    static final byte HELD = 0;
    static final byte FINISHED = 1;
    private static final byte DROPPED = 2;

    private static final int DROPPED_MARK = 1 << 30;
    private static final long ALL_FINISHED = 0x0101010101010101L * FINISHED;

    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle EIGHT_STATES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle EXTRA;

    static {
        try {
            EXTRA = MethodHandles.lookup().findVarHandle(TrackerChunk.class, "extra", int[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long[] offsets = new long[SLOTS];

    /** Timestamps of the records, in milliseconds since the Unix epoch. */
    final TimestampRuns timestamps = new TimestampRuns();

    /** The total weight of the tracker's records up to and including each record. */
    final long[] weights = new long[SLOTS];

    private final byte[] states = new byte[SLOTS];

    private volatile int @Nullable [] extra;

    /** Stores the cumulative weights of records, starting from {@code before}. Returns the new total. */
    long weigh(int slot, int[] bytes, int from, int count, long before) {
        long sum = before;
        for (int i = 0; i < count; i++) {
            sum += bytes[from + i];
            weights[slot + i] = sum;
        }
        return sum;
    }

    void setFinished(int slot) {
        states[slot] = FINISHED;
    }

    /**
     * Acknowledges the record for one holder. Later reads by this thread are not reordered before the write of the
     * state.
     *
     * @return the record's new state; {@link #HELD} if further acknowledgements are pending. In any other state, the
     *     slot may already have been reused when this method returns.
     */
    byte end(int slot) {
        if ((byte) STATE.getOpaque(states, slot) != HELD) {
            throw new IllegalStateException("acknowledged more often than retained");
        }
        int[] counts = extra;
        byte state = FINISHED;
        if (counts != null) {
            int before = subtract(counts, slot, 0);
            if (more(before) > 0) {
                return HELD;
            }
            state = before == 0 ? FINISHED : DROPPED;
        }
        STATE.setVolatile(states, slot, state);
        return state;
    }

    /** Ends one pending acknowledgement. The record will never count as finished. */
    boolean drop(int slot) {
        if ((byte) STATE.getOpaque(states, slot) != HELD) {
            throw new IllegalStateException("dropped after it was finished");
        }
        int[] counts = extra;
        if (counts != null && more(subtract(counts, slot, DROPPED_MARK)) > 0) {
            return false;
        }
        STATE.setVolatile(states, slot, DROPPED);
        return true;
    }

    /**
     * Removes one extra acknowledgement, if there is one, and sets the bits in {@code mark}. Returns the previous
     * element of {@code counts}.
     */
    private static int subtract(int[] counts, int slot, int mark) {
        int before = (int) COUNTS.getVolatile(counts, slot);
        while (more(before) > 0 && !COUNTS.compareAndSet(counts, slot, before, (before - 1) | mark)) {
            before = (int) COUNTS.getVolatile(counts, slot);
        }
        return before;
    }

    private static int more(int extra) {
        return extra & ~DROPPED_MARK;
    }

    void retain(int slot, int count) {
        if ((byte) STATE.getOpaque(states, slot) != HELD) {
            throw new IllegalStateException("retained after it was finished");
        }
        int[] counts = extra;
        if (counts == null) {
            counts = new int[SLOTS];
            int[] others = (int[]) EXTRA.compareAndExchange(this, (int[]) null, counts);
            counts = others == null ? counts : others;
        }
        COUNTS.getAndAdd(counts, slot, count);
    }

    boolean isFinished(int slot) {
        return (byte) STATE.getVolatile(states, slot) == FINISHED;
    }

    boolean isSettled(int slot) {
        return (byte) STATE.getVolatile(states, slot) != HELD;
    }

    /** Returns the first unfinished slot from {@code from} (inclusive) to {@code to} (exclusive), or {@code to}. */
    int firstUnfinished(int from, int to) {
        int slot = from;
        while (slot < to) {
            if ((slot & 7) == 0 && slot + 8 <= to && (long) EIGHT_STATES.get(states, slot) == ALL_FINISHED) {
                slot += 8;
            } else if (isFinished(slot)) {
                slot++;
            } else {
                break;
            }
        }
        // After this fence, the thread sees what holders wrote before they finished the records.
        VarHandle.acquireFence();
        return slot;
    }

    /** Resets the chunk for reuse. Every record in it must be finished. */
    void reset() {
        Arrays.fill(states, HELD);
        timestamps.clear();
    }
}
