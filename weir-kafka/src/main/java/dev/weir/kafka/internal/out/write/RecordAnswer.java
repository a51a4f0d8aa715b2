package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The callback for one record. Does not keep the record, to save memory. Used by the sender's thread until the client
 * has accepted the record, and then by the producer's thread.
 */
class RecordAnswer implements Callback {

    /** The value of {@link #timestampMillis} if the client sets the record's timestamp. */
    static final long NO_TIMESTAMP = -1;

    private static final SendCounts NOT_SENT = new SendCounts();

    final String topic;
    final long timestampMillis;
    final AckTarget target;
    final long token;

    private @Nullable OrderedProducer<?, ?> owner;

    private SendCounts counts = NOT_SENT;

    /** The reason why {@code send} did not accept the record, or null. Used by the sender's thread. */
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

    /** Returns the record's input, such as {@code orders-3@17}; empty if unknown. */
    String place() {
        return target.placeOf(token);
    }

    /** Acknowledges the input, because the brokers have the record. Called by the producer's or the sender's thread. */
    void written(@Nullable RecordMetadata metadata) {
        target.ack(token);
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refused) {
        if (owner != null) {
            owner.answered(this, metadata, refused);
        }
    }

    /** A callback that also keeps its record, to send it again or to pass it to another sink. */
    static class Kept<T, K, V> extends RecordAnswer {

        final T element;

        /** The record's sequence number among all records sent. */
        final long ordinal;

        ProducerRecord<K, V> record;

        /** The reason why the record was not written; null if the record was written. */
        @Nullable
        Exception refusal;

        Kept(T element, ProducerRecord<K, V> record, long ordinal, AckTarget target, long token) {
            super(record, target, token);
            this.element = element;
            this.record = record;
            this.ordinal = ordinal;
        }

        /** Prepares a returned record to be sent again, to the same partition. */
        void cameBack(int partition, @Nullable Exception why) {
            refusal = why;
            boolean isChosen = record.partition() == null && partition >= 0;
            // Copied, because the client has closed the record's headers.
            record = new ProducerRecord<>(
                    record.topic(),
                    isChosen ? Integer.valueOf(partition) : record.partition(),
                    record.timestamp(),
                    record.key(),
                    record.value(),
                    record.headers());
        }
    }
}
