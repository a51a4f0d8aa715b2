package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.threads.ShortLock;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects callers' records for a partition into batches. Thread-safe: uses one lock, usually held only while one
 * record is copied.
 */
final class RecordIntake {

    /** The result of {@link #drain} if no open batch remains. */
    static final long NEVER = Long.MAX_VALUE;

    private final ShortLock lock = new ShortLock();
    private final ArrayDeque<ProducerBatch> sealed = new ArrayDeque<>();
    private @Nullable ProducerBatch filling;
    private long taken;
    private @Nullable Supplier<RuntimeException> closed;

    /** True if there is a batch, sealed or not. */
    private volatile boolean some;

    /** Appends a record to the open batch. Returns false if a new batch is needed. */
    boolean append(RecordBytes record, long timestampMillis, long token) {
        lock.lock();
        try {
            checkOpen();
            return appendLocked(record, timestampMillis, token);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Appends consecutive records to the open batch, up to the first record that has another partition, is too large or
     * does not fit. Returns the index of that record.
     *
     * @param maxBytes the largest accepted size of a record
     */
    int append(PreparedRecords records, int from, int to, long token, long maxBytes) {
        lock.lock();
        try {
            checkOpen();
            if (filling == null) {
                return from;
            }
            String topic = records.topic(from);
            int partition = records.partition(from);
            int at = from;
            while (at < to
                    && records.partition(at) == partition
                    && records.topic(at).equals(topic)) {
                RecordBytes record = records.bytes(at);
                if (record.maxBytes() > maxBytes || !appendLocked(record, records.timestampMillis(at), token)) {
                    break;
                }
                at++;
            }
            return at;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Appends a record to a new batch, or to the open batch if another thread has added one with enough space.
     *
     * @param fresh a batch with enough space for the record
     * @param nowNanos the start time of the new batch
     * @return whether the new batch was used; if false, the caller still owns it
     */
    boolean append(ProducerBatch fresh, long nowNanos, RecordBytes record, long timestampMillis, long token) {
        lock.lock();
        try {
            checkOpen();
            if (appendLocked(record, timestampMillis, token)) {
                return false;
            }
            fresh.begin(nowNanos);
            if (!fresh.append(record, timestampMillis, token)) {
                throw new IllegalStateException("no room in a new batch");
            }
            filling = fresh;
            taken++;
            some = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean appendLocked(RecordBytes record, long timestampMillis, long token) {
        ProducerBatch batch = filling;
        if (batch == null) {
            return false;
        }
        if (batch.append(record, timestampMillis, token)) {
            taken++;
            return true;
        }
        sealLocked();
        return false;
    }

    private void sealLocked() {
        if (filling != null) {
            sealed.add(filling);
            filling = null;
        }
    }

    private void checkOpen() {
        if (closed != null) {
            throw closed.get();
        }
    }

    /** Seals the open batch. Returns the number of records accepted so far. */
    long seal() {
        lock.lock();
        try {
            sealLocked();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #drain} may find a batch. */
    boolean hasSome() {
        return some;
    }

    /**
     * Takes all sealed batches, and the open one if it is old enough or {@code all} is true.
     *
     * @param begunBefore the open batch is taken if it was started at this time or earlier
     * @return the start time of the remaining open batch, or {@link #NEVER} if there is none
     */
    long drain(ArrayDeque<ProducerBatch> to, long begunBefore, boolean all) {
        lock.lock();
        try {
            if (filling != null && (all || filling.begunNanos - begunBefore <= 0)) {
                sealLocked();
            }
            for (ProducerBatch batch = sealed.peek(); batch != null; batch = sealed.peek()) {
                to.add(batch);
                sealed.remove(); // only now, because add may run out of memory
            }
            some = filling != null;
            return filling == null ? NEVER : filling.begunNanos;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the oldest batch, even if it is still open; null if there is none. Allocates nothing. */
    @Nullable
    ProducerBatch take() {
        lock.lock();
        try {
            ProducerBatch oldest = sealed.poll();
            if (oldest == null) {
                oldest = filling;
                filling = null;
                some = false;
            }
            return oldest;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the intake. Later attempts to append fail with an exception from the given supplier. */
    void close(Supplier<RuntimeException> why) {
        lock.lock();
        try {
            if (closed == null) {
                closed = why;
            }
        } finally {
            lock.unlock();
        }
    }
}
