package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the rules for partitions that are common to all delivery guarantees. */
class DeliveryCommitsTest {

    enum Guarantee {
        AT_LEAST_ONCE,
        AT_MOST_ONCE,
        EXACTLY_ONCE,
        WITHOUT_COMMITS
    }

    private static final TopicPartition ID = new TopicPartition("t", 0);
    private static final Duration EACH = Duration.ofSeconds(5);
    private static final Set<TopicPartition> IDS = Set.of(ID);

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final ManualClock clock = new ManualClock();
    private final GoneTopic topic = new GoneTopic(ID);
    private final OffsetCommits commits = new OffsetCommits(
            client,
            fetcher,
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            topic,
            clock,
            MemberCommit.NONE);

    private final IdleGate gate = new IdleGate();

    private DeliveryCommits of(Guarantee guarantee) {
        return DeliveryCommits.of(
                switch (guarantee) {
                    case AT_LEAST_ONCE, EXACTLY_ONCE -> new Delivery.Committable();
                    case AT_MOST_ONCE -> new Delivery.AtMostOnce(1);
                    case WITHOUT_COMMITS -> new Delivery.Plain(true);
                },
                commits,
                guarantee == Guarantee.EXACTLY_ONCE ? gate : null,
                records -> new CommitAhead(
                        commits,
                        RecordOutlets.single(new RecordBuffer(new VirtualClock())),
                        records,
                        id -> false,
                        new OwnerWaits(fetcher, clock),
                        clock));
    }

    @ParameterizedTest
    @EnumSource
    void commits_areChosenByTheDelivery(Guarantee guarantee) {
        DeliveryCommits deliveryCommits = of(guarantee);
        assertThat(deliveryCommits.guarantee())
                .isEqualTo(guarantee.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        assertThat(deliveryCommits.gate() != null).isEqualTo(guarantee == Guarantee.AT_MOST_ONCE);
        assertThat(deliveryCommits.commitsStarts())
                .isEqualTo(guarantee == Guarantee.AT_LEAST_ONCE || guarantee == Guarantee.EXACTLY_ONCE);
    }

    @ParameterizedTest
    @EnumSource
    void openTransaction_isNotSettled(Guarantee guarantee) {
        assertThat(of(guarantee).isSettled()).isTrue();
        gate.isSettled = false;
        assertThat(of(guarantee).isSettled()).isEqualTo(guarantee != Guarantee.EXACTLY_ONCE);
    }

    /** Regression: a recreated topic was not read with transactions or at-most-once delivery. */
    @ParameterizedTest
    @EnumSource
    void partitionThatWasGone_isFoundAgain(Guarantee guarantee) {
        DeliveryCommits deliveryCommits = of(guarantee);
        commits.lookForGone(IDS);
        assertThat(commits.isGone(ID)).isTrue();
        topic.exists = true;
        clock.nanos += EACH.toNanos();
        deliveryCommits.commitIfDue(List.of());
        assertThat(commits.isGone(ID)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void partitionThatWasGone_isAskedForEachFiveSeconds(Guarantee guarantee) {
        DeliveryCommits deliveryCommits = of(guarantee);
        commits.lookForGone(IDS);
        clock.nanos += EACH.toNanos();
        int before = topic.questions;
        for (int turn = 0; turn < 100; turn++) {
            deliveryCommits.commitIfDue(List.of());
        }
        assertThat(topic.questions - before).isEqualTo(1);
        clock.nanos += EACH.toNanos() - 1;
        deliveryCommits.commitIfDue(List.of());
        assertThat(topic.questions - before).isEqualTo(1);
        clock.nanos++;
        deliveryCommits.commitIfDue(List.of());
        assertThat(topic.questions - before).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void dueCommit_isMadeInTheWayOfTheGuarantee(Guarantee guarantee) {
        topic.exists = true;
        DeliveryCommits deliveryCommits = of(guarantee);
        assertThat(deliveryCommits.nanosUntilDue())
                .isEqualTo(
                        switch (guarantee) {
                            case AT_LEAST_ONCE -> Duration.ofSeconds(1).toNanos();
                            case EXACTLY_ONCE -> IdleGate.DUE_NANOS;
                            case AT_MOST_ONCE, WITHOUT_COMMITS -> Long.MAX_VALUE;
                        });
        clock.nanos += EACH.toNanos();
        deliveryCommits.commitIfDue(List.of(partition()));
        assertThat(commits.succeeded()).isEqualTo(guarantee == Guarantee.AT_LEAST_ONCE ? 1 : 0);
        assertThat(gate.calls)
                .isEqualTo(guarantee == Guarantee.EXACTLY_ONCE ? List.of("commitIfDue") : List.<String>of());
    }

    @ParameterizedTest
    @EnumSource
    void lastCommit_isMadeInTheWayOfTheGuarantee(Guarantee guarantee) {
        topic.exists = true;
        of(guarantee).commitNow(List.of(partition()), 1_000);
        assertThat(commits.succeeded()).isEqualTo(guarantee == Guarantee.AT_LEAST_ONCE ? 1 : 0);
        assertThat(gate.calls)
                .isEqualTo(guarantee == Guarantee.EXACTLY_ONCE ? List.of("commitNow 1000") : List.<String>of());
    }

    @ParameterizedTest
    @EnumSource
    void events_reachTheTransactions_andNobodyElse(Guarantee guarantee) {
        DeliveryCommits deliveryCommits = of(guarantee);
        AssignedPartition partition = partition();
        QueuedOwner owner = new QueuedOwner();
        PartitionAssignment assignment = owner.assignment(
                fetcher, ConsumerSettings.builder().bootstrapServers("h:1").build(), clock);
        deliveryCommits.begin(client, assignment, reopened -> {}, owner, clock);
        deliveryCommits.releasing(List.of(partition));
        deliveryCommits.serveRelease();
        deliveryCommits.topicRecreated("t");
        deliveryCommits.lost();
        deliveryCommits.taken();
        deliveryCommits.pausesChanged();
        assertThat(gate.calls)
                .isEqualTo(
                        guarantee == Guarantee.EXACTLY_ONCE
                                ? List.of("begin", "releasing [t-0]", "commitIfDue", "topicRecreated t", "lost")
                                : List.<String>of());
        assertThat(deliveryCommits.waitingRecords(partition)).isZero();
        assertThat(commits.succeeded()).isZero();
    }

    /** Returns a partition with two records. The first one is finished. */
    private static AssignedPartition partition() {
        AssignedPartition partition = new AssignedPartition(ID, new OffsetTracker(2, () -> {}), Long.MAX_VALUE);
        partition.tracker().append(0, 1);
        partition.tracker().append(1, 1);
        partition.tracker().ack(0);
        return partition;
    }

    private static final class IdleGate implements TransactionGate {

        static final long DUE_NANOS = 77;

        final List<String> calls = new ArrayList<>();
        boolean isSettled = true;

        @Override
        public void begin(
                org.apache.kafka.clients.consumer.Consumer<?, ?> client,
                OffsetCommits commits,
                PartitionAssignment assignment,
                Consumer<List<AssignedPartition>> reopen,
                OwnerThread owner,
                OwnerClock clock) {
            calls.add("begin");
        }

        @Override
        public void commitIfDue() {
            calls.add("commitIfDue");
        }

        @Override
        public long nanosUntilDue() {
            return DUE_NANOS;
        }

        @Override
        public void releasing(Collection<AssignedPartition> revoked) {
            calls.add("releasing " + revoked);
        }

        @Override
        public void commitNow(long timeoutNanos) {
            calls.add("commitNow " + timeoutNanos);
        }

        @Override
        public boolean isSettled() {
            return isSettled;
        }

        @Override
        public void topicRecreated(String name) {
            calls.add("topicRecreated " + name);
        }

        @Override
        public void lost() {
            calls.add("lost");
        }
    }
}
