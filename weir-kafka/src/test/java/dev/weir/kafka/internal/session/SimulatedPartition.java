package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/** A partition as its broker sees it: which records are lent until when, and which are done. */
final class SimulatedPartition {

    static final Uuid TOPIC = new Uuid(1, 2);
    static final int LOCK_MILLIS = 2_000;

    /** Where no fault costs deliveries, no record comes near it. */
    static final int DELIVERY_LIMIT = 10;

    static final int WINDOW = 200;

    private static final int LARGEST_RANGE = 12;

    private enum State {
        AVAILABLE,
        LENT,
        DONE,
        GIVEN_UP;

        boolean isOver() {
            return this == DONE || this == GIVEN_UP;
        }
    }

    final int number;
    int leader;

    /** Grows with each change of the leader. */
    int leaderEpoch;

    /** Of locks that are made or renewed from now on. */
    int lockMillis = LOCK_MILLIS;

    int deliveryLimit = DELIVERY_LIMIT;

    /** Offsets that producers have written by now, if that is fewer. */
    int arrived = Integer.MAX_VALUE;

    /** Ranges that were lent. */
    int lendings;

    /** {@code share.renew.acknowledge.enable}. */
    boolean renews = true;

    /** Offsets that may be lent from the first one on that is not done. */
    int window = WINDOW;

    private final State[] states;
    private final long[] lockedUntil;
    private final short[] deliveries;

    /** Whom a record is lent to, if it is. */
    private final @Nullable String[] owners;

    SimulatedPartition(int number, int leader, int records) {
        this.number = number;
        this.leader = leader;
        this.states = new State[records];
        this.lockedUntil = new long[records];
        this.deliveries = new short[records];
        this.owners = new String[records];
        for (int i = 0; i < records; i++) {
            states[i] = State.AVAILABLE;
        }
    }

    /** Another broker leads it from now on, and knows of no lock. */
    void moveTo(int newLeader) {
        releaseAll();
        leader = newLeader;
        leaderEpoch++;
    }

    boolean isDone() {
        for (State state : states) {
            if (!state.isOver()) {
                return false;
            }
        }
        return true;
    }

    int lent() {
        int lent = 0;
        for (State state : states) {
            lent += state == State.LENT ? 1 : 0;
        }
        return lent;
    }

    /** Records that nobody gets any more, and nobody did. */
    int givenUp() {
        int given = 0;
        for (State state : states) {
            given += state == State.GIVEN_UP ? 1 : 0;
        }
        return given;
    }

    int mostDeliveries() {
        int most = 0;
        for (short each : deliveries) {
            most = Math.max(most, each);
        }
        return most;
    }

    void expire(long now) {
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.LENT && now >= lockedUntil[i]) {
                release(i);
            }
        }
    }

    void releaseAll() {
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.LENT) {
                release(i);
            }
        }
    }

    /** What this member has. */
    void releaseAll(String member) {
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.LENT && member.equals(owners[i])) {
                release(i);
            }
        }
    }

    private void release(int at) {
        owners[at] = null;
        states[at] = deliveries[at] >= deliveryLimit ? State.GIVEN_UP : State.AVAILABLE;
    }

    int firstUndone() {
        int at = 0;
        while (at < states.length && states[at].isOver()) {
            at++;
        }
        return at;
    }

    /** Lends up to so many, in ranges, with records of whole stretches around them. */
    PartitionData lend(String member, int most, long now) {
        int start = firstUndone();
        List<AcquiredRecords> ranges = new ArrayList<>();
        int end = Math.min(Math.min(states.length, arrived), start + window);
        int left = most;
        int first = -1;
        int last = -1;
        for (int i = start; i < end && left > 0; i++) {
            int from = i;
            while (i < end
                    && left > 0
                    && states[i] == State.AVAILABLE
                    && i - from < LARGEST_RANGE
                    && deliveries[i] == deliveries[from]) {
                i++;
                left--;
            }
            if (i > from) {
                for (int at = from; at < i; at++) {
                    states[at] = State.LENT;
                    deliveries[at]++;
                    owners[at] = member;
                    lockedUntil[at] = now + lockMillis * 1_000_000L;
                }
                lendings++;
                ranges.add(new AcquiredRecords()
                        .setFirstOffset(from)
                        .setLastOffset(i - 1)
                        .setDeliveryCount(deliveries[from]));
                first = first < 0 ? from : first;
                last = i - 1;
                i--;
            }
        }
        PartitionData data = new PartitionData().setPartitionIndex(number).setAcquiredRecords(ranges);
        return data.setRecords(ranges.isEmpty() ? MemoryRecords.EMPTY : records(first, last));
    }

    private static MemoryRecords records(int first, int last) {
        SimpleRecord[] records = new SimpleRecord[last - first + 1];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(("" + (first + i)).getBytes(StandardCharsets.US_ASCII));
        }
        return MemoryRecords.withRecords(first, Compression.NONE, records);
    }

    /** Returns whether one of these records is lent to somebody else. */
    boolean isAnothers(String member, List<AcknowledgementBatch> batches) {
        return batches.stream()
                .flatMapToLong(batch -> LongStream.rangeClosed(batch.firstOffset(), batch.lastOffset()))
                .anyMatch(offset -> {
                    String owner = owners[(int) offset];
                    return owner != null && !owner.equals(member);
                });
    }

    /**
     * All of it or nothing, and of no records but those that are lent to this member, as a broker does ({@code
     * SharePartition.acknowledge} of Kafka 4.4).
     */
    Errors acknowledge(String member, List<AcknowledgementBatch> batches, long now) {
        long before = -1;
        for (AcknowledgementBatch batch : batches) {
            if (batch.firstOffset() <= before || batch.lastOffset() < batch.firstOffset()) {
                return Errors.INVALID_REQUEST;
            }
            before = batch.lastOffset();
            if (!renews && batch.acknowledgeTypes().contains(Ack.RENEW)) {
                return Errors.INVALID_RECORD_STATE; // The locks stand.
            }
            for (long offset = batch.firstOffset(); offset <= batch.lastOffset(); offset++) {
                if (states[(int) offset] != State.LENT || !member.equals(owners[(int) offset])) {
                    return Errors.INVALID_RECORD_STATE;
                }
            }
        }
        for (AcknowledgementBatch batch : batches) {
            byte type = batch.acknowledgeTypes().getFirst();
            assertThat(batch.acknowledgeTypes()).hasSize(1);
            for (long offset = batch.firstOffset(); offset <= batch.lastOffset(); offset++) {
                if (type == Ack.RENEW) {
                    lockedUntil[(int) offset] = now + lockMillis * 1_000_000L;
                } else if (type == Ack.RELEASE) {
                    release((int) offset);
                } else {
                    states[(int) offset] = State.DONE;
                    owners[(int) offset] = null;
                }
            }
        }
        return Errors.NONE;
    }
}
