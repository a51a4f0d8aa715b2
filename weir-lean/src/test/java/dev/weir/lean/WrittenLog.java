package dev.weir.lean;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/**
 * The logs of partitions as a broker keeps them for idempotent producers: it knows the last five batches again, takes
 * only the next sequence, and takes any where it knows nothing. Faults are scripted, batch by batch. Thread-safe.
 */
final class WrittenLog {

    /** What goes wrong with a batch. */
    enum Fault {
        NONE,
        NOT_LEADER,
        WRITTEN_BUT_TIMED_OUT,
        /** The batch before it is lost, as by an unclean election. */
        LAST_LOST,
        STALE_EPOCH,
        FORBIDDEN,
        TOO_LARGE
    }

    /** A batch that is in the log; of a foreign one, neither producer nor values. */
    record Written(long producerId, short epoch, int sequence, int count, List<Long> values) {}

    /** For the next batches, one each. */
    final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, List<Written>> partitions = new TreeMap<>();
    private volatile int throttleMillis;
    private volatile int remembered = 5;
    private volatile Errors outOfSequence = Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
    private volatile boolean hidesOffsets;

    /** Of how many batches of a partition nothing is known any more. */
    private final Map<Integer, Integer> forgotten = new TreeMap<>();

    /** Says so once. */
    void throttle(int millis) {
        throttleMillis = millis;
    }

    /** From now on only the last batch is known again, as after a restart. */
    void rememberTheLastOnly() {
        remembered = 1;
    }

    /** From now on every sequence is accepted, as if each producer were forgotten at once. */
    void rememberNone() {
        remembered = 0;
    }

    /** From now on a sequence that is not the next one is refused by this error. */
    void outOfSequence(Errors error) {
        outOfSequence = error;
    }

    /** From now on answers do not say where a batch was written. */
    void hideOffsets() {
        hidesOffsets = true;
    }

    /** Appends that many records of another producer to a partition. */
    void appendForeign(int partition, int count) {
        lock.lock();
        try {
            if (count > 0) {
                batches(partition).add(new Written(-1, (short) -1, -1, count, List.of()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all producers so far, as when their last records are older than it keeps them. */
    void forgetProducers() {
        lock.lock();
        try {
            partitions.forEach((partition, batches) -> forgotten.put(partition, batches.size()));
        } finally {
            lock.unlock();
        }
    }

    ProduceResponseData answer(ProduceRequestData request) {
        lock.lock();
        try {
            return answerLocked(request);
        } finally {
            lock.unlock();
        }
    }

    private ProduceResponseData answerLocked(ProduceRequestData request) {
        ProduceResponseData answer = new ProduceResponseData().setThrottleTimeMs(throttleMillis);
        throttleMillis = 0;
        request.topicData().forEach(topic -> {
            TopicProduceResponse response = new TopicProduceResponse().setName(topic.name());
            topic.partitionData()
                    .forEach(each ->
                            response.partitionResponses().add(append(each.index(), (MemoryRecords) each.records())));
            answer.responses().add(response);
        });
        return answer;
    }

    private PartitionProduceResponse append(int partition, MemoryRecords records) {
        MutableRecordBatch batch = records.batches().iterator().next();
        batch.ensureValid();
        Fault fault = faults.poll();
        PartitionProduceResponse answer = switch (fault == null ? Fault.NONE : fault) {
            case NONE -> write(partition, batch);
            case NOT_LEADER -> refusal(Errors.NOT_LEADER_OR_FOLLOWER);
            case WRITTEN_BUT_TIMED_OUT -> {
                PartitionProduceResponse written = write(partition, batch);
                yield written.errorCode() == Errors.NONE.code() ? refusal(Errors.REQUEST_TIMED_OUT) : written;
            }
            case LAST_LOST -> {
                batches(partition).removeLast();
                yield write(partition, batch);
            }
            case STALE_EPOCH -> refusal(Errors.INVALID_PRODUCER_EPOCH);
            case FORBIDDEN -> refusal(Errors.TOPIC_AUTHORIZATION_FAILED);
            case TOO_LARGE -> refusal(Errors.MESSAGE_TOO_LARGE);
        };
        return answer.setIndex(partition);
    }

    private static PartitionProduceResponse refusal(Errors error) {
        return new PartitionProduceResponse().setErrorCode(error.code()).setBaseOffset(-1);
    }

    private PartitionProduceResponse write(int partition, MutableRecordBatch batch) {
        List<Written> all = batches(partition);
        int sequence = batch.baseSequence();
        int count = batch.countOrNull();
        List<Written> known = all.stream()
                .skip(forgotten.getOrDefault(partition, 0))
                .filter(each -> each.producerId() == batch.producerId())
                .toList();
        if (!known.isEmpty() && remembered > 0) {
            for (Written each : known.subList(Math.max(0, known.size() - remembered), known.size())) {
                if (each.epoch() == batch.producerEpoch() && each.sequence() == sequence && each.count() == count) {
                    return at(all, each);
                }
            }
            Written last = known.getLast();
            boolean same = last.epoch() == batch.producerEpoch();
            if (sequence != (same ? last.sequence() + last.count() : 0)) {
                return refusal(outOfSequence);
            }
        }
        List<Long> values = new ArrayList<>();
        for (Record record : batch) {
            values.add(record.value().getLong(record.value().position()));
        }
        all.add(new Written(batch.producerId(), batch.producerEpoch(), sequence, count, values));
        return at(all, all.getLast());
    }

    /** That it is written, with the offset of its last copy: nothing but batches of producers is in the log. */
    private PartitionProduceResponse at(List<Written> all, Written batch) {
        long offset = hidesOffsets
                ? -1
                : all.subList(0, all.lastIndexOf(batch)).stream()
                        .mapToLong(Written::count)
                        .sum();
        return new PartitionProduceResponse().setBaseOffset(offset);
    }

    private List<Written> batches(int partition) {
        return partitions.computeIfAbsent(partition, number -> new ArrayList<>());
    }

    List<Written> written(int partition) {
        lock.lock();
        try {
            return List.copyOf(batches(partition));
        } finally {
            lock.unlock();
        }
    }

    /** What the records of a partition hold, in its order. */
    List<Long> values(int partition) {
        return written(partition).stream()
                .flatMap(each -> each.values().stream())
                .toList();
    }
}
