package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.DueTimes;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Releases records of a {@link RecordBuffer} when they are due, in order within each partition. Guarded by the buffer's
 * lock, except for {@link Question#ask}, which calls a user's function once per record without holding the lock.
 * Records that are not due stay in the buffer and, like all records that were not pulled, can be purged and forgotten.
 */
public final class DueRecords {

    /**
     * Maximum wait before the wall clock is read again, because the clock may be set, or jump after the machine was
     * suspended.
     */
    private static final long MAX_WAIT_MILLIS = 10_000;

    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;
    private final LongSupplier wallClockMillis;

    private long nowMillis;
    private long nextDueMillis;
    private @Nullable Question open;

    /**
     * Determines how many of a queue's next records are due. {@link #ask} is called by the taking thread without the
     * lock; everything else is guarded by the buffer's lock.
     */
    final class Question {
        private final PartitionQueue queue;
        private final Batch<ConsumerRecord<byte[], byte[]>> first;
        private final long askedMillis = nowMillis;
        private int due;

        /** Due time of the first record not known to be due; valid if {@link #isHeadKnown}. */
        private long headDueMillis;

        private boolean isHeadKnown;

        private Question(PartitionQueue queue, Batch<ConsumerRecord<byte[], byte[]>> first) {
            this.queue = queue;
            this.first = first;
            isHeadKnown = queue.isHeadKnown();
            headDueMillis = queue.headDueMillis;
        }

        /** Calls the user's function for one record after the other until one is not due. */
        void ask() {
            if (!isHeadKnown) {
                headDueMillis = dueMillis.applyAsLong(first.get(0));
                isHeadKnown = true;
            }
            while (isHeadKnown && headDueMillis <= askedMillis) {
                due++;
                isHeadKnown = due < first.size() && askNext();
            }
        }

        private boolean askNext() {
            try {
                headDueMillis = dueMillis.applyAsLong(first.get(due));
                return true;
            } catch (KafkaPipelineException failure) {
                // The function is called again when this record is at the head, after the records before it were
                // emitted. That call throws the failure.
                return false;
            }
        }

        /** Stores the results, unless the records were removed in the meantime. */
        void settle() {
            if (queue.batches().peek() == first) {
                queue.due = due;
                queue.headToken = isHeadKnown ? first.token(due) : -1;
                queue.headDueMillis = headDueMillis;
            }
        }
    }

    /**
     * Creates a delay.
     *
     * @param dueMillis returns the due time of a record in milliseconds since the Unix epoch
     */
    public DueRecords(ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis, LongSupplier wallClockMillis) {
        this.dueMillis = dueMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** Creates the delay of a subscription for one buffer; null if the subscription has none. */
    public static @Nullable DueRecords of(Subscription subscription) {
        DueTimes due = subscription.due();
        return due == null ? null : new DueRecords(record -> millis(due, record), System::currentTimeMillis);
    }

    /** Returns the first millisecond at which a record is due, clamped to the range of a long. */
    static long millis(DueTimes due, ConsumerRecord<byte[], byte[]> record) {
        if (record instanceof UnreadableBatch) {
            return Long.MIN_VALUE;
        }
        Instant at;
        try {
            at = due.of(record);
        } catch (RuntimeException failure) {
            throw new KafkaPipelineException(
                    "dueAt failed for " + record.topic() + "-" + record.partition() + "@" + record.offset() + ": "
                            + failure + "; let it give null for records that have no time",
                    failure);
        }
        if (at == null) {
            return Long.MIN_VALUE;
        }
        try {
            return at.plusNanos(NANOS_PER_MILLI - 1).toEpochMilli();
        } catch (ArithmeticException | DateTimeException far) {
            return at.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
    }

    /** Returns whether the first record of a queue is known to be due later. Does not call the user's function. */
    boolean isNotDue(PartitionQueue queue) {
        return queue.isHeadKnown() && queue.headDueMillis > wallClockMillis.getAsLong();
    }

    /** Starts a scan of all partitions. */
    void begin() {
        nowMillis = wallClockMillis.getAsLong();
        nextDueMillis = Long.MAX_VALUE;
    }

    /** Returns whether the user's function must be called before the scan can continue. */
    boolean hasQuestion() {
        return open != null;
    }

    /**
     * Returns the pending question, and clears it, so that the caller can ask it outside the lock; null if there is
     * none.
     */
    @Nullable
    Question question() {
        Question question = open;
        open = null;
        return question;
    }

    /**
     * Takes the due records at the head of a partition, at most {@code most} and at most one batch. Returns null if no
     * record is due, or if a {@linkplain #hasQuestion question} must be asked first.
     */
    @Nullable
    Batch<ConsumerRecord<byte[], byte[]>> takeDue(PartitionQueue queue, int most) {
        ArrayDeque<Batch<ConsumerRecord<byte[], byte[]>>> ofPartition = queue.batches();
        Batch<ConsumerRecord<byte[], byte[]>> first = ofPartition.getFirst();
        if (queue.due == 0) {
            if (queue.isHeadKnown() && queue.headDueMillis > nowMillis) {
                nextDueMillis = Math.min(nextDueMillis, queue.headDueMillis);
            } else {
                open = new Question(queue, first);
            }
            return null;
        }
        int taken = Math.min(queue.due, most);
        queue.due -= taken;
        ofPartition.remove();
        if (taken == first.size()) {
            return first;
        }
        ofPartition.addFirst(part(first, taken, first.size()));
        return part(first, 0, taken);
    }

    /** Returns the elements from {@code from} (inclusive) to {@code to} (exclusive). */
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

    /** Returns the time, on {@code clock}, when the next scanned record may become due. */
    long nextDueNanos(Clock clock) {
        return nextDueMillis == Long.MAX_VALUE
                ? Stage.NEVER
                : clock.after(TimeUnit.MILLISECONDS.toNanos(
                        Math.clamp(nextDueMillis - wallClockMillis.getAsLong(), 1, MAX_WAIT_MILLIS)));
    }
}
