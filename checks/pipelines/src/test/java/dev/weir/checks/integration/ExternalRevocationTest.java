package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.RestrictedConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests members that store their positions outside Kafka. After a revocation, a member must write nothing, and its
 * successor must continue exactly there.
 */
class ExternalRevocationTest {

    private static final int RECORDS = 20_000;
    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(GroupLoad.quickGroups().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private final ConsumerLedger ledger = new ConsumerLedger(RECORDS);
    private final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();
    private final Queue<String> late = new ConcurrentLinkedQueue<>();

    /** The way a member reads records and learns of revocations. */
    private enum Way {
        STORE,
        LISTENER,
        PARTITIONED
    }

    /** A member with its view of the store. Writes after the revocation callback count as late. */
    private final class Member implements ExternalOffsets, RebalanceListener {

        private final Set<TopicPartition> owned = ConcurrentHashMap.newKeySet();
        private final Set<TopicPartition> atWork = ConcurrentHashMap.newKeySet();

        private final Way way;

        Member(Way way) {
            this.way = way;
        }

        @Override
        public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
            Map<TopicPartition, Position> positions = new HashMap<>();
            owned.addAll(partitions);
            partitions.forEach(id -> positions.put(id, Position.offset(next.getOrDefault(id, 0L))));
            return CompletableFuture.completedStage(positions);
        }

        @Override
        public void revoked(Set<TopicPartition> partitions) {
            owned.removeAll(partitions);
            partitions.stream().filter(atWork::contains).forEach(id -> late.add("still at work: " + id));
        }

        @Override
        public void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
            owned.addAll(partitions);
            partitions.forEach(id -> consumer.seek(id, next.getOrDefault(id, 0L)));
        }

        @Override
        public void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
            revoked(partitions);
        }

        private void write(ConsumerRecord<byte[], byte[]> record) {
            TopicPartition id = new TopicPartition(record.topic(), record.partition());
            if (!owned.contains(id)) {
                late.add(id + "@" + record.offset());
            }
            atWork.add(id);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            ledger.handled(record);
            next.put(id, record.offset() + 1);
            atWork.remove(id);
        }

        RunningPipeline run(GroupLoad.Protocol protocol, String topic) {
            var settings = GroupLoad.settings(KAFKA.cluster(), protocol, topic);
            return switch (way) {
                case STORE ->
                    KafkaSource.from(settings, Subscription.topics(topic))
                            .plain(this)
                            .to(Sink.forEach(this::write))
                            .run();
                case LISTENER ->
                    KafkaSource.from(
                                    settings.toBuilder().rebalanceListener(this).build(), topic)
                            .plain()
                            .to(Sink.forEach(this::write))
                            .run();
                case PARTITIONED ->
                    KafkaSource.from(settings, Subscription.topics(topic))
                            .partitioned(this)
                            .flatMapMerge(
                                    Integer.MAX_VALUE,
                                    partition -> partition.records().mapBlocking(1, Ordering.input(), record -> {
                                        write(record);
                                        return record;
                                    }))
                            .to(Sink.ignore())
                            .run();
            };
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONSUMER")
    void store_thatWasToldOfARevocation_isNotWrittenToAnyMore(GroupLoad.Protocol protocol) throws Exception {
        memberJoins(protocol, "store-" + protocol, Way.STORE);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"EAGER", "COOPERATIVE"})
    void store_onOtherProtocols_isNotWrittenToAnyMore(GroupLoad.Protocol protocol) throws Exception {
        store_thatWasToldOfARevocation_isNotWrittenToAnyMore(protocol);
    }

    @ParameterizedTest
    @EnumSource(names = "EAGER")
    void listener_thatWasToldOfARevocation_seesNoHandlerBegin(GroupLoad.Protocol protocol) throws Exception {
        memberJoins(protocol, "listener-" + protocol, Way.LISTENER);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"COOPERATIVE", "CONSUMER"})
    void listener_onOtherProtocols_seesNoHandlerBegin(GroupLoad.Protocol protocol) throws Exception {
        listener_thatWasToldOfARevocation_seesNoHandlerBegin(protocol);
    }

    @ParameterizedTest
    @EnumSource(names = "COOPERATIVE")
    void store_ofASourceByPartition_isNotWrittenToAnyMore(GroupLoad.Protocol protocol) throws Exception {
        memberJoins(protocol, "partitioned-" + protocol, Way.PARTITIONED);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"EAGER", "CONSUMER"})
    void store_ofASourceByPartitionOnOtherProtocols_isNotWrittenToAnyMore(GroupLoad.Protocol protocol)
            throws Exception {
        store_ofASourceByPartition_isNotWrittenToAnyMore(protocol);
    }

    private void memberJoins(GroupLoad.Protocol protocol, String topic, Way way) throws Exception {
        KAFKA.cluster().createTopic(topic, 4);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS);
        Member first = new Member(way);
        Member second = new Member(way);
        try (RunningPipeline one = first.run(protocol, topic)) {
            ledger.awaitSeen(600, SOON);
            try (RunningPipeline other = second.run(protocol, topic)) {
                int before = ledger.seen();
                ConsumerLedger.await("shared", SOON, () -> second.owned.size() == 2 && ledger.seen() >= before + 600);
                // The first member gets the partitions back when the other one ends.
                assertThat(other.drain(SOON).leftUndone()).isEmpty();
            }
            int before = ledger.seen();
            ConsumerLedger.await("back", SOON, () -> first.owned.size() == 4 && ledger.seen() >= before + 600);
            assertThat(one.completion()).isNotDone();
        }
        assertThat(late).as("late writes").isEmpty();
        assertThat(ledger.duplicates()).isZero();
        long written = next.values().stream().mapToLong(Long::longValue).sum();
        assertThat(written).as("none left out").isEqualTo(ledger.seen());
        assertThat(KAFKA.cluster().committedOffsets(topic)).isEmpty();
    }
}
