package dev.weir.kafka.internal.producer;

import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.stream.spi.AckTarget;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * A message whose records are on their way. Sent by the segment's thread, answered by the producer's; what was answered
 * may be read once {@link #isAnswered}.
 */
final class InHand<K, V, P> {

    final Message<K, V, P> message;
    final AckTarget target;
    final long token;

    private final AnswerSignal signal;

    /** By record, where it stands or why it stands nowhere. */
    private final Object[] answers;

    private final AtomicInteger missing;

    InHand(Message<K, V, P> message, AckTarget target, long token, AnswerSignal signal) {
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

    /** Why a record was refused; null if it was written. */
    @Nullable
    Exception refusal(int index) {
        return answers[index] instanceof Exception refusal ? refusal : null;
    }

    /** How many records were refused. */
    int refusals() {
        int refusals = 0;
        for (Object answer : answers) {
            refusals += answer instanceof Exception ? 1 : 0;
        }
        return refusals;
    }

    /** The result, if no record was refused. */
    Produced<P> produced() {
        return new Produced<>(
                Arrays.stream(answers).map(RecordMetadata.class::cast).toList(), message.passThrough());
    }

    Part part(int index) {
        return new Part(index);
    }

    /** One record of the message. */
    final class Part implements Callback {

        private final int index;

        // Of the sender's thread, while it sends.
        private @Nullable Thread sender;
        private @Nullable Exception notTaken;

        private Part(int index) {
            this.index = index;
        }

        /** Returns why the client did not take the record; null if it did, so that an answer will come. */
        @Nullable
        Exception sendBy(Producer<K, V> client, ProducerRecord<K, V> record) {
            sender = Thread.currentThread();
            notTaken = null;
            try {
                var ignored = client.send(record, this);
                return notTaken;
            } catch (InterruptException interrupted) {
                throw interrupted;
            } catch (RuntimeException thrown) {
                return thrown;
            } finally {
                sender = null;
            }
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refusal) {
            if (refusal != null && Thread.currentThread() == sender) {
                notTaken = refusal;
            } else if (refusal != null) {
                refused(refusal);
            } else if (metadata != null) {
                answer(metadata);
            }
        }

        /** The record is not written. */
        void refused(Exception refusal) {
            answer(refusal);
        }

        private void answer(Object answer) {
            answers[index] = answer;
            if (missing.decrementAndGet() == 0) {
                signal.answered(InHand.this);
            }
        }
    }
}
