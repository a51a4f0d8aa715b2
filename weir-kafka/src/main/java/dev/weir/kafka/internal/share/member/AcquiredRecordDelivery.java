package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.lean.share.AcquiredRecordReceiver;
import dev.weir.lean.share.LockedRecord;
import dev.weir.stream.spi.Thrown;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the records acquired by a path to the pipeline, and counts them. Confined to the thread that acquires records,
 * except for {@link #slowRoundTripSeconds}.
 */
final class AcquiredRecordDelivery implements AcquiredRecordReceiver {

    private static final Logger LOG = LoggerFactory.getLogger(AcquiredRecordDelivery.class);

    /** Each fetch multiplies the slowest round trip so far by this factor. */
    private static final double FORGETS = 0.99;

    private final SharePath.Setup setup;
    private final UnreadableBatches unreadable;
    private final ReadyRecords ready;
    private final ShareCounters counters;
    private final Consumer<AcquiredRecord> onEnded;
    private final IntSupplier deliveryLimit;
    private final List<AcquiredRecord> fresh = new ArrayList<>();
    private volatile double slowRoundTripSeconds;

    /**
     * @param unreadable the policy for batches that are corrupt or too large
     * @param onEnded called by any thread when the processing of a record ends
     */
    AcquiredRecordDelivery(SharePath.Setup setup, UnreadableBatches unreadable, Consumer<AcquiredRecord> onEnded) {
        this.setup = setup;
        this.unreadable = unreadable;
        this.ready = setup.ready();
        this.counters = setup.counters();
        this.onEnded = onEnded;
        this.deliveryLimit = setup::deliveryLimit;
    }

    /** Returns approximately the slowest of the last hundred fetch times, in seconds. May be called from any thread. */
    double slowRoundTripSeconds() {
        return slowRoundTripSeconds;
    }

    @Override
    public boolean hasDemand() {
        return ready.isWanted();
    }

    @Override
    public boolean isEnded() {
        return ready.isEnded();
    }

    @Override
    public boolean isOver() {
        return ready.isOver();
    }

    @Override
    public boolean renewsLocks() {
        return setup.renewsLocks();
    }

    @Override
    public LockedRecord receive(ConsumerRecord<byte[], byte[]> record) {
        AcquiredRecord acquired = new AcquiredRecord(record, deliveryLimit, onEnded);
        fresh.add(acquired);
        return acquired;
    }

    @Override
    public boolean skipsUnreadable(TopicPartition partition, long baseOffset, KafkaException fault) {
        return switch (unreadable) {
            case FAIL ->
                throw new RecordDecodeException(
                        partition.topic(),
                        partition.partition(),
                        baseOffset,
                        fault,
                        "raise maxBatchBytes if it is too large for that, or set unreadableBatches to SKIP, or to"
                                + " DEAD_LETTER with a SharedFlow that has a dead-letter topic");
            case SKIP -> {
                LOG.warn("left out, as unreadableBatches=SKIP says: {}", Thrown.reason(fault));
                yield true;
            }
            case DEAD_LETTER -> false;
        };
    }

    @Override
    public LockedRecord receiveUnreadable(
            TopicPartition partition,
            long offset,
            long nextOffset,
            byte[] bytes,
            KafkaException fault,
            short deliveryCount) {
        LOG.warn("continues as one record that cannot be decoded: {}", Thrown.reason(fault));
        return receive(UnreadableBatch.acquired(partition, offset, nextOffset, bytes, fault, deliveryCount));
    }

    @Override
    public RuntimeException corrupt(TopicPartition partition, long offset, String reason) {
        return new RecordDecodeException(
                partition.topic(),
                partition.partition(),
                offset,
                new KafkaException("the log is corrupt here (" + reason + ")"),
                "restore the partition from another replica, or move the group's start offset past it");
    }

    @Override
    public void acquiredAll() {
        counters.countAcquired(fresh);
        setup.offer(fresh);
        fresh.clear();
    }

    @Override
    public void fetched(int records, long nanos, boolean idle) {
        if (records > 0) {
            counters.polls.increment();
            counters.pollNanos.add(nanos);
            slowRoundTripSeconds = Math.max(nanos / 1e9, slowRoundTripSeconds * FORGETS);
        } else if (idle) {
            counters.emptyPollNanos.add(nanos);
        }
    }

    @Override
    public void emptied() {
        counters.emptiedAnswers.increment();
    }

    @Override
    public void finished(long nanosSinceAcquired) {
        counters.rounds.increment();
        counters.roundNanos.add(nanosSinceAcquired);
    }

    @Override
    public void skipped(String topic, int partition, long from, long to) {
        counters.skipped.skip(new TopicPartition(topic, partition), from, to, DroppedRecords.Reason.UNREADABLE);
    }

    @Override
    public void passedBy(int records) {
        counters.neverBegun.add(records);
        ready.passedBy();
    }

    /** Copies the records that are in their last delivery, before they are released. */
    void keepLast(List<LockedRecord> open) {
        ParkedCopies copies = setup.copies();
        if (copies != null) {
            copies.keepLast(open.stream().map(AcquiredRecord.class::cast).toList());
        }
    }

    @Override
    public void goesBack(LockedRecord locked) {
        counters.countIfLost(setup.name(), (AcquiredRecord) locked);
    }

    @Override
    public void lost(LockedRecord locked) {
        if (locked.lose()) {
            counters.lockExpired.increment();
            goesBack(locked);
            setup.onLost().run();
        }
    }

    @Override
    public void confirmed(AcknowledgeType type, int records, long nanos) {
        counters.acknowledgements.add(records);
        counters.acknowledgementNanos.add(nanos * records);
        switch (type) {
            case ACCEPT -> counters.accepted.add(records);
            case RELEASE -> counters.released.add(records);
            case REJECT -> counters.rejected.add(records);
            case RENEW -> counters.renewed.add(records);
        }
    }

    @Override
    public void refused(String place, AcknowledgeType type, int records, String reason) {
        counters.failedAcknowledgements.add(records);
        LOG.warn(
                "{}: {} of {} records at {} was refused, they are delivered again: {}",
                setup.name(),
                type,
                records,
                place,
                reason);
    }

    @Override
    public void notRenewed(String place, int records, String reason) {
        counters.failedAcknowledgements.add(records);
        LOG.warn(
                "{}: the lock on {} records at {} was not renewed, they are delivered again if their handlers outlast it: {}",
                setup.name(),
                records,
                place,
                reason);
    }

    @Override
    public void fatal(KafkaException fault) {
        // Add the names of the group or topics, which the broker's error lacks.
        throw switch (fault) {
            case GroupAuthorizationException denied
            when denied.groupId() == null ->
                GroupAuthorizationException.forGroupId(
                        String.valueOf(setup.config().get(ConsumerConfig.GROUP_ID_CONFIG)));
            case TopicAuthorizationException denied
            when denied.unauthorizedTopics().isEmpty() -> new TopicAuthorizationException(Set.copyOf(setup.topics()));
            default -> fault;
        };
    }
}
