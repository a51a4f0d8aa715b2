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
 * A message whose records are in flight. Sent by the stage's thread; completed by the producer's thread. Outcomes may
 * be read once {@link #isAnswered} is true.
 */
final class MessageInFlight<K, V, P> {

    final Message<K, V, P> message;
    final AckTarget target;
    final long token;

    private final AnswerSignal signal;

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

    @Nullable
    Exception refusal(int index) {
        return answers[index] instanceof Exception refusal ? refusal : null;
    }

    int refusals() {
        int refusals = 0;
        for (Object answer : answers) {
            refusals += answer instanceof Exception ? 1 : 0;
        }
        return refusals;
    }

    /** Returns the result. Must not be called if a record was rejected. */
    Produced<P> produced() {
        return new Produced<>(
                Arrays.stream(answers).map(RecordMetadata.class::cast).toList(), message.passThrough());
    }

    Sending<K, V> sending(int index, long ordinal) {
        return new Sending<>(new Part(index), message.records().get(index), ordinal, target, token);
    }

    /** One record of the message. Completed once, on the producer's or the sender's thread. */
    final class Part {

        private final int index;

        private Part(int index) {
            this.index = index;
        }

        void answer(Object metadataOrRefusal) {
            answers[index] = metadataOrRefusal;
            if (missing.decrementAndGet() == 0) {
                signal.answered(MessageInFlight.this);
            }
        }
    }

    /** The callback for one record of a message. Does not acknowledge the input, which waits for the whole message. */
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
