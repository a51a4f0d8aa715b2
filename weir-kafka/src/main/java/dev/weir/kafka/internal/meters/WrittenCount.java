package dev.weir.kafka.internal.meters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * Counts records that the brokers have. One writer at a time, any reader; costs the writer no fence for each record.
 */
public final class WrittenCount implements LongSupplier {

    private static final VarHandle WRITTEN;

    static {
        try {
            WRITTEN = MethodHandles.lookup().findVarHandle(WrittenCount.class, "written", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // by its handle
    private long written;

    /** One more. The writer's. */
    public void increment() {
        WRITTEN.setOpaque(this, (long) WRITTEN.get(this) + 1);
    }

    @Override
    public long getAsLong() {
        return (long) WRITTEN.getOpaque(this);
    }
}
