package dev.weir.kafka.internal.meters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/** Counts records that the brokers have acknowledged. Supports one writer at a time and any number of readers. */
public final class WrittenCount implements LongSupplier {

    private static final VarHandle WRITTEN;

    static {
        try {
            WRITTEN = MethodHandles.lookup().findVarHandle(WrittenCount.class, "written", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // accessed through WRITTEN
    private long written;

    /** Counts a record. Called by the writer's thread. */
    public void increment() {
        WRITTEN.setOpaque(this, (long) WRITTEN.get(this) + 1);
    }

    @Override
    public long getAsLong() {
        return (long) WRITTEN.getOpaque(this);
    }
}
