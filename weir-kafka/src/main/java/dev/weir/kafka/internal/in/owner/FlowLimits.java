package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.stream.control.BufferControl;
import java.util.concurrent.locks.ReentrantLock;

/** The limits of a consumer's buffer, which users may read and change at runtime. Thread-safe. */
final class FlowLimits implements BufferControl {

    /**
     * Maximum factor for raising the limit on outstanding records. Trackers allocate memory for the raised limit in
     * advance.
     */
    private static final int HEADROOM = 8;

    /** Same bound as in {@link ConsumerSettings#maxOutstandingRecords}. */
    private static final int MOST_RECORDS = 1_000_000;

    private final FlowControl flow;
    private final int mostRecords;
    private final long mostBytes;
    private final ReentrantLock lock = new ReentrantLock();

    private volatile int records;
    private volatile long bytes;

    FlowLimits(FlowControl flow, ConsumerSettings<?, ?> settings) {
        this.flow = flow;
        this.records = settings.maxOutstandingRecords();
        this.bytes = settings.bufferBytes();
        this.mostRecords = (int) Math.min(MOST_RECORDS, (long) HEADROOM * records);
        this.mostBytes = Math.max(bytes, Runtime.getRuntime().maxMemory() / 4);
    }

    @Override
    public int maxOutstandingRecords() {
        return records;
    }

    @Override
    public int mostOutstandingRecords() {
        return mostRecords;
    }

    @Override
    public void maxOutstandingRecords(int newRecords) {
        check("maxOutstandingRecords", newRecords, 1, mostRecords);
        lock.lock();
        try {
            records = newRecords;
            flow.maxOutstandingRecords(newRecords);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long bufferBytes() {
        return bytes;
    }

    @Override
    public long mostBufferBytes() {
        return mostBytes;
    }

    @Override
    public void bufferBytes(long newBytes) {
        check("bufferBytes", newBytes, LEAST_BUFFER_BYTES, mostBytes);
        lock.lock();
        try {
            bytes = newBytes;
            flow.bufferBytes(newBytes);
        } finally {
            lock.unlock();
        }
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " to " + most + " while it runs: " + name + "=" + value);
        }
    }
}
