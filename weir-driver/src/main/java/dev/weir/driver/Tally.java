package dev.weir.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the records and bytes of a pass so far. One thread at a time counts, but for {@link #step}; any thread looks.
 * Allocates nothing.
 */
final class Tally {
    private final LongAdder steps = new LongAdder();
    private final int bytesOfStep;

    // Written by the one that counts. Opaque is enough for the sampler, which looks at them meanwhile.
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

    /** Counts so many more; how many records were counted then, without steps. */
    long count(int moreRecords, long moreBytes) {
        BYTES.setOpaque(this, bytes + moreBytes);
        long now = records + moreRecords;
        RECORDS.setOpaque(this, now);
        return now;
    }

    /** Counts a record of {@link Scenario#COPY}. Any thread. */
    void step() {
        steps.increment();
    }

    long steps() {
        return steps.sum();
    }

    /** Steps among them. */
    long records() {
        return (long) RECORDS.getOpaque(this) + steps.sum();
    }

    /** The bytes of steps among them. */
    long bytes() {
        return (long) BYTES.getOpaque(this) + steps.sum() * bytesOfStep;
    }
}
