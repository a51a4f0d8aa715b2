package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The callback for one record. Holds no reference to the record, because many records are in flight. Used by the
 * sender's thread until the producer has accepted the record, and then by the producer's thread.
 */
class RecordAnswer implements Callback {

    /** The value of {@link #timestampMillis} if the client sets the record's timestamp. */
    static final long NO_TIMESTAMP = -1;

    private static final SendCounts NOT_SENT = new SendCounts();

    final String topic;
    final long timestampMillis;
    final AckTarget target;
    final long token;

    /** The producer to which the record was last passed; null before that. */
    private @Nullable OrderedProducer<?, ?> owner;

    /** The counts that include the record as sent, and will include it as complete. */
    private SendCounts counts = NOT_SENT;

    /**
     * The reason why {@code send} itself did not accept the record; null if the record was accepted. Used by the
     * sender's thread.
     */
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

    SendCounts counts() {
        return counts;
    }

    /**
     * The origin of the consumed record from which this record was made, for use in messages. Empty if the origin is
     * unknown.
     */
    String place() {
        return target.placeOf(token);
    }

    /**
     * Called when the brokers have the record. Acknowledges its input. Called by the producer's thread or the sender's.
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

    /** A callback that keeps everything needed to send the record again or to hand it to another sink. */
    static class Kept<T, K, V> extends RecordAnswer {

        final T element;

        /** The record's sequence number among all records sent. */
        final long ordinal;

        ProducerRecord<K, V> record;

        /**
         * The reason why the record was not written, set when the record is returned to be sent again. Null if the
         * brokers accepted the record. It is then sent again only because it followed a rejected record.
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
         * Prepares a returned record to be sent again. The record keeps its partition, even if the partitioner would
         * choose another one now.
         */
        void cameBack(int partition, @Nullable Exception why) {
            refusal = why;
            int to = record.partition() != null || partition < 0 ? -1 : partition;
            // Copied, because the client has closed the headers of a record that was sent.
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
