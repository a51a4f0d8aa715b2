package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Priorities;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowControlTest {

    private static final int MEGABYTE = 1024 * 1024;
    private static final int FETCH_BYTES = 8 * 1024;

    private final TopicPartition id = new TopicPartition("t", 0);
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AssignedPartition partition =
            new AssignedPartition(id, new OffsetTracker(1_000, wakeUps::incrementAndGet), Long.MAX_VALUE);
    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final RecordFetcher fetcher = new ClientFetcher(client);
    private final AtomicLong nanos = new AtomicLong();
    private final OwnerClock time = new OwnerClock() {
        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public void park(long forNanos) {
            nanos.addAndGet(forNanos);
        }
    };
    private final FlowControl flow = new FlowControl(
            ConsumerSettings.builder()
                    .bootstrapServers("h:1")
                    .groupId("g")
                    .maxOutstandingRecords(100)
                    .bufferBytes(MEGABYTE)
                    .build(),
            1,
            FETCH_BYTES,
            time,
            wakeUps::incrementAndGet);
    private final List<Long> tokens = new ArrayList<>();

    @BeforeEach
    void assign() {
        client.assign(List.of(id));
        flow.divide(List.of(partition));
    }

    private static List<AssignedPartition> like(AssignedPartition one, int count) {
        return Collections.nCopies(count, one);
    }

    private void fetch(int records, int bytes) {
        for (int i = 0; i < records; i++) {
            tokens.add(partition.tracker().append(tokens.size(), bytes));
        }
        flow.afterFetch(partition, fetcher);
    }

    private void finish(int records) {
        for (int i = 0; i < records; i++) {
            partition.tracker().ack(tokens.remove(0));
        }
    }

    private void resume() {
        flow.resumeLow(List.copyOf(Map.of(id, partition).values()), fetcher);
    }

    /** The partition was paused by the byte budget, not by its record limit. This reason stays until the next poll. */
    @Test
    void partition_thatWasFullOfBytes_isPausedForTheBudget_alsoWhenNoneAreLeft() {
        fetch(3, MEGABYTE / 3 + 1);
        assertThat(client.paused()).containsExactly(id);
        assertThat(flow.reason(partition)).isEqualTo(Paused.BUDGET);
        finish(3);
        partition.advance();
        assertThat(flow.reason(partition)).isEqualTo(Paused.BUDGET);
        resume();
        fetch(100, 1);
        assertThat(flow.reason(partition)).isEqualTo(Paused.WINDOW);
        finish(100);
        partition.advance();
        assertThat(flow.reason(partition)).isEqualTo(Paused.WINDOW);
    }

    @Test
    void partition_atHighMark_pausesAndResumesAtHalf() {
        fetch(99, 1);
        assertThat(client.paused()).isEmpty();
        fetch(1, 1);
        assertThat(client.paused()).containsExactly(id);
        resume();
        finish(49);
        resume();
        assertThat(client.paused()).containsExactly(id);
        assertThat(wakeUps).hasValue(0);
        finish(1);
        assertThat(wakeUps.get()).isPositive();
        resume();
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void partition_thatIsFull_resumesWhenTheWindowIsRaisedAndPausesWhenItIsLowered() {
        fetch(100, 1);
        assertThat(client.paused()).containsExactly(id);
        flow.maxOutstandingRecords(400);
        assertThat(wakeUps.get()).isPositive();
        resume();
        assertThat(client.paused()).isEmpty();
        fetch(200, 1);
        assertThat(client.paused()).isEmpty();
        flow.maxOutstandingRecords(100);
        fetch(1, 1);
        assertThat(client.paused()).containsExactly(id);
    }

    @Test
    void partition_thatIsFullOfBytes_resumesWhenTheBudgetIsRaised() {
        fetch(11, MEGABYTE / 10);
        assertThat(client.paused()).containsExactly(id);
        flow.bufferBytes(4 * MEGABYTE);
        resume();
        assertThat(client.paused()).isEmpty();
    }

    /** Returns partitions with a full buffer: the pipeline has not pulled any of their records. */
    private Map<TopicPartition, AssignedPartition> full(RecordBuffer outlet, int... priorities) {
        Map<TopicPartition, AssignedPartition> assigned = new LinkedHashMap<>();
        for (int priority : priorities) {
            AssignedPartition next = new AssignedPartition(
                    new TopicPartition("t", assigned.size()),
                    new OffsetTracker(1_000, wakeUps::incrementAndGet),
                    Long.MAX_VALUE,
                    priority,
                    1);
            next.goOutBy(outlet);
            assigned.put(next.id(), next);
        }
        client.assign(assigned.keySet());
        for (AssignedPartition next : assigned.values()) {
            long[] itsTokens = new long[100];
            for (int i = 0; i < 100; i++) {
                itsTokens[i] = next.tracker().append(i, 1);
            }
            outlet.add(next, Batch.of(new Object[100], 100, next.tracker(), itsTokens));
            flow.afterFetch(next, fetcher);
        }
        assertThat(client.paused()).hasSize(assigned.size());
        return assigned;
    }

    private static AssignedPartition nth(Map<TopicPartition, AssignedPartition> assigned, int number) {
        return Objects.requireNonNull(assigned.get(new TopicPartition("t", number)));
    }

    private static void finish(AssignedPartition of, int from, int to) {
        for (int token = from; token < to; token++) {
            of.tracker().ack(token);
        }
    }

    @Test
    void partitions_thatAreLow_goOnTogether() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> assigned = full(outlet, new int[12]);
        for (int i = 0; i < 6; i++) {
            flow.resumeLow(List.copyOf(assigned.values()), fetcher);
            assertThat(client.paused()).as("with %s of 12 empty", i).hasSize(12);
            AssignedPartition next = nth(assigned, i);
            outlet.purge(List.of(next));
            finish(next, 0, 100);
        }
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).as("with half of 12 empty").hasSize(6);
    }

    /** Regression: the paused partitions resumed up to a second late if no records arrived. */
    @Test
    void partitions_thatWaitForAStuckOne_areLookedAtWhenThePipelineRunsShort() throws InterruptedException {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> assigned = full(outlet, new int[12]);
        for (int i = 0; i < 11; i++) {
            finish(nth(assigned, i), 0, 76);
        }
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).hasSize(12);
        for (int taken = 0; taken < 6; taken++) {
            assertThat(wakeUps).as("after %s of 12 batches", taken).hasValue(0);
            assertThat(outlet.take(Stage.NEVER, new StageMeter())).hasFieldOrPropertyWithValue("size", 100);
        }
        assertThat(wakeUps).hasValue(1);
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).containsExactly(new TopicPartition("t", 11));
    }

    @Test
    void partition_ofAHigherPriority_doesNotWaitForLowerOnes() throws InterruptedException {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> assigned = full(outlet, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(outlet.take(Stage.NEVER, new StageMeter())).isNotNull();
        finish(nth(assigned, 0), 0, 100);
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).hasSize(11).doesNotContain(new TopicPartition("t", 0));
    }

    /** Regression: a stage that held all records of two partitions and needed more waited forever. */
    @Test
    void partitions_ofWhichStagesHoldAll_goOnAtHalf() throws InterruptedException {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> both = full(outlet, 0, 0);
        finish(nth(both, 0), 0, 60);
        finish(nth(both, 1), 0, 40);
        assertThat(outlet.take(Stage.NEVER, new StageMeter())).isNotNull();
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).as("with something to take").hasSize(2);
        assertThat(wakeUps).hasValue(0);
        assertThat(outlet.take(Stage.NEVER, new StageMeter())).isNotNull();
        assertThat(wakeUps).hasValue(1);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).containsExactly(new TopicPartition("t", 1));
    }

    /** Regression: a partition with a new position, for example after a seek, waited for the backlogs of all others. */
    @Test
    void partition_ofWhichNothingWasReadYet_doesNotWait() {
        Map<TopicPartition, AssignedPartition> assigned = full(new RecordBuffer(Clock.SYSTEM), new int[12]);
        AssignedPartition sought = nth(assigned, 3);
        AssignedPartition renewed =
                new AssignedPartition(sought.id(), new OffsetTracker(1_000, () -> {}), Long.MAX_VALUE);
        renewed.goOutBy(sought.outlet());
        boolean ignored = renewed.pause(PauseReason.FLOW);
        assigned.put(renewed.id(), renewed);
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).hasSize(11).doesNotContain(renewed.id());
    }

    /** The full partitions hold records that are not due yet. An empty partition must not wait for these records. */
    @Test
    void partition_ofARetryTopic_doesNotWaitForRecordsThatAreNotDue() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM, new DueRecords(record -> 1, () -> 0));
        Map<TopicPartition, AssignedPartition> assigned = full(outlet, new int[12]);
        outlet.purge(List.of(nth(assigned, 0)));
        finish(nth(assigned, 0), 0, 100);
        flow.resumeLow(List.copyOf(assigned.values()), fetcher);
        assertThat(client.paused()).hasSize(11);
    }

    @Test
    void partition_lowBesideAFullOne_goesOnAtAQuarter() {
        Map<TopicPartition, AssignedPartition> both = full(new RecordBuffer(Clock.SYSTEM), 0, 0);
        AssignedPartition low = nth(both, 0);
        finish(low, 0, 50);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        finish(low, 50, 74);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).hasSize(2);
        assertThat(wakeUps).hasValue(0);
        finish(low, 74, 75);
        assertThat(wakeUps.get()).isPositive();
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).containsExactly(new TopicPartition("t", 1));
    }

    @Test
    void partition_overItsBytes_pausesThoughRecordsAreFew() {
        fetch(2, MEGABYTE / 2);
        assertThat(client.paused()).containsExactly(id);
        resume();
        assertThat(client.paused()).containsExactly(id);
        finish(1);
        assertThat(wakeUps.get()).isPositive();
        resume();
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void budget_sharedByManyPartitions_pausesEarlier() {
        for (int i = 0; i < 4; i++) {
            partition.tracker().append(i, 32 * 1024);
        }
        flow.divide(like(partition, 4));
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).isEmpty();
        flow.divide(like(partition, 8));
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).containsExactly(id);
    }

    private boolean pausesAt(AssignedPartition of, int kilobytes) {
        of.tracker().append(of.tracker().outstanding(), kilobytes * 1024);
        flow.afterFetch(of, fetcher);
        return of.isPaused();
    }

    @Test
    void budget_ofHigherPriorities_isTwiceThatOfTheOneBelow() {
        TopicPartition urgentId = new TopicPartition("urgent", 0);
        Priorities priorities = Subscription.topics("t", "urgent", "idle")
                .priority("urgent", 10)
                .priority("idle", -1)
                .priorities();
        AssignedPartition urgent = new AssignedPartition(
                urgentId,
                new OffsetTracker(1_000, () -> {}),
                Long.MAX_VALUE,
                priorities.of(urgentId),
                FlowControl.weight(priorities, urgentId));
        assertThat(urgent.weight()).isEqualTo(4);
        assertThat(FlowControl.weight(priorities, id)).isEqualTo(2);
        assertThat(FlowControl.weight(priorities, new TopicPartition("idle", 0)))
                .isEqualTo(1);
        client.unsubscribe();
        client.assign(List.of(id, urgentId));
        // Each partition gets its minimum. The remaining budget is divided one to four.
        flow.divide(List.of(partition, urgent));
        assertThat(pausesAt(partition, 214)).isFalse();
        assertThat(pausesAt(partition, 1)).isTrue();
        assertThat(pausesAt(urgent, 809)).isFalse();
        assertThat(pausesAt(urgent, 1)).isTrue();
    }

    @Test
    void shares_ofManyPriorities_areSixteenAtMost() {
        Subscription subscription = Subscription.pattern(".*");
        for (int i = 0; i < 40; i++) {
            subscription = subscription.priority("t" + i, i);
        }
        assertThat(FlowControl.weight(subscription.priorities(), new TopicPartition("t3", 0)))
                .isEqualTo(8);
        assertThat(FlowControl.weight(subscription.priorities(), new TopicPartition("t39", 0)))
                .isEqualTo(16);
    }

    @Test
    void thousandsOfPartitions_stayWithinTheBudgetTogether() {
        Map<TopicPartition, AssignedPartition> assignment = new LinkedHashMap<>();
        for (int i = 0; i < 3_000; i++) {
            TopicPartition each = new TopicPartition("many", i);
            assignment.put(
                    each,
                    new AssignedPartition(each, new OffsetTracker(100, wakeUps::incrementAndGet), Long.MAX_VALUE));
        }
        client.unsubscribe();
        client.assign(assignment.keySet());
        flow.divide(assignment.values());
        List<AssignedPartition> filled = new ArrayList<>();
        for (AssignedPartition each : assignment.values()) {
            if (client.paused().size() == 3_000) {
                break;
            }
            each.tracker().append(0, 1024);
            filled.add(each);
            flow.afterFetch(each, fetcher);
            flow.afterPoll(List.copyOf(assignment.values()), fetcher);
        }
        assertThat(filled).as("of a kilobyte each").hasSize(1024);
        for (int i = 0; i < 512; i++) {
            flow.resumeLow(List.copyOf(assignment.values()), fetcher);
            assertThat(client.paused()).as("after %s", i).hasSize(3_000);
            int before = wakeUps.get();
            filled.get(i).tracker().ack(0);
            assertThat(wakeUps.get()).as("after %s", i).isGreaterThan(before);
        }
        flow.resumeLow(List.copyOf(assignment.values()), fetcher);
        assertThat(client.paused()).isEmpty();
    }

    /** Returns forty partitions, each with a 25 KB part of the budget and records that are not pulled yet. */
    private Map<TopicPartition, AssignedPartition> forty() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> assignment = new LinkedHashMap<>();
        for (int i = 0; i < 40; i++) {
            AssignedPartition each = new AssignedPartition(
                    new TopicPartition("large", i), new OffsetTracker(100, wakeUps::incrementAndGet), Long.MAX_VALUE);
            each.goOutBy(outlet);
            assignment.put(each.id(), each);
        }
        client.unsubscribe();
        client.assign(assignment.keySet());
        flow.divide(assignment.values());
        return assignment;
    }

    /**
     * Simulates a poll that returns a record of 128 KB for each of the next running partitions. Returns these
     * partitions.
     */
    private List<AssignedPartition> poll(Map<TopicPartition, AssignedPartition> assignment, int partitions) {
        List<AssignedPartition> brought = new ArrayList<>();
        for (AssignedPartition each : assignment.values()) {
            if (brought.size() < partitions && !each.isPaused()) {
                tokens.add(each.tracker().append(tokens.size(), MEGABYTE / 8));
                flow.afterFetch(each, fetcher);
                brought.add(each);
            }
        }
        flow.afterPoll(List.copyOf(assignment.values()), fetcher);
        return brought;
    }

    /** Regression: 29 records of 1 MB were buffered with a budget of 8 MB. */
    @Test
    void recordsLargerThanShares_pauseAllWhenTheBudgetIsUsed() {
        Map<TopicPartition, AssignedPartition> assignment = forty();
        int polls = 0;
        while (client.paused().size() < 40) {
            poll(assignment, 1);
            polls++;
        }
        // The polls return about one megabyte.
        assertThat(polls).isBetween(8, 11);
    }

    @Test
    void partitionsThatComeWhileAllArePaused_pauseAfterTheirFirstPoll() {
        Map<TopicPartition, AssignedPartition> assignment = forty();
        while (client.paused().size() < 40) {
            poll(assignment, 1);
        }
        AssignedPartition come = new AssignedPartition(
                new TopicPartition("large", 40), new OffsetTracker(100, wakeUps::incrementAndGet), Long.MAX_VALUE);
        assignment.put(come.id(), come);
        client.assign(assignment.keySet());
        flow.divide(assignment.values());
        come.tracker().append(0, 1);
        flow.afterFetch(come, fetcher);
        flow.afterPoll(List.copyOf(assignment.values()), fetcher);
        assertThat(client.paused()).contains(come.id());
    }

    /** Partitions must also resume if stuck partitions hold more than half of the budget. */
    @Test
    void partitionsBesideStuckOnes_thatHoldMoreThanHalf_goOn() {
        Map<TopicPartition, AssignedPartition> assignment = forty();
        List<AssignedPartition> stuck = poll(assignment, 7);
        for (int round = 0; round < 3; round++) {
            int before = tokens.size();
            List<AssignedPartition> others = poll(assignment, 8);
            assertThat(client.paused()).as("before round %s", round).hasSize(40);
            for (AssignedPartition each : others) {
                each.tracker().ack(tokens.get(before++));
            }
            if (round == 0) {
                flow.resumeLow(List.copyOf(assignment.values()), fetcher);
                assertThat(client.paused()).as("within the first second").hasSize(40);
                nanos.addAndGet(FlowControl.STUCK_NANOS);
            }
            flow.resumeLow(List.copyOf(assignment.values()), fetcher);
            assertThat(client.paused()).as("in round %s", round).hasSize(7);
        }
        assertThat(stuck).allMatch(each -> each.isPaused());
    }

    @Test
    void full_butFinishedMeanwhile_doesNotPause() {
        for (int i = 0; i < 100; i++) {
            partition.tracker().ack(partition.tracker().append(i, 1));
        }
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void partitionAtEnd_staysPaused() {
        fetch(100, 1);
        boolean ignored = partition.pause(PauseReason.END);
        finish(100);
        resume();
        assertThat(client.paused()).containsExactly(id);
    }

    // ---- Limits ----------------------------------------------------------------------------------------------------

    private FlowControl flow(int maxOutstandingRecords, int recordsPerToken, int fetchBytes) {
        return new FlowControl(
                ConsumerSettings.builder()
                        .bootstrapServers("h:1")
                        .groupId("g")
                        .maxOutstandingRecords(maxOutstandingRecords)
                        .bufferBytes(MEGABYTE)
                        .build(),
                recordsPerToken,
                fetchBytes,
                time,
                wakeUps::incrementAndGet);
    }

    /** Returns the number of tokens at which the partition is paused. */
    private int tokensUntilFull(FlowControl limits) {
        AssignedPartition fresh = new AssignedPartition(id, new OffsetTracker(1_000, () -> {}), Long.MAX_VALUE);
        limits.divide(List.of(fresh));
        for (int count = 1; count <= 1_000; count++) {
            fresh.tracker().append(count, 1);
            limits.afterFetch(fresh, fetcher);
            if (fresh.isPaused()) {
                return count;
            }
        }
        return -1;
    }

    @Test
    void limitOfRecords_isTheNumberOfTheirTokens_andNeverZero() {
        FlowControl batches = flow(100, 10, FETCH_BYTES);
        assertThat(tokensUntilFull(batches)).isEqualTo(10);
        batches.maxOutstandingRecords(250);
        assertThat(tokensUntilFull(batches)).isEqualTo(25);
        batches.maxOutstandingRecords(5);
        assertThat(tokensUntilFull(batches)).isEqualTo(1);
        assertThat(tokensUntilFull(flow(9, 10, FETCH_BYTES))).isEqualTo(1);
    }

    @Test
    void budget_thatIsChanged_wakesTheOwner() {
        flow.bufferBytes(4 * MEGABYTE);
        assertThat(wakeUps).hasValue(1);
    }

    private List<AssignedPartition> assigned(FlowControl limits, int count) {
        List<AssignedPartition> all = new ArrayList<>();
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        for (int i = 0; i < count; i++) {
            AssignedPartition each = new AssignedPartition(
                    new TopicPartition("many", i), new OffsetTracker(100, wakeUps::incrementAndGet), Long.MAX_VALUE);
            each.goOutBy(outlet);
            all.add(each);
        }
        client.unsubscribe();
        client.assign(all.stream().map(each -> each.id()).toList());
        limits.divide(all);
        return List.copyOf(all);
    }

    /** The sum may exceed the budget by a fetch of each partition, but by half of the budget at most. */
    @ParameterizedTest
    @CsvSource({
        "40, 8192, 1376256",
        "40, 100000, 1572864",
        "64, 8192, 1572864",
        "64, 1024, 1114112",
        "65, 8192, 1048576"
    })
    void sumOfAllPartitions_hasALimit(int count, int fetchBytes, int limit) {
        FlowControl limits = flow(100, 1, fetchBytes);
        List<AssignedPartition> all = assigned(limits, count);
        all.get(0).tracker().append(0, limit - 11);
        all.get(1).tracker().append(0, 10);
        limits.afterPoll(all, fetcher);
        assertThat(client.paused()).isEmpty();
        all.get(1).tracker().append(1, 1);
        limits.afterPoll(all, fetcher);
        assertThat(client.paused()).hasSize(count);
        assertThat(all).allMatch(each -> limits.reason(each) == Paused.BUDGET);
    }

    @Test
    void sumOfAllPartitions_resumesAtHalf() {
        FlowControl limits = flow(100, 1, FETCH_BYTES);
        List<AssignedPartition> all = assigned(limits, 40);
        int limit = MEGABYTE + 40 * FETCH_BYTES;
        all.get(0).tracker().append(0, limit / 2);
        all.get(1).tracker().append(0, 1);
        all.get(2).tracker().append(0, limit / 2);
        limits.afterPoll(all, fetcher);
        all.get(2).tracker().ack(0);
        limits.resumeLow(all, fetcher);
        assertThat(client.paused()).hasSize(40);
        int before = wakeUps.get();
        all.get(1).tracker().ack(0);
        assertThat(wakeUps.get()).isGreaterThan(before);
        limits.resumeLow(all, fetcher);
        assertThat(client.paused())
                .as("above half of its own limit")
                .containsExactly(all.get(0).id());
    }

    @Test
    void sumOfRecords_thatAreFinishedMeanwhile_doesNotPause() {
        FlowControl limits = flow(100, 1, FETCH_BYTES);
        List<AssignedPartition> all = assigned(limits, 40);
        all.get(0).tracker().append(0, 2 * MEGABYTE);
        all.get(0).tracker().ack(0);
        limits.afterPoll(all, fetcher);
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void stuckBytes_areForgotten_onceTheyAreFinished() {
        List<AssignedPartition> all = assigned(flow, 40);
        int quarter = (MEGABYTE + 40 * FETCH_BYTES) / 4;
        OffsetTracker stuck = all.get(0).tracker();
        OffsetTracker other = all.get(1).tracker();
        stuck.append(0, 3 * quarter);
        other.append(0, quarter);
        flow.afterPoll(all, fetcher);
        other.ack(0);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused()).hasSize(40);
        nanos.addAndGet(FlowControl.STUCK_NANOS - 1);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused()).hasSize(40);
        nanos.addAndGet(1);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused()).containsExactly(all.get(0).id());

        other.append(1, quarter);
        flow.afterPoll(all, fetcher);
        assertThat(client.paused()).hasSize(40);
        other.ack(1);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused()).as("at once").hasSize(1);

        other.append(2, quarter);
        flow.afterPoll(all, fetcher);
        stuck.ack(0);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused())
                .as("above half of its own limit")
                .containsExactly(all.get(1).id());
        stuck.append(1, 3 * quarter);
        flow.afterPoll(all, fetcher);
        other.ack(2);
        flow.resumeLow(all, fetcher);
        assertThat(client.paused()).as("within the first second again").hasSize(40);
    }

    // ---- The time of pauses ----------------------------------------------------------------------------------------

    @Test
    void timeOfAPause_beginsWithTheFullWindow_andEndsWithTheResume() {
        nanos.set(1_000);
        fetch(100, 1);
        nanos.set(1_030);
        fetch(1, 1);
        assertThat(partition.stoodStillNanos(false, 1_050)).isEqualTo(50);
        finish(101);
        nanos.set(1_070);
        resume();
        assertThat(client.paused()).isEmpty();
        assertThat(partition.stoodStillNanos(false, 9_999)).isEqualTo(70);
        assertThat(partition.stoodStillNanos(true, 9_999)).isZero();
        nanos.set(2_000);
        fetch(2, MEGABYTE / 2);
        assertThat(partition.stoodStillNanos(true, 2_040)).isEqualTo(40);
    }

    @Test
    void timeOfACommonPause_isCountedForEachPartition() {
        List<AssignedPartition> all = assigned(flow, 40);
        nanos.set(500);
        all.get(0).tracker().append(0, 2 * MEGABYTE);
        flow.afterPoll(all, fetcher);
        assertThat(all).allMatch(each -> each.stoodStillNanos(true, 700) == 200);
        nanos.set(600);
        flow.afterPoll(all, fetcher);
        assertThat(all).allMatch(each -> each.stoodStillNanos(true, 700) == 200);
    }

    // ---- Peers -----------------------------------------------------------------------------------------------------

    @Test
    void partition_doesNotWaitForRecordsThatTheUserHasPaused() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> both = full(outlet, 0, 0);
        outlet.purge(List.of(nth(both, 0)));
        finish(nth(both, 0), 0, 60);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).hasSize(2);
        outlet.pause(nth(both, 1), true);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).containsExactly(new TopicPartition("t", 1));
    }

    @Test
    void partition_doesNotWaitForRecordsOfAnotherBuffer() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> all = full(outlet, 0, 0, 0);
        outlet.purge(List.of(nth(all, 1)));
        nth(all, 1).goOutBy(new RecordBuffer(Clock.SYSTEM));
        finish(nth(all, 0), 0, 60);
        flow.resumeLow(List.copyOf(all.values()), fetcher);
        assertThat(client.paused()).as("with ready records in its own buffer").hasSize(3);
        finish(nth(all, 1), 0, 60);
        flow.resumeLow(List.copyOf(all.values()), fetcher);
        assertThat(client.paused()).as("together").containsExactly(new TopicPartition("t", 2));
    }

    @Test
    void partitionsThatAreAllLow_goOnTogether_withRecordsInTheBuffer() {
        Map<TopicPartition, AssignedPartition> both = full(new RecordBuffer(Clock.SYSTEM), 0, 0);
        finish(nth(both, 0), 0, 50);
        finish(nth(both, 1), 0, 49);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).hasSize(2);
        finish(nth(both, 1), 49, 50);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).isEmpty();
    }

    /** Their position is unknown, so nothing is fetched from them. */
    @Test
    void heldPartition_isNotResumed_andHoldsUpNoOther() {
        Map<TopicPartition, AssignedPartition> both = full(new RecordBuffer(Clock.SYSTEM), 0, 0);
        nth(both, 0).hold();
        finish(nth(both, 1), 0, 50);
        flow.resumeLow(List.copyOf(both.values()), fetcher);
        assertThat(client.paused()).containsExactly(new TopicPartition("t", 0));
    }
}
