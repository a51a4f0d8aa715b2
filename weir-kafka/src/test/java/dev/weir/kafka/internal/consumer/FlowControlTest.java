package dev.weir.kafka.internal.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Priorities;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlowControlTest {

    private static final int MEGABYTE = 1024 * 1024;

    private final TopicPartition id = new TopicPartition("t", 0);
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AssignedPartition partition =
            new AssignedPartition(id, new OffsetTracker(1_000, wakeUps::incrementAndGet), Long.MAX_VALUE);
    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final Fetcher fetcher = new ClientFetcher(client);
    private final FlowControl flow = new FlowControl(
            ConsumerSettings.builder()
                    .bootstrapServers("h:1")
                    .groupId("g")
                    .maxOutstandingRecords(100)
                    .bufferBytes(MEGABYTE)
                    .build(),
            1);
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
            tokens.add(partition.tracker.append(tokens.size(), bytes));
        }
        flow.afterFetch(partition, fetcher);
    }

    private void finish(int records) {
        for (int i = 0; i < records; i++) {
            partition.tracker.ack(tokens.remove(0));
        }
    }

    private void resume() {
        flow.resumeLow(Map.of(id, partition), fetcher);
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
    void partitions_thatAreLow_goOnTogether() {
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        Map<TopicPartition, AssignedPartition> assigned = new LinkedHashMap<>();
        for (int i = 0; i < 12; i++) {
            AssignedPartition next = new AssignedPartition(
                    new TopicPartition("t", i), new OffsetTracker(1_000, wakeUps::incrementAndGet), Long.MAX_VALUE);
            next.outlet = outlet;
            assigned.put(next.id, next);
        }
        client.assign(assigned.keySet());
        for (AssignedPartition next : assigned.values()) {
            for (int token = 0; token < 100; token++) {
                next.tracker.append(token, 1);
            }
            outlet.add(next, Batch.of(new Object[100], 100, next.tracker, new long[100]));
            flow.afterFetch(next, fetcher);
        }
        assertThat(client.paused()).hasSize(12);

        List<AssignedPartition> drained = new ArrayList<>(assigned.values());
        for (int i = 0; i < 6; i++) {
            flow.resumeLow(assigned, fetcher);
            assertThat(client.paused()).as("with %s of 12 empty", i).hasSize(12);
            AssignedPartition next = drained.remove(0);
            outlet.purge(List.of(next));
            for (int token = 0; token < 100; token++) {
                next.tracker.ack(token);
            }
        }
        flow.resumeLow(assigned, fetcher);
        assertThat(client.paused()).as("with half of 12 empty").hasSize(6);
    }

    @Test
    void partition_lowBesideAFullOne_goesOnAtAQuarter() {
        AssignedPartition full = new AssignedPartition(
                new TopicPartition("t", 1), new OffsetTracker(1_000, wakeUps::incrementAndGet), Long.MAX_VALUE);
        RecordBuffer outlet = new RecordBuffer(Clock.SYSTEM);
        partition.outlet = outlet;
        full.outlet = outlet;
        for (int i = 0; i < 100; i++) {
            full.tracker.append(i, 1);
        }
        client.assign(List.of(id, full.id));
        fetch(100, 1);
        flow.afterFetch(full, fetcher);
        Map<TopicPartition, AssignedPartition> both = Map.of(id, partition, full.id, full);

        finish(50);
        flow.resumeLow(both, fetcher);
        finish(24);
        flow.resumeLow(both, fetcher);
        assertThat(client.paused()).containsExactlyInAnyOrder(id, full.id);
        assertThat(wakeUps).hasValue(0);
        finish(1);
        assertThat(wakeUps.get()).isPositive();
        flow.resumeLow(both, fetcher);
        assertThat(client.paused()).containsExactly(full.id);
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
            partition.tracker.append(i, 32 * 1024);
        }
        flow.divide(like(partition, 4));
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).isEmpty();
        flow.divide(like(partition, 8));
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).containsExactly(id);
    }

    private boolean pausesAt(AssignedPartition of, int kilobytes) {
        of.tracker.append(of.tracker.outstanding(), kilobytes * 1024);
        flow.afterFetch(of, fetcher);
        return of.paused;
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
                FlowControl.shares(priorities, urgentId));
        assertThat(urgent.shares).isEqualTo(4);
        assertThat(FlowControl.shares(priorities, id)).isEqualTo(2);
        assertThat(FlowControl.shares(priorities, new TopicPartition("idle", 0)))
                .isEqualTo(1);
        client.unsubscribe();
        client.assign(List.of(id, urgentId));
        // One share and four, of a megabyte less the least that each has.
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
        assertThat(FlowControl.shares(subscription.priorities(), new TopicPartition("t3", 0)))
                .isEqualTo(8);
        assertThat(FlowControl.shares(subscription.priorities(), new TopicPartition("t39", 0)))
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
            each.tracker.append(0, 1024);
            filled.add(each);
            flow.afterFetch(each, fetcher);
            flow.afterPoll(assignment, fetcher);
        }
        assertThat(filled).as("of a kilobyte each").hasSize(1024);
        for (int i = 0; i < 512; i++) {
            flow.resumeLow(assignment, fetcher);
            assertThat(client.paused()).as("after %s", i).hasSize(3_000);
            int before = wakeUps.get();
            filled.get(i).tracker.ack(0);
            assertThat(wakeUps.get()).as("after %s", i).isGreaterThan(before);
        }
        flow.resumeLow(assignment, fetcher);
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void full_butFinishedMeanwhile_doesNotPause() {
        for (int i = 0; i < 100; i++) {
            partition.tracker.ack(partition.tracker.append(i, 1));
        }
        flow.afterFetch(partition, fetcher);
        assertThat(client.paused()).isEmpty();
    }

    @Test
    void partitionAtEnd_staysPaused() {
        fetch(100, 1);
        partition.atEnd = true;
        finish(100);
        resume();
        assertThat(client.paused()).containsExactly(id);
    }

    @Test
    void revokeDeadline_longerThanThePollInterval_isCut() {
        var settings = ConsumerSettings.builder().bootstrapServers("h:1").groupId("g");
        assertThat(ClientLimits.of(Map.of()).revokeDeadline(settings.build()).toSeconds())
                .isEqualTo(20);
        assertThat(ClientLimits.of(Map.of("max.poll.interval.ms", "10000"))
                        .revokeDeadline(settings.build())
                        .toSeconds())
                .isEqualTo(5);
    }
}
