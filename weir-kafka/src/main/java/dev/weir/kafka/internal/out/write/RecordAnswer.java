package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the brokers' answer to one record. It does not keep the record alive, because many are in flight. The
 * sender's thread owns it until the producer has accepted the record, then the producer's thread until the answer.
 */
class RecordAnswer implements Callback {

    /** {@link #timestampMillis} of a record whose timestamp the client sets. */
    static final long NO_TIMESTAMP = -1;

    private static final SendCounts NOT_SENT = new SendCounts();

    final String topic;
    final long timestampMillis;
    final AckTarget target;
    final long token;

    /** The producer that has the record. */
    private @Nullable OrderedProducer<?, ?> owner;

    /** The counts in which the record is sent, and will be answered. */
    private SendCounts counts = NOT_SENT;

    /** The reason why {@code send} itself did not accept the record, if so; the sender's thread. */
    @Nullable
    Exception notTaken;

    RecordAnswer(ProducerRecord<?, ?> record, AckTarget target, long token) {
        this.topic = record.topic();
        this.timestampMillis = record.timestamp() == null ? NO_TIMESTAMP : record.timestamp();
        this.target = target;
        this.token = token;
    }

    void sentBy(OrderedProducer<?, ?> newOwner, SendCounts newCounts) {
        owner = newOwner;
        counts = newCounts;
        notTaken = null;
    }

    /** See {@link #sentBy}. */
    SendCounts counts() {
        return counts;
    }

    /** The consumed record that this one was made from, for messages; empty if not known. */
    String place() {
        return target.placeOf(token);
    }

    /**
     * Reports that the brokers have the record, and ends the pending acknowledgement of its input. The producer's
     * thread, or the sender's.
     */
    void written(@Nullable RecordMetadata metadata) {
        target.ack(token);
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refused) {
        if (owner != null) {
            owner.answered(this, metadata, refused);
        }
    }

    /** An answer that keeps everything needed to send the record again or to hand it to another sink. */
    static class Kept<T, K, V> extends RecordAnswer {

        final T element;

        /** The record's sequence number among all that were sent. */
        final long ordinal;

        ProducerRecord<K, V> record;

        /**
         * The reason why the record was not written, once it has been returned; null if the brokers accepted it after a
         * refused one.
         */
        @Nullable
        Exception refusal;

        Kept(T element, ProducerRecord<K, V> record, long ordinal, AckTarget target, long token) {
            super(record, target, token);
            this.element = element;
            this.record = record;
            this.ordinal = ordinal;
        }

        /**
         * The record was returned: it is sent to the same partition next time, whatever the partitioner then chooses.
         */
        void cameBack(int partition, @Nullable Exception why) {
            refusal = why;
            int to = record.partition() != null || partition < 0 ? -1 : partition;
            // A copy, because the client has closed the headers of a sent record.
            record = new ProducerRecord<>(
                    record.topic(),
                    to < 0 ? record.partition() : Integer.valueOf(to),
                    record.timestamp(),
                    record.key(),
                    record.value(),
                    record.headers());
        }
    }
}
