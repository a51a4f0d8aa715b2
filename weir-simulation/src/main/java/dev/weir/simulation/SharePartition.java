package dev.weir.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * The state of each record of a partition in a share group. An acquired record also has an owner and a lock deadline.
 * Confined to the simulation's thread.
 */
public final class SharePartition {

    static final byte RELEASE = 2;
    static final byte RENEW = 4;
    private static final int LARGEST_RANGE = 12;

    private enum State {
        AVAILABLE,
        ACQUIRED,
        DONE,
        ARCHIVED;

        boolean isOver() {
            return this == DONE || this == ARCHIVED;
        }
    }

    private static final class Slot {
        private State state = State.AVAILABLE;
        private @Nullable String owner;
        private long lockedUntilNanos;
        private short deliveries;
    }

    private final Topics.Partition partition;
    private final ShareGroup group;
    private final List<Slot> slots = new ArrayList<>();
    private int epoch;
    private long arrived = Long.MAX_VALUE;
    private int acquisitions;

    /** The start of the window: all records before it are done. The window ends at {@link #acquiredTo}. */
    private int doneTo;

    private int acquiredTo;

    SharePartition(Topics.Partition partition, ShareGroup group) {
        this.partition = partition;
        this.group = group;
        this.epoch = partition.log().epoch();
    }

    Topics.Partition partition() {
        return partition;
    }

    /** Sets the end of the records that have arrived. Only records before this offset can be acquired. */
    public void arrived(long offset) {
        arrived = offset;
    }

    /** Returns the number of ranges acquired so far. */
    public int acquisitions() {
        return acquisitions;
    }

    /** Returns whether every record has been accepted, rejected or archived. */
    public boolean isDone() {
        return firstUndone() == slots.size();
    }

    /** Returns the first offset that is not done. */
    public int firstUndone() {
        update();
        return doneTo;
    }

    /** Returns the number of records that are acquired now. */
    public int acquired() {
        return count(State.ACQUIRED);
    }

    /** Returns the number of records archived after too many deliveries. */
    public int archived() {
        return count(State.ARCHIVED);
    }

    private int count(State state) {
        update();
        return (int) slots.stream().filter(slot -> slot.state == state).count();
    }

    /** Returns the highest delivery count among all records. */
    public int mostDeliveries() {
        return slots.stream().mapToInt(slot -> slot.deliveries).max().orElse(0);
    }

    /** Updates the state from the log, the leader and the clock. A new leader releases all locks. */
    private void update() {
        while (slots.size() < partition.log().end()) {
            slots.add(new Slot());
        }
        boolean moved = epoch != partition.log().epoch();
        epoch = partition.log().epoch();
        for (int at = doneTo; at < acquiredTo; at++) {
            Slot slot = slots.get(at);
            if (slot.state == State.ACQUIRED && (moved || group.now() >= slot.lockedUntilNanos)) {
                release(slot);
            }
        }
        while (doneTo < acquiredTo && slots.get(doneTo).state.isOver()) {
            doneTo++;
        }
    }

    void releaseAll(String member) {
        update();
        for (Slot slot : slots) {
            if (slot.state == State.ACQUIRED && member.equals(slot.owner)) {
                release(slot);
            }
        }
    }

    private void release(Slot slot) {
        slot.owner = null;
        slot.state = slot.deliveries >= group.deliveryLimit() ? State.ARCHIVED : State.AVAILABLE;
    }

    /** Acquires up to {@code most} records. Returns the acquired ranges, and all batches that they span. */
    PartitionData acquire(String member, int most) {
        int start = firstUndone();
        List<AcquiredRecords> ranges = new ArrayList<>();
        int end = (int) Math.min(Math.min(slots.size(), arrived), start + (long) group.window());
        int left = most;
        for (int at = start; at < end && left > 0; at++) {
            int from = at;
            while (at < end && left > 0 && at - from < LARGEST_RANGE && isLike(from, at)) {
                acquire(slots.get(at), member);
                at++;
                acquiredTo = Math.max(acquiredTo, at);
                left--;
            }
            if (at > from) {
                acquisitions++;
                ranges.add(new AcquiredRecords()
                        .setFirstOffset(from)
                        .setLastOffset(at - 1)
                        .setDeliveryCount(slots.get(from).deliveries));
                at--;
            }
        }
        PartitionData data =
                new PartitionData().setPartitionIndex(partition.number()).setAcquiredRecords(ranges);
        return data.setRecords(
                ranges.isEmpty()
                        ? MemoryRecords.EMPTY
                        : partition
                                .log()
                                .readTo(
                                        ranges.getFirst().firstOffset(),
                                        ranges.getLast().lastOffset()));
    }

    /**
     * Returns whether a range that starts at {@code first} can contain the record {@code at}: the record is available
     * and has the same delivery count.
     */
    private boolean isLike(int first, int at) {
        Slot slot = slots.get(at);
        int deliveries = slots.get(first).deliveries - (at > first ? 1 : 0);
        return slot.state == State.AVAILABLE && slot.deliveries == deliveries;
    }

    private void acquire(Slot slot, String member) {
        slot.state = State.ACQUIRED;
        slot.deliveries++;
        slot.owner = member;
        slot.lockedUntilNanos = group.lockedUntil();
    }

    boolean isAnothers(String member, List<AcknowledgementBatch> batches) {
        update();
        return batches.stream()
                .flatMapToLong(batch -> LongStream.rangeClosed(batch.firstOffset(), batch.lastOffset()))
                .mapToObj(offset -> slots.get((int) offset).owner)
                .anyMatch(owner -> owner != null && !owner.equals(member));
    }

    /**
     * Acknowledges all of these records, or none if this member has not acquired them all. Follows
     * {@code SharePartition.acknowledge} of Kafka 4.4.
     */
    Errors acknowledge(String member, List<AcknowledgementBatch> batches) {
        update();
        long before = -1;
        for (AcknowledgementBatch batch : batches) {
            if (batch.firstOffset() <= before || batch.lastOffset() < batch.firstOffset()) {
                return Errors.INVALID_REQUEST;
            }
            before = batch.lastOffset();
            if (!group.renews() && batch.acknowledgeTypes().contains(RENEW)) {
                return Errors.INVALID_RECORD_STATE; // the locks remain
            }
            for (long offset = batch.firstOffset(); offset <= batch.lastOffset(); offset++) {
                Slot slot = slots.get((int) offset);
                if (slot.state != State.ACQUIRED || !member.equals(slot.owner)) {
                    return Errors.INVALID_RECORD_STATE;
                }
            }
        }
        for (AcknowledgementBatch batch : batches) {
            if (batch.acknowledgeTypes().size() != 1) {
                throw new AssertionError("types of a range: " + batch.acknowledgeTypes());
            }
            byte type = batch.acknowledgeTypes().getFirst();
            for (long offset = batch.firstOffset(); offset <= batch.lastOffset(); offset++) {
                acknowledge(slots.get((int) offset), type);
                group.observer().acknowledged(member, partition.number(), offset, type);
            }
        }
        return Errors.NONE;
    }

    private void acknowledge(Slot slot, byte type) {
        if (type == RENEW) {
            slot.lockedUntilNanos = group.lockedUntil();
        } else if (type == RELEASE && !group.happens(Planted.RELEASED_ARCHIVED)) {
            release(slot);
        } else if (type != RELEASE && group.happens(Planted.ACCEPTED_FORGOTTEN)) {
            release(slot);
        } else {
            slot.state = State.DONE;
            slot.owner = null;
        }
    }
}
