package dev.weir.kafka.internal.producer;

import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.internal.failure.Forwarder;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;

/**
 * Elements whose records cannot be written, until they stand in a dead-letter topic. Any thread adds; the segment's thread
 * settles.
 */
final class Rejects<T, K, V> {

    private record Reject<T, K, V>(
            T element, @Nullable ProducerRecord<K, V> record, Exception refusal, AckTarget target, long token) {}

    private final Queue<Reject<T, K, V>> rejected = new ConcurrentLinkedQueue<>();
    private final Forwarder forwarder;
    private final BiFunction<? super T, Throwable, FailedRecord> asFailed;

    Rejects(Forwarder forwarder, BiFunction<? super T, Throwable, FailedRecord> asFailed) {
        this.forwarder = forwarder;
        this.asFailed = asFailed;
    }

    /** Whether the next record may fare better. A missing topic or right, or a broken producer, are not of one record. */
    static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerialisable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // Thrown by a serializer.
            default -> true;
        };
    }

    void add(T element, @Nullable ProducerRecord<K, V> record, Exception refusal, AckTarget target, long token) {
        rejected.add(new Reject<>(element, record, refusal, target, token));
    }

    /** Returns when all that was added before is written somewhere and acknowledged. */
    void settle(Producer<K, V> producer) throws InterruptedException {
        if (rejected.isEmpty()) {
            return;
        }
        Batch<FailedRecord> failed = new Batch<>(0);
        for (Reject<T, K, V> reject = rejected.poll(); reject != null; reject = rejected.poll()) {
            if (reject.refusal instanceof InvalidRecordException && isTakenAlone(producer, reject)) {
                reject.target.ack(reject.token);
            } else {
                failed.add(asFailed.apply(reject.element, reject.refusal), reject.target, reject.token);
            }
        }
        forwarder.deliver(failed);
    }

    /** A broker that finds one record invalid refuses the whole batch, and with it records that nothing is wrong with. */
    private boolean isTakenAlone(Producer<K, V> producer, Reject<T, K, V> reject) throws InterruptedException {
        producer.flush();
        try {
            var ignored = producer.send(reject.record).get();
            return true;
        } catch (ExecutionException again) {
            return false;
        }
    }
}
