package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.DueTimes;
import dev.weir.kafka.internal.in.fetch.Fetched;
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
 * Releases the records of a {@link RecordBuffer} when they are due, in order within each partition. Records that are
 * not due stay in the buffer. Guarded by the buffer's lock, except for {@link Question#ask}, which calls a user's
 * function without the lock.
 */
public final class DueRecords {

    /** Maximum wait before the wall clock is read again, because the clock may be adjusted or the machine suspended. */
    private static final long MAX_WAIT_MILLIS = 10_000;

    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;
    private final LongSupplier wallClockMillis;

    private long nowMillis;
    private long nextDueMillis;
    private @Nullable Question open;

    /**
     * Counts the due records at the head of a queue. {@link #ask} is called without the buffer's lock, the other
     * methods with it.
     */
    final class Question {
        private final PartitionQueue queue;
        private final Batch<Fetched> first;
        private final long askedMillis = nowMillis;
        private int due;

        /** Due time of the record at index {@link #due}; valid if {@link #isHeadKnown}. */
        private long headDueMillis;

        private boolean isHeadKnown;

        private Question(PartitionQueue queue, Batch<Fetched> first) {
            this.queue = queue;
            this.first = first;
            isHeadKnown = queue.isHeadKnown();
            headDueMillis = queue.headDueMillis;
        }

        void ask() {
            if (!isHeadKnown) {
                headDueMillis = dueMillis.applyAsLong(record(first, 0));
                isHeadKnown = true;
            }
            while (isHeadKnown && headDueMillis <= askedMillis) {
                due++;
                isHeadKnown = due < first.size() && askNext();
            }
        }

        private boolean askNext() {
            try {
                headDueMillis = dueMillis.applyAsLong(record(first, due));
                return true;
            } catch (KafkaPipelineException failure) {
                // Not thrown here. The function is called again for this record when it is at the head of the queue.
                return false;
            }
        }

        /** Stores the results, unless the queue has changed in the meantime. */
        void settle() {
            if (queue.batches().peek() == first) {
                queue.due = due;
                queue.headToken = isHeadKnown ? first.token(due) : -1;
                queue.headDueMillis = headDueMillis;
            }
        }
    }

    /**
     * Creates an instance for one buffer.
     *
     * @param dueMillis returns the due time of a record in milliseconds since the Unix epoch
     */
    public DueRecords(ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis, LongSupplier wallClockMillis) {
        this.dueMillis = dueMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** Creates an instance for one buffer; null if the subscription does not delay records. */
    public static @Nullable DueRecords of(Subscription subscription) {
        DueTimes due = subscription.due();
        return due == null ? null : new DueRecords(record -> millis(due, record), System::currentTimeMillis);
    }

    /**
     * Returns the first full millisecond at which a record is due. Unreadable batches and records without a due time
     * are due immediately.
     */
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

    /** Returns a record of a batch. A source that delays records fetches only whole records. */
    private static ConsumerRecord<byte[], byte[]> record(Batch<Fetched> batch, int index) {
        return ((Fetched.OfRecord) batch.get(index)).record();
    }

    /** Returns whether the first record of a queue is known not to be due. */
    boolean isNotDue(PartitionQueue queue) {
        return queue.isHeadKnown() && queue.headDueMillis > wallClockMillis.getAsLong();
    }

    /** Starts a scan of all partitions. */
    void begin() {
        nowMillis = wallClockMillis.getAsLong();
        nextDueMillis = Long.MAX_VALUE;
    }

    /** Returns whether the user's function must be called to find further due records. */
    boolean hasQuestion() {
        return open != null;
    }

    /**
     * Removes and returns the pending {@link Question}, or null. The caller must release the buffer's lock and then
     * call {@link Question#ask}.
     */
    @Nullable
    Question question() {
        Question question = open;
        open = null;
        return question;
    }

    /**
     * Takes the due records at the head of a partition, at most {@code most} and at most one batch. Returns null if
     * none is due, or if {@link #hasQuestion} is true.
     */
    @Nullable
    Batch<Fetched> takeDue(PartitionQueue queue, int most) {
        ArrayDeque<Batch<Fetched>> ofPartition = queue.batches();
        Batch<Fetched> first = ofPartition.getFirst();
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
    static Batch<Fetched> part(Batch<Fetched> whole, int from, int to) {
        Object[] values = new Object[to - from];
        long[] tokens = new long[to - from];
        AckTarget target = whole.target(from);
        for (int i = from; i < to; i++) {
            values[i - from] = whole.get(i);
            tokens[i - from] = whole.token(i);
        }
        return Batch.of(values, to - from, target, tokens);
    }

    /** Returns the time on {@code clock} when another record may become due. */
    long nextDueNanos(Clock clock) {
        return nextDueMillis == Long.MAX_VALUE
                ? Stage.NEVER
                : clock.after(TimeUnit.MILLISECONDS.toNanos(
                        Math.clamp(nextDueMillis - wallClockMillis.getAsLong(), 1, MAX_WAIT_MILLIS)));
    }
}
