package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A message whose records are in flight. Sent by the stage's thread; completed by the producer's thread. The outcomes
 * may be read once {@link #isAnswered} returns true.
 */
final class MessageInFlight<K, V, P> {

    final Message<K, V, P> message;
    final AckTarget target;
    final long token;

    private final AnswerSignal signal;

    /** The outcome of each record: its metadata, or the reason why it was not written. */
    private final Object[] answers;

    private final AtomicInteger missing;

    MessageInFlight(Message<K, V, P> message, AckTarget target, long token, AnswerSignal signal) {
        this.message = message;
        this.target = target;
        this.token = token;
        this.signal = signal;
        this.answers = new Object[message.records().size()];
        this.missing = new AtomicInteger(answers.length);
    }

    boolean isAnswered() {
        return missing.get() == 0;
    }

    /** The reason why a record was rejected; null if it was written. */
    @Nullable
    Exception refusal(int index) {
        return answers[index] instanceof Exception refusal ? refusal : null;
    }

    /** The number of rejected records. */
    int refusals() {
        int refusals = 0;
        for (Object answer : answers) {
            refusals += answer instanceof Exception ? 1 : 0;
        }
        return refusals;
    }

    /** The result. Must be called only if no record was rejected. */
    Produced<P> produced() {
        return new Produced<>(
                Arrays.stream(answers).map(RecordMetadata.class::cast).toList(), message.passThrough());
    }

    Sending<K, V> sending(int index, long ordinal) {
        return new Sending<>(new Part(index), message.records().get(index), ordinal, target, token);
    }

    /** One record of the message. Completed once, on the producer's thread or the sender's. */
    final class Part {

        private final int index;

        private Part(int index) {
            this.index = index;
        }

        /** Sets the record's metadata, or the reason why it was not written. */
        void answer(Object metadataOrRefusal) {
            answers[index] = metadataOrRefusal;
            if (missing.decrementAndGet() == 0) {
                signal.answered(MessageInFlight.this);
            }
        }
    }

    /**
     * The callback for one record of a message. It does not acknowledge the input, because the input is acknowledged
     * only once the whole message is finished.
     */
    static final class Sending<K, V> extends Kept<MessageInFlight<?, ?, ?>.Part, K, V> {

        private Sending(
                MessageInFlight<?, ?, ?>.Part part,
                ProducerRecord<K, V> record,
                long ordinal,
                AckTarget target,
                long token) {
            super(part, record, ordinal, target, token);
        }

        @Override
        void written(@Nullable RecordMetadata metadata) {
            element.answer(Objects.requireNonNull(metadata, "where the record stands"));
        }
    }
}
