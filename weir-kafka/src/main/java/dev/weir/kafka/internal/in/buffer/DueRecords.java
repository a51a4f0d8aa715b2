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
 * Lets records out of a {@link RecordBuffer} when they are due, each partition in its order. Confined to the buffer's
 * lock, but for {@link Question#ask}: a user's function is asked outside of it, once for each record.
 * What is not due stays in the buffer, so that it is purged and forgotten like all that was not pulled.
 */
public final class DueRecords {

    /** The longest wait without a look at the wall clock, which somebody may set, or a machine that slept. */
    private static final long MAX_WAIT_MILLIS = 10_000;

    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;
    private final LongSupplier wallClockMillis;

    private long nowMillis;
    private long nextDueMillis;
    private @Nullable Question open;

    /**
     * Counts how many of the next records are due. Asked by the thread that takes; the rest under the buffer's lock.
     */
    final class Question {
        private final PartitionQueue queue;
        private final Batch<ConsumerRecord<byte[], byte[]>> first;
        private final long askedMillis = nowMillis;
        private int due;

        /** The time when the first record that is not known to be due is, if that is known. */
        private long headDueMillis;

        private boolean isHeadKnown;

        private Question(PartitionQueue queue, Batch<ConsumerRecord<byte[], byte[]>> first) {
            this.queue = queue;
            this.first = first;
            isHeadKnown = queue.isHeadKnown();
            headDueMillis = queue.headDueMillis;
        }

        /** Asks about records until one is not due. */
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
                // Thrown again when that record is the first: those before it go out.
                return false;
            }
        }

        /** Notes the answers, unless the records have gone meanwhile. */
        void settle() {
            if (queue.batches().peek() == first) {
                queue.due = due;
                queue.headToken = isHeadKnown ? first.token(due) : -1;
                queue.headDueMillis = headDueMillis;
            }
        }
    }

    /**
     * Creates one.
     *
     * @param dueMillis when a record may be taken, as milliseconds since 1970
     */
    public DueRecords(ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis, LongSupplier wallClockMillis) {
        this.dueMillis = dueMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** The delay of a subscription, for one buffer; null if it has none. */
    public static @Nullable DueRecords of(Subscription subscription) {
        DueTimes due = subscription.due();
        return due == null ? null : new DueRecords(record -> millis(due, record), System::currentTimeMillis);
    }

    /** The first millisecond at which a record is due; far times are the ends of what a long can say. */
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

    /** Returns whether the first record of a queue was looked at and is for later. Calls no user's function. */
    boolean isNotDue(PartitionQueue queue) {
        return queue.isHeadKnown() && queue.headDueMillis > wallClockMillis.getAsLong();
    }

    /** Begins a look at all partitions. */
    void begin() {
        nowMillis = wallClockMillis.getAsLong();
        nextDueMillis = Long.MAX_VALUE;
    }

    /** Returns whether the user's function has to be asked before the look can go on. */
    boolean hasQuestion() {
        return open != null;
    }

    /** The question to ask outside of the lock; null if nothing has. Gives it once. */
    @Nullable
    Question question() {
        Question question = open;
        open = null;
        return question;
    }

    /**
     * Takes the first records of a partition that are due, at most a batch and so many; null if there are none, or if
     * that has to be {@linkplain #hasQuestion asked} first.
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

    /** The time when something of what was looked at may be due, as a time of {@code clock}. */
    long nextDueNanos(Clock clock) {
        return nextDueMillis == Long.MAX_VALUE
                ? Stage.NEVER
                : clock.after(TimeUnit.MILLISECONDS.toNanos(
                        Math.clamp(nextDueMillis - wallClockMillis.getAsLong(), 1, MAX_WAIT_MILLIS)));
    }
}
