package dev.weir.kafka.internal.buffer;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Lets records out of a {@link RecordBuffer} when they are due, each partition in its order. Confined to the buffer's lock.
 * What is not due stays in the buffer, so that it is purged and forgotten like all that was not pulled.
 */
public final class Delay {

    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;
    private final LongSupplier wallClockMillis;

    private long nowMillis;
    private long nextDueMillis;

    /**
     * Creates one.
     *
     * @param dueMillis when a record may be taken, as milliseconds since 1970
     */
    public Delay(ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis, LongSupplier wallClockMillis) {
        this.dueMillis = dueMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** Whether a record may be taken now. */
    boolean isDue(ConsumerRecord<byte[], byte[]> record) {
        return dueMillis.applyAsLong(record) <= wallClockMillis.getAsLong();
    }

    /** Begins a look at all partitions. */
    void begin() {
        nowMillis = wallClockMillis.getAsLong();
        nextDueMillis = Long.MAX_VALUE;
    }

    /** Takes the first records of a partition that are due, at most a batch; null if there are none. */
    @Nullable
    Batch<ConsumerRecord<byte[], byte[]>> takeDue(ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> ofPartition) {
        Batch<ConsumerRecord<byte[], byte[]>> first = ofPartition.getFirst();
        int due = countDue(first);
        if (due == 0) {
            nextDueMillis = Math.min(nextDueMillis, dueMillis.applyAsLong(first.get(0)));
            return null;
        }
        ofPartition.remove();
        if (due == first.size()) {
            return first;
        }
        ofPartition.addFirst(part(first, due, first.size()));
        return part(first, 0, due);
    }

    private int countDue(Batch<ConsumerRecord<byte[], byte[]>> batch) {
        int due = 0;
        while (due < batch.size() && dueMillis.applyAsLong(batch.get(due)) <= nowMillis) {
            due++;
        }
        return due;
    }

    /** The elements of a batch between two places. */
    static Batch<ConsumerRecord<byte[], byte[]>> part(Batch<ConsumerRecord<byte[], byte[]>> whole, int from, int to) {
        Object[] values = new Object[to - from];
        long[] tokens = new long[to - from];
        AckTarget target = whole.target(from);
        for (int i = from; i < to; i++) {
            values[i - from] = whole.get(i);
            tokens[i - from] = whole.token(i);
        }
        return Batch.of(values, to - from, target, tokens);
    }

    /** When something of what was looked at may be due, as a time of {@code clock}. */
    long nextDueNanos(Clock clock) {
        return nextDueMillis == Long.MAX_VALUE
                ? Stage.NEVER
                : clock.after(TimeUnit.MILLISECONDS.toNanos(Math.max(1, nextDueMillis - wallClockMillis.getAsLong())));
    }
}
