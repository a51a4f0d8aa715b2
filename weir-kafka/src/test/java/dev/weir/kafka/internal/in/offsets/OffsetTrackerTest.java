package dev.weir.kafka.internal.in.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OffsetTrackerTest {

    private static final long ANY_BYTES = Long.MAX_VALUE;

    private final AtomicInteger calls = new AtomicInteger();

    private OffsetTracker tracker(int capacity) {
        return new OffsetTracker(capacity, calls::incrementAndGet);
    }

    @Test
    void millionOutstanding_finishedInAnyOrder_areAllCommitted() {
        int count = 1_000_000;
        OffsetTracker tracker = tracker(count);
        long[] tokens = new long[count];
        Random random = new Random(1);
        for (int i = 0; i < count; i++) {
            long token = tracker.append(2L * i, 100);
            int other = random.nextInt(i + 1);
            tokens[i] = tokens[other];
            tokens[other] = token;
        }
        assertThat(tracker.outstanding()).isEqualTo(count);
        assertThat(tracker.outstandingBytes()).isEqualTo(100L * count);
        assertThatThrownBy(() -> tracker.append(2L * count, 100)).hasMessageContaining("capacity=1000000");
        assertThat(tracker.watch(0, 0)).isTrue();
        for (int i = 0; i < count - 1; i++) {
            tracker.ack(tokens[i]);
        }
        long last = tokens[count - 1];
        assertThat(tracker.advance()).isEqualTo((int) last);
        assertThat(tracker.committableOffset()).isEqualTo(2 * last);
        assertThat(tracker.watch(0, 0)).isTrue();
        tracker.ack(last);
        assertThat(calls.get()).isPositive();
        assertThat(tracker.advance()).isEqualTo(count - (int) last);
        assertThat(tracker.isIdle()).isTrue();
        assertThat(tracker.committableOffset()).isEqualTo(2L * count - 1);
    }

    @Test
    void isFinishedTo_isTrueUpToTheFirstUnfinishedRecord() {
        OffsetTracker tracker = tracker(2_000);
        assertThat(tracker.isFinishedTo(7)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            long token = tracker.append(i, 1);
            if (i != 600) {
                tracker.ack(token);
            }
        }
        assertThat(tracker.advance()).isEqualTo(600);
        assertThat(tracker.isFinishedTo(600)).isTrue();
        assertThat(tracker.isFinishedTo(601)).isFalse();
        tracker.ack(600);
        assertThat(tracker.isFinishedTo(601)).as("before advance").isFalse();
        assertThat(tracker.advance()).isEqualTo(400);
        assertThat(tracker.isFinishedTo(5_000)).isTrue();
    }

    @Test
    void nextOffset_isTheOneAfterTheLastRecord() {
        OffsetTracker tracker = tracker(4);
        assertThat(tracker.nextOffset()).isEqualTo(-1);
        tracker.append(7, 1);
        assertThat(tracker.nextOffset()).isEqualTo(8);
    }

    @Test
    void revoke_isSeen() {
        OffsetTracker tracker = tracker(4);
        assertThat(tracker.isRevoked()).isFalse();
        tracker.revoke();
        assertThat(tracker.isRevoked()).isTrue();
    }

    // Regression: a transaction waited for an input that was already finished.
    @Test
    void ackLast_whileTheOwnerReusesTheChunk_isTrue() {
        AtomicReference<OffsetTracker> owned = new AtomicReference<>();
        OffsetTracker tracker = new OffsetTracker(
                2 * TrackerChunk.SLOTS, () -> assertThat(owned.get().advance()).isEqualTo(TrackerChunk.SLOTS));
        owned.set(tracker);
        for (int i = 0; i < TrackerChunk.SLOTS; i++) {
            tracker.append(i, 1);
        }
        for (int token = 0; token < TrackerChunk.SLOTS - 1; token++) {
            tracker.ack(token);
        }
        assertThat(tracker.watch(0, 0)).isTrue();
        assertThat(tracker.ackLast(TrackerChunk.SLOTS - 1)).isTrue();
    }

    @Test
    void ackLast_isTrueOnlyForTheLastClaim() {
        OffsetTracker tracker = tracker(4);
        long shared = tracker.append(0, 1);
        tracker.retain(shared, 1);
        assertThat(tracker.ackLast(shared)).isFalse();
        assertThat(tracker.isDone(shared)).isFalse();
        assertThat(tracker.ackLast(shared)).isTrue();
        assertThat(tracker.isDone(shared)).isTrue();
    }

    @Test
    void appendAll_ofMoreThanTheCapacity_isRefused() {
        OffsetTracker tracker = tracker(4);
        long[] offsets = {0, 1, 2, 3, 4, 5};
        assertThatThrownBy(() -> tracker.appendAll(offsets, new int[6], new long[6], 6))
                .hasMessageContaining("capacity=4");
    }

    @Test
    void timestamp_ofFirstUnfinished_followsIt() {
        OffsetTracker tracker = tracker(2_000);
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(OffsetTracker.NO_TIMESTAMP);
        long first = tracker.append(0, 1, 5_000);
        int count = 1_000;
        long[] offsets = new long[count];
        long[] timestamps = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = 1L + i;
            timestamps[i] = 6_000L + i;
        }
        long second = tracker.appendAll(offsets, new int[count], timestamps, count);
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(5_000);
        tracker.ack(first);
        for (int i = 0; i < 700; i++) {
            tracker.ack(second + i);
        }
        tracker.advance();
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(6_700);
        for (int i = 700; i < count; i++) {
            tracker.ack(second + i);
        }
        tracker.advance();
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(OffsetTracker.NO_TIMESTAMP);
        tracker.append(2_000, 1);
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(OffsetTracker.NO_TIMESTAMP);
    }

    @Test
    void timestamps_thatRepeatOrNot_areThoseOfTheirRecords_alsoInChunksThatServeAgain() {
        OffsetTracker tracker = tracker(1_500);
        Random random = new Random(3);
        long timestamp = 7_000;
        for (int n = 0, offset = 0; n < 40; n++) {
            int count = 1 + random.nextInt(1_400);
            long[] offsets = new long[count];
            long[] timestamps = new long[count];
            int change = 1 + random.nextInt(300);
            for (int i = 0; i < count; i++, offset++) {
                offsets[i] = offset;
                timestamp += random.nextInt(change) == 0 ? random.nextLong(-100, 100) : 0;
                timestamps[i] = timestamp;
            }
            long first = tracker.appendAll(offsets, new int[count], timestamps, count);
            for (int i = 0; i < count; i++) {
                assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(timestamps[i]);
                tracker.ack(first + i);
                tracker.advance();
            }
        }
    }

    @Test
    void forgoneAndAbandoned_areNotWaitedForAndNeverCommitted() {
        OffsetTracker tracker = tracker(10);
        long finished = tracker.append(0, 1);
        long forgone = tracker.append(1, 1);
        long abandonedInPart = tracker.append(2, 1);
        tracker.retain(abandonedInPart, 1);
        tracker.ack(finished);
        tracker.abandon(abandonedInPart);
        assertThat(tracker.watchUnsettled()).isTrue();
        tracker.forgo(forgone);
        assertThat(tracker.watchUnsettled()).isTrue();
        tracker.ack(abandonedInPart);
        assertThat(calls.get()).isPositive();
        assertThat(tracker.watchUnsettled()).isFalse();
        tracker.advance();
        assertThat(tracker.committableOffset()).isEqualTo(1);
        assertThat(tracker.finishedPast(1, FinishedSet.EMPTY)).isEqualTo(FinishedSet.EMPTY);
    }

    @Test
    void revoked_dropsWhatHasNotBegunAndNeverCommitsPastIt() {
        OffsetTracker tracker = tracker(10);
        long begun = tracker.append(0, 1);
        long queued = tracker.append(1, 1);
        long shared = tracker.append(2, 1);
        long late = tracker.append(3, 1);
        tracker.retain(shared, 1);
        assertThat(tracker.dropIfRevoked(queued)).isFalse();
        tracker.revoke();
        assertThat(tracker.watchUnsettled()).isTrue();
        assertThat(tracker.dropIfRevoked(queued)).isTrue();
        assertThat(tracker.dropIfRevoked(shared)).isTrue();
        tracker.ack(shared);
        tracker.ack(begun);
        assertThat(calls).hasValue(0);
        assertThat(tracker.watchUnsettled()).isTrue();
        tracker.ack(late);
        assertThat(calls).hasValue(1);
        assertThat(tracker.watchUnsettled()).isFalse();
        assertThat(tracker.advance()).isEqualTo(1);
        assertThat(tracker.committableOffset()).isEqualTo(1);
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(3, 4);
        assertThat(tracker.finishedPast(1, FinishedSet.EMPTY)).isEqualTo(finished.build());
        assertThatThrownBy(() -> tracker.ack(queued)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> tracker.dropIfRevoked(late)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void finishedPast_takesOverWhatIsNotSeenYetAndNothingBeforeTheCommit() {
        FinishedSet.Builder earlier = new FinishedSet.Builder();
        earlier.add(2, 4);
        earlier.add(7, 9);
        OffsetTracker tracker = tracker(10);
        assertThat(tracker.finishedPast(0, earlier.build())).isEqualTo(earlier.build());
        tracker.append(0, 1);
        tracker.appendFinished(2);
        tracker.appendFinished(3);
        tracker.append(5, 1);
        FinishedSet.Builder expected = new FinishedSet.Builder();
        expected.add(2, 5);
        expected.add(7, 9);
        assertThat(tracker.finishedPast(0, earlier.build())).isEqualTo(expected.build());
        assertThat(tracker.finishedPast(8, new FinishedSet.Builder().build()))
                .isEqualTo(tracker.finishedPast(0, FinishedSet.EMPTY));
    }

    @Test
    void batches_thatCrossChunks_areCommittedRecordByRecord() {
        OffsetTracker tracker = tracker(3_000);
        int count = 700;
        for (int round = 0; round < 4; round++) {
            long[] offsets = new long[count];
            int[] bytes = new int[count];
            long[] timestamps = new long[count];
            for (int i = 0; i < count; i++) {
                offsets[i] = 10_000L * round + 3L * i;
                bytes[i] = 1 + i % 7;
                timestamps[i] = i;
            }
            long first = tracker.appendAll(offsets, bytes, timestamps, count);
            long left = Arrays.stream(bytes).sum();
            for (int i = 0; i < count; i++) {
                assertThat(tracker.committableOffset()).isEqualTo(offsets[i]);
                assertThat(tracker.outstandingBytes()).isEqualTo(left);
                tracker.ack(first + i);
                assertThat(tracker.advance()).isOne();
                left -= bytes[i];
            }
            assertThat(tracker.committableOffset()).isEqualTo(offsets[count - 1] + 1);
        }
    }

    @Test
    void recordThatIsDropped_callsWhoWaitsForIt_onceNobodyHoldsIt() {
        OffsetTracker tracker = tracker(10);
        long shared = tracker.append(0, 1);
        tracker.retain(shared, 1);
        assertThat(tracker.watchUnsettled()).isTrue();
        tracker.forgo(shared);
        assertThat(calls).hasValue(0);
        tracker.forgo(shared);
        assertThat(calls).hasValue(1);
        assertThat(tracker.watchUnsettled()).isFalse();
    }

    @Test
    void watchOnAll_isOnAnEarlierRecord_ifTheLastOneIsSettled() {
        OffsetTracker tracker = tracker(10);
        long first = tracker.append(0, 1);
        tracker.ack(tracker.append(1, 1));
        assertThat(tracker.watchUnsettled()).isTrue();
        tracker.ack(first);
        assertThat(calls).hasValue(1);
        assertThat(tracker.watchUnsettled()).isFalse();
    }

    @Test
    void advance_doesNotPassTheRecordsThatAreForgotten() {
        OffsetTracker tracker = tracker(10);
        long first = tracker.append(0, 1);
        long second = tracker.append(1, 1);
        tracker.appendFinished(2);
        tracker.appendFinished(3);
        tracker.ack(first);
        assertThat(tracker.advance()).isOne();
        assertThatThrownBy(() -> tracker.forgetFrom(first)).hasMessageContaining("token=0 is not within 1 to 3");
        assertThatThrownBy(() -> tracker.forgetFrom(second + 3)).hasMessageContaining("token=4 is not within 1 to 3");
        assertThat(tracker.forgetFrom(second + 1)).isEqualTo(2);
        assertThat(tracker.finishedPast(0, FinishedSet.EMPTY)).isEqualTo(FinishedSet.EMPTY);
        tracker.ack(second);
        assertThat(tracker.advance()).isOne();
        assertThat(tracker.isIdle()).isTrue();
        assertThat(tracker.committableOffset()).isEqualTo(2);
    }

    @Test
    void firstUnfinishedRecord_canBeForgotten() {
        OffsetTracker tracker = tracker(10);
        tracker.append(5, 1);
        assertThat(tracker.forgetFrom(0)).isEqualTo(5);
        assertThat(tracker.outstandingBytes()).isZero();
        assertThat(tracker.isIdle()).isTrue();
    }

    /** The tracker checks eight states at a time. States after the last record must not count. */
    @Test
    void advance_doesNotPassTheLastRecord_inAStretchOfFinishedOnes() {
        OffsetTracker tracker = tracker(10);
        for (int i = 0; i < 8; i++) {
            tracker.appendFinished(i);
        }
        tracker.forgetFrom(4);
        assertThat(tracker.advance()).isEqualTo(4);
        assertThat(tracker.outstanding()).isZero();
        assertThat(tracker.committableOffset()).isEqualTo(4);
    }

    @Test
    void sharedRecord_callsWhoWaitsForIt_onlyWithItsLastAcknowledgement_alsoInChunksThatServeAgain() {
        OffsetTracker tracker = tracker(4);
        for (int i = 0; i < 5_000; i++) {
            long token = tracker.append(i, 1);
            tracker.retain(token, 1);
            assertThat(tracker.watch(0, 0)).isTrue();
            tracker.ack(token);
            assertThat(calls).hasValue(i);
            assertThat(tracker.isDone(token)).isFalse();
            assertThat(tracker.ackLast(token)).isTrue();
            assertThat(calls).hasValue(i + 1);
            assertThat(tracker.advance()).isOne();
        }
    }

    @Test
    void watch_isOnTheFirstRecordWithWhichTheRestFits() {
        OffsetTracker tracker = tracker(10);
        long first = tracker.append(0, 5);
        tracker.append(1, 5);
        assertThat(tracker.watch(10, 10)).isFalse();
        assertThat(tracker.watch(10, 5)).isTrue();
        tracker.ack(first);
        assertThat(calls).hasValue(1);
    }

    @Test
    void tracker_namesItsRecords_andSaysWhichAreDone() {
        OffsetTracker tracker = tracker(10);
        tracker.name(new TopicPartition("topic", 3));
        assertThat(tracker.isOf(new TopicPartition("topic", 3))).isTrue();
        assertThat(tracker.isOf(new TopicPartition("topic", 4))).isFalse();
        long first = tracker.append(70, 1);
        long second = tracker.append(80, 1);
        long third = tracker.append(90, 1);
        assertThat(tracker.placeOf(second)).isEqualTo("topic-3@80");
        assertThat(tracker.firstUnfinished()).isEqualTo(first);
        tracker.ack(first);
        tracker.ack(third);
        tracker.advance();
        assertThat(tracker.firstUnfinished()).isEqualTo(second);
        assertThat(tracker.isDone(first)).isTrue();
        assertThat(tracker.isDone(second)).isFalse();
        assertThat(tracker.isDone(third)).isTrue();
        assertThat(tracker.isDone(third + 1)).isFalse();
        assertThat(tracker.isRevoked(second)).isFalse();
        tracker.revoke();
        assertThat(tracker.isRevoked(second)).isTrue();
        tracker.appendFinished(100);
        assertThat(tracker.forgetFrom(third + 1)).isEqualTo(100);
        assertThat(tracker.isDone(third + 1)).as("forgotten").isFalse();
        assertThat(tracker.outstandingBytes()).isEqualTo(2);
    }

    @Test
    void leftover_countsWhatIsHeldAndWhatIsDropped_fromTheFirstToBehindTheLast() {
        OffsetTracker tracker = tracker(10);
        tracker.append(10, 1);
        tracker.seenTo(15);
        assertThat(tracker.leftover()).isEqualTo(new OffsetTracker.Leftover(1, 0, 10, 15));
        tracker.ack(0);
        assertThat(tracker.leftover()).isEqualTo(new OffsetTracker.Leftover(0, 0, 15, 15));
        tracker.advance();
        tracker.append(20, 1);
        tracker.append(30, 1);
        tracker.append(40, 1);
        tracker.append(50, 1);
        tracker.append(60, 1);
        tracker.ack(1);
        tracker.abandon(2);
        tracker.ack(5);
        assertThat(tracker.leftover()).isEqualTo(new OffsetTracker.Leftover(2, 1, 30, 51));
        tracker.ack(3);
        tracker.abandon(4);
        assertThat(tracker.leftover()).isEqualTo(new OffsetTracker.Leftover(0, 2, 30, 51));
    }

    @Test
    void finishedPast_namesAsManyRunsAsACommitCanSay() {
        int runs = CommitText.MAX_RUNS + 5;
        OffsetTracker tracker = tracker(2 * runs);
        for (int i = 0; i < runs; i++) {
            tracker.append(2L * i, 1);
            tracker.appendFinished(2L * i + 1);
        }
        FinishedSet.Builder expected = new FinishedSet.Builder();
        for (int i = 0; i < CommitText.MAX_RUNS; i++) {
            expected.add(2L * i + 1, 2L * i + 2);
        }
        assertThat(tracker.finishedPast(0, FinishedSet.EMPTY)).isEqualTo(expected.build());
    }

    @Test
    void tracker_randomWalk_agreesWithPlainModel() {
        for (long seed = 0; seed < 2_000; seed++) {
            try {
                new Walk(seed).run();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }

    /** Compares a tracker with a plain list of records after each step. */
    private static final class Walk {

        private static final class Row {
            final long token;
            final long offset;
            final int bytes;
            int claims = 1;

            Row(long token, long offset, int bytes) {
                this.token = token;
                this.offset = offset;
                this.bytes = bytes;
            }
        }

        private final Random random;
        private final int capacity;
        private final AtomicInteger calls = new AtomicInteger();
        private final OffsetTracker tracker;
        private final List<Row> outstanding = new ArrayList<>();
        private final List<Row> claimed = new ArrayList<>();
        private long nextOffset;
        private long afterLast = -1;
        private boolean sealed;
        private int watchedRecords = -1;
        private long watchedBytes;

        Walk(long seed) {
            random = new Random(seed);
            // Capacities range from one slot to several chunks.
            capacity = 1 + random.nextInt(random.nextBoolean() ? 8 : 3_000);
            tracker = new OffsetTracker(capacity, calls::incrementAndGet);
            nextOffset = random.nextInt(1_000);
        }

        void run() {
            int steps = 200 + random.nextInt(200);
            for (int step = 0; step < steps; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1 -> append(1 + random.nextInt(capacity));
                    case 2, 3, 4 -> acknowledge(1 + random.nextInt(capacity));
                    case 5 -> retain();
                    case 6 -> watch();
                    default -> {
                        if (random.nextInt(100) == 0) {
                            forget();
                        }
                    }
                }
                advanceAndCompare();
            }
        }

        private void append(int wanted) {
            if (sealed) {
                assertThatThrownBy(() -> tracker.append(nextOffset, 1)).isInstanceOf(IllegalStateException.class);
                return;
            }
            for (int i = 0; i < wanted && outstanding.size() < capacity; i++) {
                nextOffset += random.nextInt(4) == 0 ? random.nextInt(50) : 0;
                int bytes = random.nextInt(1_000);
                Row row = new Row(tracker.append(nextOffset, bytes), nextOffset, bytes);
                outstanding.add(row);
                claimed.add(row);
                nextOffset++;
                afterLast = nextOffset;
            }
            if (outstanding.size() == capacity) {
                assertThatThrownBy(() -> tracker.append(nextOffset, 1)).hasMessageContaining("window full");
            }
        }

        private void acknowledge(int wanted) {
            for (int i = 0; i < wanted && !claimed.isEmpty(); i++) {
                // Acknowledge mostly records near the front, and sometimes any record.
                int reach = random.nextInt(5) == 0 ? claimed.size() : Math.min(claimed.size(), 16);
                int at = random.nextInt(reach);
                Row row = claimed.get(at);
                tracker.ack(row.token);
                if (--row.claims == 0) {
                    claimed.remove(at);
                }
            }
        }

        private void retain() {
            if (!claimed.isEmpty()) {
                Row row = claimed.get(random.nextInt(claimed.size()));
                int more = 1 + random.nextInt(3);
                tracker.retain(row.token, more);
                row.claims += more;
            }
        }

        private void watch() {
            int records = random.nextInt(Math.max(1, outstanding.size() + 1));
            long bytes = random.nextBoolean() ? ANY_BYTES : random.nextInt(1 + 500 * (outstanding.size() + 1));
            calls.set(0);
            boolean waits = tracker.watch(records, bytes);
            if (isLow(records, bytes)) {
                assertThat(waits).isFalse();
            }
            watchedRecords = waits ? records : -1;
            watchedBytes = bytes;
        }

        private boolean isLow(int records, long bytes) {
            return outstanding.size() <= records
                    && outstanding.stream().mapToLong(row -> row.bytes).sum() <= bytes;
        }

        /** Removes a random number of unfinished records from the end, as a purge does. */
        private void forget() {
            int from = outstanding.size();
            while (from > 0 && outstanding.get(from - 1).claims > 0 && random.nextInt(8) != 0) {
                from--;
            }
            if (sealed || from == outstanding.size()) {
                return;
            }
            Row first = outstanding.get(from);
            assertThat(tracker.forgetFrom(first.token)).isEqualTo(first.offset);
            List<Row> dropped = outstanding.subList(from, outstanding.size());
            claimed.removeAll(dropped);
            dropped.clear();
            afterLast = first.offset;
            sealed = true;
            watchedRecords = -1;
        }

        private void advanceAndCompare() {
            int finished = 0;
            while (!outstanding.isEmpty() && outstanding.get(0).claims == 0) {
                outstanding.remove(0);
                finished++;
            }
            if (watchedRecords >= 0 && isLow(watchedRecords, watchedBytes)) {
                assertThat(calls.get()).as("calls for a watch that came true").isPositive();
                watchedRecords = -1;
            }
            assertThat(tracker.advance()).isEqualTo(finished);
            assertThat(tracker.outstanding()).isEqualTo(outstanding.size());
            assertThat(tracker.isIdle()).isEqualTo(outstanding.isEmpty());
            assertThat(tracker.outstandingBytes())
                    .isEqualTo(outstanding.stream().mapToLong(row -> row.bytes).sum());
            assertThat(tracker.committableOffset())
                    .isEqualTo(outstanding.isEmpty() ? afterLast : outstanding.get(0).offset);
        }
    }

    @Test
    void tracker_millionOutstandingAcknowledgedBackwards_advancesAtOnce() {
        OffsetTracker tracker = tracker(1_000_000);
        for (int i = 0; i < 1_000_000; i++) {
            tracker.append(2L * i, 1);
        }
        for (int token = 999_999; token > 0; token--) {
            tracker.ack(token);
        }
        assertThat(tracker.advance()).isZero();
        assertThat(tracker.committableOffset()).isZero();
        tracker.ack(0);
        assertThat(tracker.advance()).isEqualTo(1_000_000);
        assertThat(tracker.committableOffset()).isEqualTo(1_999_999);
        assertThat(tracker.outstandingBytes()).isZero();
    }

    @Test
    void ack_moreOftenThanClaimed_throws() {
        OffsetTracker tracker = tracker(10);
        long token = tracker.append(5, 1);
        tracker.ack(token);
        assertThatThrownBy(() -> tracker.ack(token)).hasMessageContaining("more often than retained");
    }

    @Test
    void retain_afterFinish_throws() {
        OffsetTracker tracker = tracker(10);
        long token = tracker.append(5, 1);
        tracker.ack(token);
        assertThatThrownBy(() -> tracker.retain(token, 1)).hasMessageContaining("after it was finished");
    }

    @Test
    void watch_middleFinishedButHeadNot_waitsForHead() {
        OffsetTracker tracker = tracker(10);
        for (int i = 0; i < 4; i++) {
            tracker.append(i, 1);
        }
        tracker.ack(1);
        assertThat(tracker.watch(2, ANY_BYTES)).isTrue();
        tracker.ack(0);
        assertThat(calls).hasValue(1);
    }

    // Regression: one stuck record kept the partition paused long after most other records were finished.
    @Test
    void watch_onlyRecordsInTheWayFinish_calls() {
        OffsetTracker tracker = tracker(10);
        for (int i = 0; i < 4; i++) {
            tracker.append(i, 1);
        }
        assertThat(tracker.watch(2, ANY_BYTES)).isTrue();
        tracker.ack(0);
        tracker.ack(1);
        assertThat(calls.get()).isPositive();
    }

    @Test
    void watch_heavyRecordsInFront_callsWhenTheyAreFinished() {
        OffsetTracker tracker = tracker(10);
        tracker.append(0, 1_000);
        for (int i = 1; i < 5; i++) {
            tracker.append(i, 1);
        }
        assertThat(tracker.watch(5, 10)).isTrue();
        tracker.ack(0);
        assertThat(calls).hasValue(1);
    }

    /** Two threads race for each watch. No wake-up may be lost. */
    @Test
    void watch_underRacingAcknowledgements_missesNoWakeUp() throws Exception {
        Semaphore woken = new Semaphore(0);
        OffsetTracker tracker = new OffsetTracker(64, woken::release);
        int rounds = 20_000;
        Semaphore published = new Semaphore(0);
        Thread acknowledger = Thread.ofPlatform().start(() -> {
            for (long token = 0; token < rounds; token++) {
                published.acquireUninterruptibly();
                tracker.ack(token);
            }
        });
        int appended = 0;
        while (appended < rounds || !tracker.isIdle()) {
            while (appended < rounds && tracker.outstanding() < 2) {
                tracker.append(appended++, 1);
                published.release();
            }
            woken.drainPermits();
            if (tracker.watch(0, 0)) {
                assertThat(woken.tryAcquire(10, TimeUnit.SECONDS))
                        .as("wake-up at %s", tracker.committableOffset())
                        .isTrue();
            }
            tracker.advance();
        }
        acknowledger.join();
        assertThat(tracker.committableOffset()).isEqualTo(rounds);
    }
}
