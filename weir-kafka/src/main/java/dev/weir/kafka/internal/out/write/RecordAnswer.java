package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.stream.spi.AckTarget;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the brokers' answer to one record. It does not keep the record alive: many are in flight. The sender's
 * thread owns it until the producer has taken the record, the producer's thread from then until the answer.
 */
class RecordAnswer implements Callback {

    /** {@link #timestampMillis} of a record that leaves it to the client. */
    static final long NO_TIMESTAMP = -1;

    private static final SendCounts NOT_SENT = new SendCounts();

    final String topic;
    final long timestampMillis;
    final AckTarget target;
    final long token;

    /** Producer that has the record. */
    private @Nullable OrderedProducer<?, ?> owner;

    /** The counts that have the record as sent and will have it as answered. */
    private SendCounts counts = NOT_SENT;

    /** The reason why {@code send} itself did not take the record, if so; the sender's thread. */
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

    /** The record that this one was made of, for messages; empty if that is not known. */
    String place() {
        return target.placeOf(token);
    }

    /** The brokers have the record: ends the claim on its input. The producer's thread, or the sender's. */
    void written(@Nullable RecordMetadata metadata) {
        target.ack(token);
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refused) {
        if (owner != null) {
            owner.answered(this, metadata, refused);
        }
    }

    /** Answer that keeps everything needed to send the record again or hand it to another sink. */
    static class Kept<T, K, V> extends RecordAnswer {

        final T element;

        /** The place among all records that were sent. */
        final long ordinal;

        ProducerRecord<K, V> record;

        /**
         * The reason why the brokers did not take it, once it has come back; null if they took it behind one that they
         * refused.
         */
        @Nullable
        Exception refusal;

        Kept(T element, ProducerRecord<K, V> record, long ordinal, AckTarget target, long token) {
            super(record, target, token);
            this.element = element;
            this.record = record;
            this.ordinal = ordinal;
        }

        /** It came back: next time it goes to the same partition, whatever the partitioner says then. */
        void cameBack(int partition, @Nullable Exception why) {
            refusal = why;
            int to = record.partition() != null || partition < 0 ? -1 : partition;
            // A copy: the client has closed the headers of what it has sent.
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
