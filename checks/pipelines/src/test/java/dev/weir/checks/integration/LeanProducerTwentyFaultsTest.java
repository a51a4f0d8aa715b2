package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.testkit.Broker;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares a lean producer with Kafka's own producer during twenty faults of one kind. Both write the same records to
 * separate topics, which must have the same content.
 */
@Tag("long")
@Timeout(1200)
class LeanProducerTwentyFaultsTest {

    private static final int FAULTS = 20;
    private static final int PARTITIONS = 6;
    private static final int BETWEEN = 500;
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final List<String> TOPICS = List.of("lean", "official");

    /** Faults of brokers or of the network connections to them. */
    enum Fault {
        KILL,
        FREEZE,
        CUT,
        MOVE
    }

    /** Writes numbered records on its own thread until it is stopped. */
    private abstract static class Writer implements AutoCloseable {
        final AtomicLong sent = new AtomicLong();
        final AtomicLong acknowledged = new AtomicLong();
        final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean enough = new AtomicBoolean();
        private final Thread thread = Thread.ofPlatform().unstarted(this::run);

        abstract void send(int partition, byte[] value) throws InterruptedException;

        @Override
        public abstract void close();

        void begin() {
            thread.start();
        }

        private void run() {
            try {
                while (!enough.get()) {
                    sendNext();
                }
            } catch (Throwable e) {
                failures.add(e);
            }
        }

        private void sendNext() throws InterruptedException {
            long number = sent.getAndIncrement();
            send((int) (number % PARTITIONS), Long.toString(number).getBytes(StandardCharsets.US_ASCII));
        }

        void stop() throws InterruptedException {
            enough.set(true);
            thread.join();
        }

        void sendUpTo(long count) throws InterruptedException {
            while (sent.get() < count) {
                sendNext();
            }
        }
    }

    private static final class Lean extends Writer {
        private final LeanRecord record = new LeanRecord(TOPICS.getFirst());
        private final LeanProducer producer;

        Lean(String bootstrapServers) {
            producer = LeanProducer.open(
                    LeanProducerSettings.builder()
                            .bootstrapServers(bootstrapServers)
                            .batchBytes(2 * 1024)
                            .bufferBytes(64 * 1024)
                            .maxRequestBytes(16 * 1024)
                            .requestTimeout(Duration.ofSeconds(5))
                            .deliveryTimeout(Duration.ofMinutes(10))
                            .maxBlock(Duration.ofMinutes(10))
                            .build(),
                    new SendListener() {
                        @Override
                        public void acknowledged(long token, String topic, int partition, long offset) {
                            acknowledged.incrementAndGet();
                        }

                        @Override
                        public void failed(long token, SendException why) {
                            failures.add(why);
                        }
                    });
        }

        @Override
        void send(int partition, byte[] value) throws InterruptedException {
            producer.send(record.partition(partition).value(value), 0);
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    private static final class Official extends Writer {
        private final Producer<byte[], byte[]> producer;

        Official(String bootstrapServers) {
            producer = new KafkaProducer<>(
                    Map.of(
                            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                            ProducerConfig.BATCH_SIZE_CONFIG, 2 * 1024,
                            ProducerConfig.BUFFER_MEMORY_CONFIG, 64 * 1024,
                            ProducerConfig.LINGER_MS_CONFIG, 5,
                            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000,
                            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 600_000,
                            ProducerConfig.MAX_BLOCK_MS_CONFIG, 600_000),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
        }

        @Override
        void send(int partition, byte[] value) {
            var unused = producer.send(new ProducerRecord<>(TOPICS.getLast(), partition, null, value), (where, why) -> {
                if (why == null) {
                    acknowledged.incrementAndGet();
                } else {
                    failures.add(why);
                }
            });
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    @Test
    void twentyKills_leaveWhatTheOfficialProducerLeaves() throws Exception {
        twenty(Fault.KILL);
    }

    @Test
    void twentyFreezes_leaveWhatTheOfficialProducerLeaves() throws Exception {
        twenty(Fault.FREEZE);
    }

    @Test
    void twentyCuts_leaveWhatTheOfficialProducerLeaves() throws Exception {
        twenty(Fault.CUT);
    }

    @Test
    void twentyMovesOfLeaders_leaveWhatTheOfficialProducerLeaves() throws Exception {
        twenty(Fault.MOVE);
    }

    private static void twenty(Fault fault) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).forked().start();
                FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
            TOPICS.forEach(topic -> cluster.createTopic(topic, PARTITIONS, 3, Map.of("min.insync.replicas", "2")));
            String address = fault == Fault.CUT ? network.bootstrapServers() : cluster.bootstrapServers();
            try (Writer lean = new Lean(address);
                    Writer official = new Official(address)) {
                List<Writer> both = List.of(lean, official);
                both.forEach(Writer::begin);
                for (int round = 0; round < FAULTS; round++) {
                    awaitMore(both, fault + " " + round);
                    happen(fault, round, cluster, network);
                }
                awaitMore(both, "the end");
                for (Writer writer : both) {
                    writer.stop();
                }
                long count = Math.max(lean.sent.get(), official.sent.get());
                for (Writer writer : both) {
                    writer.sendUpTo(count);
                    ConsumerLedger.await(
                            () -> count + " answers, not " + writer.acknowledged + " " + writer.failures,
                            LONG,
                            () -> writer.acknowledged.get() == count || !writer.failures.isEmpty());
                    assertThat(writer.failures).isEmpty();
                }
                List<Long> inLean = partitionsInARow(cluster, TOPICS.getFirst());
                assertThat(inLean).isEqualTo(partitionsInARow(cluster, TOPICS.getLast()));
                assertThat(inLean)
                        .isEqualTo(LongStream.range(0, PARTITIONS)
                                .flatMap(partition ->
                                        LongStream.range(0, count).filter(number -> number % PARTITIONS == partition))
                                .boxed()
                                .toList());
            }
        }
    }

    /** Waits until both writers make progress again. */
    private static void awaitMore(List<Writer> writers, String when) {
        for (Writer writer : writers) {
            long before = writer.acknowledged.get();
            ConsumerLedger.await(
                    () -> "more answers to " + writer.getClass().getSimpleName() + " before " + when + " "
                            + writer.failures,
                    LONG,
                    () -> writer.acknowledged.get() > before + BETWEEN || !writer.failures.isEmpty());
            assertThat(writer.failures).isEmpty();
        }
    }

    private static void happen(Fault fault, int round, KafkaCluster cluster, FaultProxy network) throws Exception {
        Broker broker = cluster.brokers().get(round % cluster.brokers().size());
        switch (fault) {
            case KILL -> {
                broker.kill();
                broker.start();
                TOPICS.forEach(cluster::awaitInSync);
                lead(cluster);
            }
            case FREEZE -> {
                broker.freeze();
                try {
                    ConsumerLedger.await(
                            "another leader", LONG, () -> leaders(cluster).noneMatch(id -> id == broker.id()));
                } finally {
                    broker.thaw();
                }
                TOPICS.forEach(cluster::awaitInSync);
                lead(cluster);
            }
            case CUT -> {
                network.cut();
                network.restore();
            }
            case MOVE -> move(cluster, round);
        }
    }

    private static LongStream leaders(KafkaCluster cluster) {
        try {
            return cluster.admin().describeTopics(TOPICS).allTopicNames().get().values().stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .map(TopicPartitionInfo::leader)
                    .mapToLong(leader -> leader == null ? -1 : leader.id());
        } catch (Exception notNow) {
            return LongStream.of(1, 2, 3);
        }
    }

    /** Moves each partition's leadership back to its first replica. */
    private static void lead(KafkaCluster cluster) throws Exception {
        cluster.admin().electLeaders(ElectionType.PREFERRED, null).partitions().get();
    }

    private static void move(KafkaCluster cluster, int round) throws Exception {
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
        for (String topic : TOPICS) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int first = 1 + (round + partition) % 3;
                moves.put(
                        new TopicPartition(topic, partition),
                        Optional.of(new NewPartitionReassignment(List.of(first, first % 3 + 1, (first + 1) % 3 + 1))));
            }
        }
        cluster.admin().alterPartitionReassignments(moves).all().get();
        lead(cluster);
    }

    /** Returns the numbers of all records, partition by partition, as read by Kafka's own consumer. */
    private static List<Long> partitionsInARow(KafkaCluster cluster, String topic) {
        List<ConsumerRecord<byte[], byte[]>> all =
                Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
        return LongStream.range(0, PARTITIONS)
                .boxed()
                .flatMap(partition ->
                        Records.numbers(all.stream()
                                        .filter(record -> record.partition() == partition)
                                        .toList())
                                .stream())
                .toList();
    }
}
