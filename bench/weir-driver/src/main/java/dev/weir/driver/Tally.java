package dev.weir.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the records and bytes of a pass. One thread at a time counts; any thread may call {@link #step} and read.
 * Allocates nothing.
 */
final class Tally {
    private final LongAdder steps = new LongAdder();
    private final int bytesOfStep;

    // Written by the counting thread, and read by the sampler with opaque access.
    private long records;
    private long bytes;

    private static final VarHandle RECORDS;
    private static final VarHandle BYTES;

    static {
        try {
            RECORDS = MethodHandles.lookup().findVarHandle(Tally.class, "records", long.class);
            BYTES = MethodHandles.lookup().findVarHandle(Tally.class, "bytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    Tally(int bytesOfStep) {
        this.bytesOfStep = bytesOfStep;
    }

    /** Adds to the counts. Returns the number of records counted by this method so far. */
    long count(int moreRecords, long moreBytes) {
        BYTES.setOpaque(this, bytes + moreBytes);
        long now = records + moreRecords;
        RECORDS.setOpaque(this, now);
        return now;
    }

    /** Counts a record of {@link Scenario#COPY}. Any thread may call it. */
    void step() {
        steps.increment();
    }

    long steps() {
        return steps.sum();
    }

    /** Returns the number of records so far, including steps. */
    long records() {
        return (long) RECORDS.getOpaque(this) + steps.sum();
    }

    /** Returns the number of bytes so far, including the bytes of steps. */
    long bytes() {
        return (long) BYTES.getOpaque(this) + steps.sum() * bytesOfStep;
    }
}
