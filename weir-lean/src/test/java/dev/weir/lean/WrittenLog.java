package dev.weir.lean;

import dev.weir.simulation.Log;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

/** The logs of a {@link FakeBroker}, with a scripted fault for each batch. Thread-safe. */
final class WrittenLog {

    /** The fault of a batch. A batch may be refused, written, or both. */
    enum Fault {
        NONE(null, true),
        NOT_LEADER(Errors.NOT_LEADER_OR_FOLLOWER, false),
        WRITTEN_BUT_TIMED_OUT(Errors.REQUEST_TIMED_OUT, true),
        /** The previous batch is lost. */
        LAST_LOST(null, true),
        STALE_EPOCH(Errors.INVALID_PRODUCER_EPOCH, false),
        FORBIDDEN(Errors.TOPIC_AUTHORIZATION_FAILED, false),
        TOO_LARGE(Errors.MESSAGE_TOO_LARGE, false);

        private final @Nullable Errors refusal;
        private final boolean isWritten;

        Fault(@Nullable Errors refusal, boolean isWritten) {
            this.refusal = refusal;
            this.isWritten = isWritten;
        }
    }

    /** A batch in the log. */
    record Written(long producerId, short epoch, int sequence, int count, List<Long> values) {

        private static Written of(ByteBuffer bytes) {
            RecordBatch batch =
                    MemoryRecords.readableRecords(bytes).batches().iterator().next();
            List<Long> values = StreamSupport.stream(batch.spliterator(), false)
                    .filter(record -> record.valueSize() > 0)
                    .map(record -> record.value().getLong(record.value().position()))
                    .toList();
            Integer count = Objects.requireNonNull(batch.countOrNull());
            return new Written(batch.producerId(), batch.producerEpoch(), batch.baseSequence(), count, values);
        }
    }

    final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, Log> partitions = new TreeMap<>();
    private volatile int throttleMillis;
    private volatile boolean remembersTheLastOnly;
    private volatile boolean remembersNone;
    private volatile Errors outOfSequence = Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
    private volatile boolean hidesOffsets;

    void throttle(int millis) {
        throttleMillis = millis;
    }

    /** Makes the broker remember only the last batch, as after a restart. */
    void rememberTheLastOnly() {
        remembersTheLastOnly = true;
    }

    /** Accepts every sequence, as if the broker forgot producers immediately. */
    void rememberNone() {
        remembersNone = true;
    }

    /** Sets the error for an unexpected sequence. */
    void outOfSequence(Errors error) {
        outOfSequence = error;
    }

    /** Omits the offsets of written batches from responses. */
    void hideOffsets() {
        hidesOffsets = true;
    }

    /** Appends another producer's records, without values. */
    void appendForeign(int partition, int count) {
        lock.lock();
        try {
            if (count > 0) {
                log(partition).append(Collections.nCopies(count, new byte[0]));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all producers. */
    void forgetProducers() {
        lock.lock();
        try {
            partitions.values().forEach(Log::forgetProducers);
        } finally {
            lock.unlock();
        }
    }

    ProduceResponseData answer(ProduceRequestData request) {
        ProduceResponseData answer = new ProduceResponseData().setThrottleTimeMs(throttleMillis);
        lock.lock();
        try {
            throttleMillis = 0;
            request.topicData().forEach(topic -> {
                TopicProduceResponse response = new TopicProduceResponse().setName(topic.name());
                topic.partitionData()
                        .forEach(each -> response.partitionResponses()
                                .add(append(log(each.index()), (MemoryRecords) each.records())
                                        .setIndex(each.index())));
                answer.responses().add(response);
            });
            return answer;
        } finally {
            lock.unlock();
        }
    }

    private PartitionProduceResponse append(Log log, MemoryRecords records) {
        records.batches().forEach(RecordBatch::ensureValid);
        Fault fault = Objects.requireNonNullElse(faults.poll(), Fault.NONE);
        if (fault == Fault.LAST_LOST) {
            log.electUnclean(1);
        }
        if (remembersTheLastOnly) {
            log.rememberTheLastOnly();
        }
        if (remembersNone) {
            log.forgetProducers();
        }
        log.outOfSequence(outOfSequence);
        Log.Appended appended =
                fault.isWritten ? log.append(records.buffer()) : new Log.Appended(Errors.NONE, Log.UNKNOWN, false);
        Errors error = appended.error() == Errors.NONE && fault.refusal != null ? fault.refusal : appended.error();
        return new PartitionProduceResponse()
                .setErrorCode(error.code())
                .setBaseOffset(error != Errors.NONE || hidesOffsets ? Log.UNKNOWN : appended.base());
    }

    private Log log(int partition) {
        return partitions.computeIfAbsent(partition, number -> new Log());
    }

    List<Written> written(int partition) {
        lock.lock();
        try {
            return log(partition).bytes().stream().map(Written::of).toList();
        } finally {
            lock.unlock();
        }
    }

    List<Long> values(int partition) {
        return written(partition).stream()
                .flatMap(each -> each.values().stream())
                .toList();
    }
}
