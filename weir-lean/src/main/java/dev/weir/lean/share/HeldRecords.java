package dev.weir.lean.share;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Records acquired by one share consumer of Kafka's client, each in a range of its own. {@link LockRenewals} decides
 * when a record is renewed, released or acknowledged. Confined to the share consumer's thread, except for {@link
 * #firstOffsets} and {@link #lockMillis}.
 *
 * <p>Kafka's client has three rules that a {@link ShareSession} does not have. It fetches only after every record is
 * acknowledged, even those with expired locks. It accepts no acknowledgement of a record under renewal until a poll has
 * returned that record again. It forgets a record whose renewal is refused ({@code ShareInFlightBatch.renew} of Kafka
 * 4.4).
 */
public final class HeldRecords {

    /** Kafka's client, which sends acknowledgements with its next request. */
    public interface Client {

        /** Acknowledges a record. Returns false if the client no longer knows the record. */
        boolean acknowledge(LockedRecord record, AcknowledgeType type);

        /** Sends all acknowledgements and waits for the responses. */
        void flush();
    }

    /**
     * An acknowledgement without a response.
     *
     * @param topicId the topic id in the last response before it was sent; zero if there was none
     */
    private record SentAcknowledgement(AcknowledgeType type, long sinceNanos, Uuid topicId) {}

    private static final class OfPartition {

        private final AcquiredRanges ranges;

        /** Records that must be acknowledged before the client fetches again, including records under renewal. */
        private final TreeMap<Long, LockedRecord> unacknowledged = new TreeMap<>();

        private final Set<Long> renewing = new HashSet<>();
        private final Map<Long, SentAcknowledgement> unanswered = new HashMap<>();

        /** Unanswered renewals from before the topic was recreated, by offset. A new record now has this offset. */
        private final Map<Long, SentAcknowledgement> renewedBefore = new HashMap<>();

        /** The topic id in the brokers' last answer; zero before the first answer. */
        private Uuid topicId = Uuid.ZERO_UUID;

        OfPartition(TopicPartition partition) {
            this.ranges = new AcquiredRanges(new TopicIdPartition(Uuid.ZERO_UUID, partition));
        }

        /**
         * Returns whether a response belongs to a renewal from before the topic was recreated, judging by the topic id.
         * If the former topic's id is unknown, the first response counts as the response to the renewal.
         */
        boolean takeRenewedBefore(long offset, Uuid answeredId) {
            SentAcknowledgement former = renewedBefore.get(offset);
            boolean isFormer = former != null
                    && (former.topicId.equals(answeredId)
                            || former.topicId.equals(Uuid.ZERO_UUID)
                            || !unanswered.containsKey(offset));
            return isFormer && renewedBefore.remove(offset, former);
        }
    }

    private final Client client;
    private final AcquiredRecordReceiver receiver;
    private final LockRenewals locks;
    private final Map<TopicPartition, OfPartition> partitions = new HashMap<>();
    private long renewedAtNanos;
    private volatile Map<TopicPartition, Long> firstOffsets = Map.of();

    public HeldRecords(Client client, AcquiredRecordReceiver receiver) {
        this.client = client;
        this.receiver = receiver;
        this.locks = new LockRenewals(receiver);
    }

    public void lockMillis(int millis) {
        locks.millis(millis);
    }

    /** Returns the duration of locks in milliseconds; 0 until it is known. May be called from any thread. */
    public int lockMillis() {
        return locks.millis();
    }

    /** First unacknowledged offset of each partition at the last {@link #publish}. May be called from any thread. */
    public Map<TopicPartition, Long> firstOffsets() {
        return firstOffsets;
    }

    public void publish() {
        Map<TopicPartition, Long> now = new HashMap<>();
        partitions.forEach((partition, of) -> {
            if (!of.unacknowledged.isEmpty()) {
                now.put(partition, of.unacknowledged.firstKey());
            }
        });
        firstOffsets = now;
    }

    public void add(LockedRecord record, long lockedSinceNanos, long nowNanos) {
        OfPartition of =
                partitions.computeIfAbsent(new TopicPartition(record.topic(), record.partition()), OfPartition::new);
        Lock lock = new Lock(lockedSinceNanos, locks.nanos());
        AcquiredRange range = new AcquiredRange(record.offset(), record.offset(), lock, nowNanos);
        range.put(record);
        of.ranges.add(range).forEach(receiver::lost);
        of.unacknowledged.put(record.offset(), record);
    }

    /**
     * Ends the renewal of a record that a poll has returned. Returns false if the record is new. Drops a former topic's
     * record with the same offset.
     */
    public boolean takeUp(ConsumerRecord<byte[], byte[]> record) {
        OfPartition of = partitions.get(new TopicPartition(record.topic(), record.partition()));
        if (of == null || !of.renewing.remove(record.offset())) {
            return false;
        }
        LockedRecord renewed = of.unacknowledged.get(record.offset());
        if (renewed == null || renewed.isOf(record)) {
            return true;
        }
        of.ranges.pending.withdrawAll(record.offset());
        SentAcknowledgement former = of.unanswered.remove(record.offset());
        if (former != null) {
            of.renewedBefore.put(record.offset(), former);
        }
        return false;
    }

    /** Notes that the work on a record has ended. */
    public void ended(LockedRecord record, long nowNanos) {
        OfPartition of = partitions.get(new TopicPartition(record.topic(), record.partition()));
        AcquiredRange range = of == null ? null : of.ranges.find(record.offset());
        AcknowledgeType outcome = record.outcome();
        if (range != null && range.end(record, outcome.id, nowNanos) && outcome == AcknowledgeType.RELEASE) {
            receiver.goesBack(record);
        }
    }

    public boolean isEmpty() {
        return partitions.values().stream().allMatch(of -> of.unacknowledged.isEmpty());
    }

    /** Returns a new list of all records. */
    public List<LockedRecord> all() {
        return partitions.values().stream()
                .flatMap(of -> of.unacknowledged.values().stream())
                .toList();
    }

    /**
     * Renews and releases locks, and passes acknowledgements that are due to the client.
     *
     * @param ends true if the pipeline has stopped requesting records; it may still take records in their last delivery
     */
    public void attend(long nowNanos, boolean ends) {
        for (OfPartition of : partitions.values()) {
            locks.attend(of.ranges, nowNanos, Long.MAX_VALUE, ends);
            acknowledge(of, nowNanos);
            acknowledgeLost(of, nowNanos);
        }
    }

    private void acknowledge(OfPartition of, long nowNanos) {
        PendingAcknowledgements pending = of.ranges.pending;
        List<AcknowledgementRange> renewed = new ArrayList<>();
        while (pending.hasAcks()) {
            boolean apart = pending.isNextApart();
            if (apart) {
                client.flush();
            }
            for (AcknowledgementRange ack : take(pending)) {
                if (of.renewing.contains(ack.first())) {
                    renewed.add(ack);
                } else {
                    acknowledge(of, ack.first(), AcknowledgeType.forId(ack.type()), nowNanos);
                }
            }
            if (apart) {
                client.flush();
            }
        }
        pending.add(renewed, nowNanos);
        for (Packet packet = pending.takeRenewals(); packet != null; packet = pending.takeRenewals()) {
            renewedAtNanos = nowNanos;
            packet.acks().forEach(ack -> acknowledge(of, ack.first(), AcknowledgeType.RENEW, nowNanos));
        }
    }

    private static List<AcknowledgementRange> take(PendingAcknowledgements pending) {
        return Objects.requireNonNull(pending.take()).acks();
    }

    private void acknowledge(OfPartition of, long offset, AcknowledgeType type, long nowNanos) {
        boolean renews = type == AcknowledgeType.RENEW;
        LockedRecord record = renews ? of.unacknowledged.get(offset) : of.unacknowledged.remove(offset);
        if (record == null) {
            return; // The record was forgotten when its renewal was refused.
        }
        if (renews) {
            of.renewing.add(offset);
        }
        of.unanswered.put(offset, new SentAcknowledgement(type, nowNanos, of.topicId));
        if (!client.acknowledge(record, type)) {
            of.unanswered.remove(offset);
            refused(of, type, List.of(offset), "it came too late");
        }
    }

    /**
     * Acknowledges records whose locks have expired, because the client does not fetch before. Uses separate requests:
     * one late acknowledgement makes the broker refuse all acknowledgements of the partition in its request.
     */
    private void acknowledgeLost(OfPartition of, long nowNanos) {
        List<LockedRecord> lost = new ArrayList<>();
        for (LockedRecord record : List.copyOf(of.unacknowledged.values())) {
            if (of.ranges.find(record.offset()) != null) {
                continue;
            }
            if (!of.renewing.contains(record.offset())) {
                lost.add(record);
            } else if (record.isGone()) {
                forget(of, record.offset()); // If a later poll returns the record, it is treated as new.
            }
        }
        if (!lost.isEmpty()) {
            client.flush();
            for (LockedRecord record : lost) {
                AcknowledgeType type = record.isGone() ? AcknowledgeType.RELEASE : record.outcome();
                acknowledge(of, record.offset(), type, nowNanos);
            }
            client.flush();
        }
    }

    private static void forget(OfPartition of, long offset) {
        of.renewing.remove(offset);
        of.unacknowledged.remove(offset);
    }

    /** Returns whether a renewal has no response yet. */
    public boolean awaitsRenewals() {
        return partitions.values().stream().anyMatch(of -> of.renewing.stream().anyMatch(of.unanswered::containsKey));
    }

    /** Returns whether to poll for renewed records: all are answered, or some locks are close to expiring. */
    public boolean hasRenewed(long nowNanos) {
        boolean renews = false;
        for (OfPartition of : partitions.values()) {
            if (of.renewing.size() < of.unacknowledged.size()) {
                return false; // The client does not poll until all records not under renewal are acknowledged.
            }
            renews |= !of.renewing.isEmpty();
        }
        return renews && (!awaitsRenewals() || nowNanos - renewedAtNanos >= locks.nanos() / 4);
    }

    /** Processes the response to acknowledgements. Called by the client's acknowledgement callback. */
    public void answered(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure, long nowNanos) {
        offsets.forEach((id, answered) -> {
            OfPartition of = partitions.get(id.topicPartition());
            if (of == null) {
                return; // These offsets are gaps, which the client acknowledges on its own.
            }
            of.topicId = id.topicId();
            Map<AcknowledgeType, List<Long>> refused = new EnumMap<>(AcknowledgeType.class);
            for (Long offset : answered) {
                if (of.takeRenewedBefore(offset, id.topicId())) {
                    continue;
                }
                SentAcknowledgement acknowledged = of.unanswered.remove(offset);
                if (acknowledged != null && failure == null) {
                    confirmed(of, offset, acknowledged, nowNanos);
                } else if (acknowledged != null) {
                    refused.computeIfAbsent(acknowledged.type, type -> new ArrayList<>())
                            .add(offset);
                }
            }
            refused.forEach((type, all) -> refused(of, type, all, String.valueOf(failure)));
        });
    }

    private void confirmed(OfPartition of, long offset, SentAcknowledgement acknowledged, long nowNanos) {
        receiver.confirmed(acknowledged.type, 1, nowNanos - acknowledged.sinceNanos);
        AcquiredRange range = of.ranges.find(offset);
        if (acknowledged.type == AcknowledgeType.RENEW && range != null) {
            range.renewed(new Lock(acknowledged.sinceNanos, locks.nanos()));
        }
    }

    private void refused(OfPartition of, AcknowledgeType type, List<Long> offsets, String reason) {
        receiver.refused(of.ranges + "@" + offsets.getFirst(), type, offsets.size(), reason);
        if (type != AcknowledgeType.RENEW) {
            return;
        }
        for (long offset : offsets) {
            forget(of, offset);
            AcquiredRange range = of.ranges.find(offset);
            if (range != null) {
                range.loseOpen().forEach(receiver::lost);
            }
        }
    }

    /** Releases all unfinished records, whether or not their processing has begun. Returns their number. */
    public int giveUp(long nowNanos) {
        int given = 0;
        for (OfPartition of : partitions.values()) {
            given += locks.giveUp(of.ranges, nowNanos);
        }
        return given;
    }

    /** Reports all open records as lost, because the client's session closes. */
    public void close() {
        for (OfPartition of : partitions.values()) {
            of.ranges.loseAll().forEach(receiver::lost);
            of.unacknowledged.clear();
            of.renewing.clear();
        }
        publish();
    }
}
