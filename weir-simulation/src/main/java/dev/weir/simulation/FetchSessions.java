package dev.weir.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * The incremental fetch sessions of all brokers, and the responses to fetch requests. Confined to the simulation's
 * thread.
 */
final class FetchSessions {

    private record Id(Uuid topic, int partition) {}

    private record Key(int broker, int id) {}

    private static final class Session {
        private final Map<Id, FetchPartition> partitions = new LinkedHashMap<>();
        private int nextEpoch = 1;
    }

    private final Topics topics;
    private final Faults faults;
    private final Map<Key, Session> sessions = new HashMap<>();
    private int ids;

    FetchSessions(Topics topics, Faults faults) {
        this.topics = topics;
        this.faults = faults;
    }

    /** Makes a broker forget its sessions, like a real broker with too many sessions or after a restart. */
    void forget(int broker) {
        sessions.keySet().removeIf(key -> key.broker == broker);
    }

    boolean isEmpty() {
        return sessions.isEmpty();
    }

    FetchResponseData answer(int broker, FetchRequestData request) {
        Key key = new Key(broker, request.sessionId());
        if (request.sessionEpoch() <= 0) {
            sessions.remove(key);
            key = new Key(broker, request.sessionEpoch() == 0 ? ++ids : 0);
            return fetch(key, new Session(), request);
        }
        Session session = sessions.get(key);
        if (session == null) {
            return new FetchResponseData().setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
        }
        if (request.sessionEpoch() != session.nextEpoch) {
            return new FetchResponseData().setErrorCode(Errors.INVALID_FETCH_SESSION_EPOCH.code());
        }
        session.nextEpoch++;
        return fetch(key, session, request);
    }

    private FetchResponseData fetch(Key key, Session session, FetchRequestData request) {
        request.forgottenTopicsData()
                .forEach(topic -> topic.partitions()
                        .forEach(number -> session.partitions.remove(new Id(topic.topicId(), number))));
        request.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(each -> session.partitions.put(new Id(topic.topicId(), each.partition()), each)));
        if (key.id > 0) {
            sessions.put(key, session);
        }
        return read(key, session, request);
    }

    private FetchResponseData read(Key key, Session session, FetchRequestData request) {
        FetchResponseData answer = new FetchResponseData().setSessionId(key.id);
        int left = request.maxBytes();
        List<Id> rotated = new ArrayList<>(session.partitions.keySet());
        for (Id id : rotated) {
            FetchPartition wanted = Objects.requireNonNull(session.partitions.get(id));
            PartitionData data = read(key.broker, id, wanted, request.isolationLevel() == 1, left);
            left -= data.records() == null ? 0 : data.records().sizeInBytes();
            topicOf(answer, id.topic).partitions().add(data);
            if (data.records() != null && data.records().sizeInBytes() > 0) {
                // Partitions that returned records come last in the next response.
                session.partitions.remove(id);
                session.partitions.put(id, wanted);
            }
        }
        return answer;
    }

    private static FetchableTopicResponse topicOf(FetchResponseData answer, Uuid id) {
        return answer.responses().stream()
                .filter(each -> each.topicId().equals(id))
                .findFirst()
                .orElseGet(() -> {
                    FetchableTopicResponse added = new FetchableTopicResponse().setTopicId(id);
                    answer.responses().add(added);
                    return added;
                });
    }

    private PartitionData read(int broker, Id id, FetchPartition wanted, boolean committed, int left) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(id.partition)
                .setHighWatermark(Log.UNKNOWN)
                .setRecords(MemoryRecords.EMPTY);
        Topics.Partition partition = topics.find(id.topic, id.partition);
        Errors refusal = refusal(partition, broker, wanted.currentLeaderEpoch());
        if (partition == null || refusal != Errors.NONE) {
            return data.setErrorCode(refusal.code());
        }
        Log log = partition.log();
        Log.EpochEnd known = log.endOf(wanted.lastFetchedEpoch());
        boolean isLost = wanted.lastFetchedEpoch() >= 0
                && (known.epoch() < wanted.lastFetchedEpoch() || known.offset() < wanted.fetchOffset());
        if (isLost && !faults.has(Planted.EPOCHS_UNTOLD)) {
            return told(data, log)
                    .setDivergingEpoch(
                            new EpochEndOffset().setEpoch(known.epoch()).setEndOffset(known.offset()));
        }
        if (wanted.fetchOffset() < log.start() || wanted.fetchOffset() > log.end()) {
            return data.setErrorCode(Errors.OFFSET_OUT_OF_RANGE.code());
        }
        if (left > 0) {
            long from =
                    faults.happens(Planted.BATCH_SKIPPED) ? nextBatch(log, wanted.fetchOffset()) : wanted.fetchOffset();
            data.setRecords(log.read(from, Math.min(left, wanted.partitionMaxBytes()), committed));
        }
        if (committed && !faults.has(Planted.ABORTED_UNTOLD)) {
            data.setAbortedTransactions(log.aborted(wanted.fetchOffset()));
        }
        return told(data, log);
    }

    private static PartitionData told(PartitionData data, Log log) {
        return data.setHighWatermark(log.end())
                .setLastStableOffset(log.lastStable())
                .setLogStartOffset(log.start());
    }

    private static long nextBatch(Log log, long offset) {
        return log.batches().stream()
                .filter(batch -> batch.next() > offset)
                .findFirst()
                .map(Log.Batch::next)
                .orElse(offset);
    }

    /** Returns the error for a request about this partition, or {@link Errors#NONE} if the broker serves it. */
    static Errors refusal(Topics.@Nullable Partition partition, int broker, int epoch) {
        if (partition == null) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        if (partition.leader() != broker) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        int current = partition.log().epoch();
        return epoch < 0 || epoch == current
                ? Errors.NONE
                : epoch < current ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
    }
}
