package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.LeanThreads;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests two lean threads that read from two brokers while leaders move and partitions are added. Each record must be
 * seen once, in order.
 */
class LeanThreadsTest {
    private static final String TOPIC = "clicks";
    private static final int PARTITIONS = 6;
    private static final int ROUND = 20_000;
    private static final Duration LONG = Duration.ofMinutes(2);

    // Indexed by partition. Plain arrays suffice: a partition's next thread sees the writes of the previous one.
    private final long[] next = new long[PARTITIONS + 2];
    private final int[] owner = new int[PARTITIONS + 2]; // its thread's number, from 1
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong records = new AtomicLong();

    private RecordHandler checking(int thread) {
        return record -> {
            int partition = record.partition();
            if (record.offset() != next[partition]) {
                throw new IllegalStateException("partition " + partition + ": offset " + record.offset()
                        + " instead of " + next[partition] + " on thread " + thread);
            }
            next[partition]++;
            if (owner[partition] != thread + 1) {
                changes.addAndGet(owner[partition] == 0 ? 0 : 1);
                owner[partition] = thread + 1;
            }
            records.incrementAndGet();
        };
    }

    @Test
    @Timeout(300)
    void leadersMove_eachRecordComesOnce_andNoBrokerIsAskedByTwo() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(2).start()) {
            cluster.createTopic(TOPIC, PARTITIONS);
            LeanSettings settings = LeanSettings.builder()
                    .bootstrapServers(cluster.bootstrapServers())
                    .metadataMaxAge(Duration.ofSeconds(1))
                    .build();
            try (LeanThreads threads = LeanThreads.builder(settings)
                    .topic(TOPIC, StartAt.beginning())
                    .threads(2)
                    .records(this::checking)
                    .start()) {
                awaitDivided(cluster, threads, PARTITIONS);
                produceAndAwait(cluster, threads, 1);

                moveOneLeader(cluster, TOPIC);
                produceAndAwait(cluster, threads, 2);
                awaitDivided(cluster, threads, PARTITIONS);

                cluster.admin()
                        .createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(PARTITIONS + 2)))
                        .all()
                        .get();
                awaitDivided(cluster, threads, PARTITIONS + 2);
                produceAndAwait(cluster, threads, 3);
                assertThat(changes).hasPositiveValue();
            }
        }
    }

    private void produceAndAwait(KafkaCluster cluster, LeanThreads threads, int round) {
        Records.produce(cluster.bootstrapServers(), TOPIC, (round - 1L) * ROUND, ROUND);
        await(threads, () -> records.get() >= (long) round * ROUND);
        assertThat(records).hasValue((long) round * ROUND);
    }

    /** Waits until each partition has a thread and no two threads read from the same broker. */
    private static void awaitDivided(KafkaCluster cluster, LeanThreads threads, int partitions) {
        await(threads, () -> {
            Map<TopicPartition, Integer> owners = threads.owners();
            Map<Integer, Set<Integer>> threadsByLeader = new HashMap<>();
            for (TopicPartitionInfo partition : partitions(cluster, TOPIC)) {
                Integer thread = owners.get(new TopicPartition(TOPIC, partition.partition()));
                if (thread == null || partition.leader() == null) {
                    return false;
                }
                threadsByLeader
                        .computeIfAbsent(partition.leader().id(), leader -> new HashSet<>())
                        .add(thread);
            }
            return owners.size() == partitions
                    && threadsByLeader.size() == 2
                    && threadsByLeader.values().stream().allMatch(each -> each.size() == 1)
                    && new HashSet<>(owners.values()).size() == 2;
        });
    }

    private static void await(LeanThreads threads, Callable<Boolean> condition) {
        Awaitility.await().atMost(LONG).until(() -> {
            if (threads.completion().toCompletableFuture().isDone()) {
                threads.completion().toCompletableFuture().join(); // fails with the reason
            }
            return condition.call();
        });
    }

    static void moveOneLeader(KafkaCluster cluster, String topic) throws Exception {
        TopicPartitionInfo first = partitions(cluster, topic).getFirst();
        List<Integer> replicas =
                new ArrayList<>(first.replicas().stream().map(Node::id).toList());
        Collections.rotate(replicas, -1 - replicas.indexOf(first.leader().id()));
        TopicPartition partition = new TopicPartition(topic, first.partition());
        cluster.admin()
                .alterPartitionReassignments(Map.of(partition, Optional.of(new NewPartitionReassignment(replicas))))
                .all()
                .get();
        Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> {
            var unused = cluster.admin()
                    .electLeaders(ElectionType.PREFERRED, Set.of(partition))
                    .partitions()
                    .get();
            return partitions(cluster, topic).getFirst().leader().id() == replicas.getFirst();
        });
    }

    static List<TopicPartitionInfo> partitions(KafkaCluster cluster, String topic) throws Exception {
        return cluster.admin()
                .describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions();
    }
}
