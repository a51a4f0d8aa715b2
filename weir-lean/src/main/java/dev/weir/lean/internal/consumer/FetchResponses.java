package dev.weir.lean.internal.consumer;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.OffsetLostException;
import dev.weir.lean.OffsetLostPolicy;
import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.cursor.ChunkPool;
import dev.weir.lean.internal.cursor.ResponseChunk;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.wire.FetchResponse;
import dev.weir.lean.internal.wire.MalformedResponseException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes responses from brokers. Adds records as chunks to their partitions; errors change the state of a partition.
 * Reads only the headers of batches, which suffice for the offsets of the next fetch request. Confined to one thread.
 */
final class FetchResponses implements FetchAnswers {

    private static final Logger LOG = LoggerFactory.getLogger(FetchResponses.class);
    private static final long RETRY_NANOS = 50_000_000;
    private static final int UNKNOWN = -1;

    private final ConsumerContext context;
    private final LeanSettings settings;
    private final PartitionLocations locations;
    private final ChunkPool pool;
    private final FetchResponse response = new FetchResponse();
    private final ArrayDeque<FetchedPartition> ready = new ArrayDeque<>();
    private long nowNanos;

    FetchResponses(ConsumerContext context, PartitionLocations locations, ChunkPool pool) {
        this.context = context;
        this.settings = context.settings();
        this.locations = locations;
        this.pool = pool;
    }

    void at(long newNowNanos) {
        nowNanos = newNowNanos;
    }

    /** Queues a partition for delivery if it has records or a fault, and is not paused. */
    void enqueue(FetchedPartition partition) {
        if (!partition.queued && !partition.paused && (partition.cursor.hasChunks() || partition.fault != null)) {
            partition.queued = true;
            ready.addLast(partition);
        }
    }

    /** Removes the next partition to deliver from the queue. The caller must enqueue it again afterwards. */
    @Nullable
    FetchedPartition nextReady() {
        FetchedPartition partition = ready.pollFirst();
        if (partition != null) {
            partition.queued = false;
        }
        return partition;
    }

    int readyCount() {
        return ready.size();
    }

    @Override
    public void lost(FetchBroker broker) {
        locations.doubtMetadata();
        for (FetchedPartition partition : broker.followed()) {
            locations.relocate(partition, nowNanos);
        }
    }

    @Override
    public void fetched(FetchBroker broker, ReceiveBuffer buffer, int sizeBytes) throws MalformedResponseException {
        ByteBuffer bytes = buffer.bytes();
        boolean cut = sizeBytes > bytes.limit();
        response.wrap(bytes, 0, bytes.limit(), cut);
        context.counters().add(ConsumerCounters.FETCHES, 1);
        broker.throttle(response.throttleMillis(), nowNanos);
        if (response.error() != Errors.NONE.code()) {
            broker.fetchRefused();
            refused(broker, Errors.forCode(response.error()));
            return;
        }
        broker.fetchAnswered(response.sessionId());
        boolean empty = true;
        boolean blamed = false;
        while (response.next()) {
            blamed |= response.isRecordsCut();
            FetchedPartition partition =
                    locations.partition(response.topicIdHigh(), response.topicIdLow(), response.partition());
            if (partition != null && partition.broker == broker && partition.isAnswered()) {
                empty &= response.recordsLength() == 0;
                fetched(broker, partition, buffer, sizeBytes);
            }
        }
        if (empty) {
            context.counters().add(ConsumerCounters.EMPTY_FETCHES, 1);
        }
        if (cut) {
            tooLarge(broker, sizeBytes, blamed);
        }
    }

    private void refused(FetchBroker broker, Errors error) {
        switch (error) {
            case FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH -> LOG.debug("{}: {}", broker, error);
            case FETCH_SESSION_TOPIC_ID_ERROR, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID -> locations.doubtMetadata();
            default -> {
                broker.close("fetch refused: " + error);
                if (!isPassing(error)) {
                    throw new LeanException(broker + " refused a fetch: " + error.message(), error.exception());
                }
            }
        }
    }

    private void fetched(FetchBroker broker, FetchedPartition partition, ReceiveBuffer buffer, int sizeBytes) {
        Errors error = Errors.forCode(response.partitionError());
        if (error != Errors.NONE) {
            refused(partition, error);
            return;
        }
        locations.served(partition);
        partition.highWatermark = response.highWatermark();
        partition.lastStableOffset = response.lastStableOffset();
        if (response.isDiverging()) {
            diverged(partition);
        } else if (response.preferredReplica() >= 0) {
            locations.follow(partition, broker, response.preferredReplica(), nowNanos);
        } else if (response.isRecordsCut()) {
            tooLarge(partition, buffer, sizeBytes);
        } else if (response.recordsLength() > 0) {
            if (isOlder(partition, buffer.bytes())) {
                differs(
                        partition,
                        partition.fetchOffset,
                        BatchLayout.leaderEpoch(buffer.bytes(), response.recordsAt()));
            } else {
                partition.doubtedEpoch = UNKNOWN;
                index(partition, buffer);
            }
        }
        enqueue(partition);
    }

    /** Finds the next fetch offset from the batch headers. The batch reader reports invalid batches. */
    private void index(FetchedPartition partition, ReceiveBuffer buffer) {
        ByteBuffer bytes = buffer.bytes();
        int from = response.recordsAt();
        int end = from + response.recordsLength();
        int at = from;
        long next = partition.fetchOffset;
        while (end - at >= BatchLayout.LOG_OVERHEAD) {
            long size = BatchLayout.size(bytes, at);
            if (size > end - at) {
                break;
            }
            if (size < BatchLayout.HEADER_BYTES || BatchLayout.magic(bytes, at) < 2) {
                at = end;
                break;
            }
            next = BatchLayout.nextOffset(bytes, at);
            partition.lastEpoch = BatchLayout.leaderEpoch(bytes, at);
            at += (int) size;
        }
        ResponseChunk chunk = pool.take();
        // Brokers truncate only the last batch of a response (KIP-74), so leave out an incomplete last batch. Pass on
        // an incomplete first batch: the batch reader reports it.
        chunk.wrap(buffer, from, at == from ? end : at);
        if (settings.readCommitted()) {
            response.abortedTo(chunk.aborted());
        }
        partition.cursor.add(chunk);
        if (next > partition.fetchOffset) {
            partition.fetchOffset = next;
        } else {
            // Thrown unless the batch reader finds a more specific error, or new records, in these bytes.
            partition.fail(
                    new CorruptBatchException(
                            partition.topic.name,
                            partition.number,
                            partition.fetchOffset,
                            "nothing from this offset on was sent",
                            null),
                    partition.fetchOffset + 1);
        }
    }

    /**
     * Handles a response that exceeds the maximum size. If a single batch is the reason, only its partition fails.
     * Otherwise throws an exception, because the broker would send the same response again.
     */
    private void tooLarge(FetchBroker broker, int sizeBytes, boolean blamed) {
        String what =
                "a response of " + sizeBytes + " bytes, more than maxResponseBytes=" + settings.maxResponseBytes();
        broker.close(what);
        if (!blamed) {
            throw new LeanException(broker + " sent " + what + ", which no batch in it explains", null);
        }
    }

    /** Fails a partition whose first batch does not fit into the receive buffer. */
    private void tooLarge(FetchedPartition partition, ReceiveBuffer buffer, int sizeBytes) {
        ByteBuffer bytes = buffer.bytes();
        int at = response.recordsAt();
        boolean hasHeader = bytes.limit() - at >= BatchLayout.HEADER_BYTES;
        long behind = hasHeader ? BatchLayout.nextOffset(bytes, at) : UNKNOWN;
        partition.fail(
                new BatchTooLargeException(
                        partition.topic.name,
                        partition.number,
                        partition.fetchOffset,
                        hasHeader ? BatchLayout.size(bytes, at) : sizeBytes,
                        settings.maxResponseBytes(),
                        "maxResponseBytes"),
                behind > partition.fetchOffset && behind <= partition.highWatermark ? behind : UNKNOWN);
    }

    /**
     * Handles a response that reports diverging logs. If the broker only lacks the epoch of the last record, compaction
     * may be the reason. The next batch's epoch then shows whether the logs differ.
     */
    private void diverged(FetchedPartition partition) {
        if (response.divergingOffset() >= partition.fetchOffset && partition.lastEpoch >= 0) {
            partition.doubtEpoch();
        } else {
            differs(partition, Math.min(response.divergingOffset(), partition.fetchOffset), response.divergingEpoch());
        }
    }

    /** Returns whether the next batch is older than the last record read. The broker's log then lacks that record. */
    private boolean isOlder(FetchedPartition partition, ByteBuffer bytes) {
        int at = response.recordsAt();
        return response.recordsLength() >= BatchLayout.HEADER_BYTES
                && BatchLayout.magic(bytes, at) >= 2
                && BatchLayout.leaderEpoch(bytes, at) < partition.doubtedEpoch;
    }

    /** Handles a broker's log that differs from the records already read. */
    private void differs(FetchedPartition partition, long divergent, int epoch) {
        if (settings.onOffsetLost() == OffsetLostPolicy.FAIL) {
            partition.fail(
                    OffsetLostException.truncated(
                            partition.topic.name, partition.number, partition.fetchOffset, divergent),
                    UNKNOWN);
            return;
        }
        LOG.warn(
                "{}: the log was truncated; continuing at {} instead of {}",
                partition,
                divergent,
                partition.fetchOffset);
        context.counters().add(ConsumerCounters.RESETS, 1);
        partition.moveTo(Math.min(divergent, partition.cursor.position()), epoch);
    }

    private void refused(FetchedPartition partition, Errors error) {
        partition.topic.agreement.refused(error, nowNanos);
        switch (error) {
            case OFFSET_OUT_OF_RANGE -> outOfRange(partition);
            case TOPIC_AUTHORIZATION_FAILED -> fail(partition, "not authorised to read the topic");
            case NOT_LEADER_OR_FOLLOWER,
                    UNKNOWN_LEADER_EPOCH,
                    OFFSET_NOT_AVAILABLE,
                    FENCED_LEADER_EPOCH,
                    REPLICA_NOT_AVAILABLE,
                    KAFKA_STORAGE_ERROR,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    INCONSISTENT_TOPIC_ID,
                    LEADER_NOT_AVAILABLE -> {
                if (!locations.hint(partition, response.leader(), response.leaderEpoch())) {
                    locations.relocate(partition, nowNanos);
                }
            }
            default -> {
                if (isPassing(error)) {
                    LOG.warn("{} at {}: {}", partition, partition.broker, error);
                    locations.relocate(partition, nowNanos);
                } else {
                    fail(partition, "fetch refused: " + error + ": " + error.message());
                }
            }
        }
    }

    private void fail(FetchedPartition partition, String what) {
        partition.fail(
                new PartitionException(
                        partition.topic.name, partition.number, Math.max(0, partition.fetchOffset), what),
                UNKNOWN);
        enqueue(partition);
    }

    private void outOfRange(FetchedPartition partition) {
        if (partition.isFollowing()) {
            // The replica lags behind, or has deleted records that the leader still has. Fetch from the leader.
            locations.relocate(partition, nowNanos);
            return;
        }
        if (settings.onOffsetLost() != OffsetLostPolicy.FAIL && partition.cursor.hasChunks()) {
            // First deliver the buffered records. The next fetch returns this error again.
            return;
        }
        lost(partition, OffsetLostException.outOfRange(partition.topic.name, partition.number, partition.fetchOffset));
    }

    /** Handles a recreated topic. A position in the old topic is lost, except 0. */
    void madeAgain(FetchedPartition partition) {
        if (partition.fetchOffset > 0 && partition.state != FetchedPartition.FAILED) {
            lost(
                    partition,
                    OffsetLostException.otherTopic(partition.topic.name, partition.number, partition.fetchOffset));
        }
    }

    private void lost(FetchedPartition partition, OffsetLostException why) {
        if (settings.onOffsetLost() == OffsetLostPolicy.FAIL) {
            partition.fail(why, UNKNOWN);
            enqueue(partition);
            return;
        }
        boolean toBeginning = settings.onOffsetLost() == OffsetLostPolicy.BEGINNING;
        LOG.warn("{}; continuing at its {}", why.getMessage(), toBeginning ? "beginning" : "end");
        context.counters().add(ConsumerCounters.RESETS, 1);
        partition.moveTo(toBeginning ? StartAt.beginning() : StartAt.end());
        locations.resume(partition);
    }

    @Override
    public void resolved(FetchBroker broker, short version, ReceiveBuffer buffer) throws MalformedResponseException {
        ListOffsetsResponseData answer = OffsetRequests.read(buffer.bytes(), version);
        broker.throttle(answer.throttleTimeMs(), nowNanos);
        for (var topic : answer.topics()) {
            for (ListOffsetsPartitionResponse each : topic.partitions()) {
                FetchedPartition partition = locations.partition(topic.name(), each.partitionIndex());
                if (partition != null && partition.broker == broker && partition.takesAnswer()) {
                    resolved(partition, each);
                }
            }
        }
    }

    private void resolved(FetchedPartition partition, ListOffsetsPartitionResponse answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error != Errors.NONE) {
            partition.retryAt(nowNanos + RETRY_NANOS);
            if (isPassing(error)) {
                locations.relocate(partition, nowNanos);
            } else {
                fail(partition, "no offset for its start: " + error.message());
            }
            return;
        }
        // No record has the timestamp or a later one. Start at the end of the log.
        long offset = answer.offset() < 0 ? partition.endBefore : answer.offset();
        if (offset < 0) {
            partition.retryAt(nowNanos + RETRY_NANOS);
        } else if (partition.wantsEndFirst()) {
            partition.endBefore = offset;
        } else {
            partition.moveTo(offset, UNKNOWN);
            partition.state = FetchedPartition.FETCHING;
        }
    }

    /** Returns whether a retry may succeed. Kafka marks a corrupt log as retriable, but it stays corrupt. */
    private static boolean isPassing(Errors error) {
        return error == Errors.UNKNOWN_SERVER_ERROR
                || (error != Errors.CORRUPT_MESSAGE && error.exception() instanceof RetriableException);
    }
}
