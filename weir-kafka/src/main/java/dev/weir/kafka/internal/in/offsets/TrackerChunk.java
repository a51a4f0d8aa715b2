package dev.weir.kafka.internal.in.offsets;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of a stretch of an {@link OffsetTracker}'s sequence, and who holds them. {@link #end}, {@link #drop} and
 * {@link #retain} are thread-safe, the rest is the owner's.
 *
 * <p>A record has one claim unless more were added, which most records never see. So its state is a byte that the
 * holder of the last claim writes once, and only a stretch where claims were added counts: {@code extra} holds those
 * beyond the last. Whoever sees no extra claim on a record that it holds is the last,
 * because claims are added by holders only.
 *
 * <pre>
 *   state    HELD, until its last claim ends, then FINISHED or, if one of them was dropped, DROPPED
 *   extra    none | 0: one claim | n: 1 + n claims; DROPPED_MARK beside it: one that ended was dropped
 * </pre>
 */
final class TrackerChunk {

    static final int BITS = 9;
    static final int SLOTS = 1 << BITS;

    private static final byte HELD = 0;
    private static final byte FINISHED = 1;
    private static final byte DROPPED = 2;

    private static final int DROPPED_MARK = 1 << 30;
    private static final long ALL_FINISHED = 0x0101010101010101L * FINISHED;

    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final VarHandle CLAIMS = MethodHandles.arrayElementVarHandle(int[].class);
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

    /** Timestamps of the records, in milliseconds since 1970. */
    final TimestampRuns timestamps = new TimestampRuns();

    /** The summed weight of the tracker's records, up to and with this one: sums of a stretch cost two looks. */
    final long[] weights = new long[SLOTS];

    private final byte[] states = new byte[SLOTS];

    private volatile int @Nullable [] extra;

    /**
     * Notes what records from {@code slot} on weigh beyond {@code before}, the sum up to them, and returns the new sum.
     */
    long weigh(int slot, int[] bytes, int from, int count, long before) {
        long sum = before;
        for (int i = 0; i < count; i++) {
            sum += bytes[from + i];
            weights[slot + i] = sum;
        }
        return sum;
    }

    /** Sets what is finished before anybody holds it. */
    void setFinished(int slot) {
        states[slot] = FINISHED;
    }

    /**
     * Ends a claim.
     *
     * @return whether it was the last; the state is visible to whoever reads after what this thread reads next
     */
    boolean end(int slot) {
        if ((byte) STATE.getOpaque(states, slot) != HELD) {
            throw new IllegalStateException("acknowledged more often than claimed");
        }
        int[] counts = extra;
        byte state = FINISHED;
        if (counts != null) {
            int before = subtract(counts, slot, 0);
            if (more(before) > 0) {
                return false;
            }
            state = before == 0 ? FINISHED : DROPPED;
        }
        STATE.setVolatile(states, slot, state);
        return true;
    }

    /** Ends a claim so that the record is never finished; see {@link #end}. */
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

    /** Takes an extra claim away, if there is one, and marks that; returns what it was before. */
    private static int subtract(int[] counts, int slot, int mark) {
        int before = (int) CLAIMS.getVolatile(counts, slot);
        while (more(before) > 0 && !CLAIMS.compareAndSet(counts, slot, before, (before - 1) | mark)) {
            before = (int) CLAIMS.getVolatile(counts, slot);
        }
        return before;
    }

    private static int more(int extra) {
        return extra & ~DROPPED_MARK;
    }

    /** Adds claims. */
    void retain(int slot, int claims) {
        if ((byte) STATE.getOpaque(states, slot) != HELD) {
            throw new IllegalStateException("retained after it was finished");
        }
        int[] counts = extra;
        if (counts == null) {
            counts = new int[SLOTS];
            int[] others = (int[]) EXTRA.compareAndExchange(this, (int[]) null, counts);
            counts = others == null ? counts : others;
        }
        CLAIMS.getAndAdd(counts, slot, claims);
    }

    boolean isFinished(int slot) {
        return (byte) STATE.getVolatile(states, slot) == FINISHED;
    }

    /** Returns whether nobody holds the record. */
    boolean isSettled(int slot) {
        return (byte) STATE.getVolatile(states, slot) != HELD;
    }

    /** The first slot from {@code from} on that is not finished, {@code to} if all before it are. */
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
        // What holders wrote before they finished is seen after this.
        VarHandle.acquireFence();
        return slot;
    }

    /** Makes it as new; each of its records is finished. */
    void reset() {
        Arrays.fill(states, HELD);
        timestamps.clear();
    }
}
