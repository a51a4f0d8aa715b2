package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.lean.RecordView;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import net.openhft.affinity.Affinity;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how two fetch threads of one consumer divide the partitions, follow a leader that moves, and end. */
@Timeout(180)
class FetchThreadsTest {

    private static final Path STATUS = Path.of("/proc/thread-self/status");

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int PARTITIONS = 6;
    private static final int ROUND = 20_000;

    // Of the fetch threads.
    private final Map<Integer, String> readers = new ConcurrentHashMap<>(); // by partition, who decoded last

    // Of the sink's thread.
    private final long[] next = new long[PARTITIONS];
    private final AtomicLong records = new AtomicLong();
    private final AtomicReference<String> disorder = new AtomicReference<>("");

    private record Seen(int partition, long offset) {}

    private Seen decode(RecordView record) {
        readers.put(record.partition(), Thread.currentThread().getName());
        return new Seen(record.partition(), record.offset());
    }

    private void check(Seen record) {
        if (record.offset() != next[record.partition()]) {
            disorder.compareAndSet("", record + " instead of " + next[record.partition()]);
        }
        next[record.partition()] = record.offset() + 1;
        records.incrementAndGet();
    }

    private RunningPipeline run(KafkaCluster cluster, String topic, String protocol) {
        var settings = ConsumerLedger.settings(cluster, topic)
                .fetch(FetchPath.LEAN)
                .fetchThreads(2)
                .property("group.protocol", protocol)
                .property("metadata.max.age.ms", "1000")
                .build();
        return KafkaSource.from(settings, Subscription.topics(topic))
                .decodedBy(this::decode)
                .atLeastOnce()
                .to(Sink.forEach(this::check))
                .run();
    }

    /** Returns the number of partitions that each thread was the last to read. */
    private List<Long> readersByThread() {
        return readers.values().stream()
                .collect(Collectors.groupingBy(name -> name, Collectors.counting()))
                .values()
                .stream()
                .sorted()
                .toList();
    }

    private void produceAndAwait(KafkaCluster cluster, String topic, int round) {
        Records.produce(cluster.bootstrapServers(), topic, (round - 1L) * ROUND, ROUND);
        Awaitility.await().atMost(LONG).until(() -> records.get() >= (long) round * ROUND);
        assertThat(disorder).hasValue("");
        assertThat(records).hasValue((long) round * ROUND);
    }

    private static Set<String> fetchThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains("-fetch-"))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void leaderMoves_partitionChangesItsThread_eachRecordComesOnceInOrder(String protocol) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(2).start()) {
            cluster.createTopic("moves", PARTITIONS);
            try (RunningPipeline running = run(cluster, "moves", protocol)) {
                produceAndAwait(cluster, "moves", 1);
                int round = awaitRound(cluster, "moves", 1, () -> isDivided(cluster, "moves"));
                Map<Integer, String> before = Map.copyOf(readers);

                LeanThreadsTest.moveOneLeader(cluster, "moves");
                awaitRound(cluster, "moves", round, () -> isDivided(cluster, "moves"));
                assertThat(Map.copyOf(readers)).isNotEqualTo(before);

                Awaitility.await()
                        .atMost(LONG)
                        .until(() -> cluster.committedOffsets("moves").equals(cluster.endOffsets("moves")));
                assertThat(fetchThreads()).hasSize(2);
                assertThat(running.drain(LONG).drained()).isTrue();
            }
            assertThat(fetchThreads()).isEmpty();
        }
    }

    /** Writes rounds of records until the expected fetch threads read the partitions. Returns the last round. */
    private int awaitRound(KafkaCluster cluster, String topic, int lastRound, Callable<Boolean> isWellRead)
            throws Exception {
        int round = lastRound;
        long deadline = System.nanoTime() + LONG.toNanos();
        do {
            assertThat(System.nanoTime())
                    .as("divided within %s: %s", LONG, readers)
                    .isLessThan(deadline);
            produceAndAwait(cluster, topic, ++round);
        } while (!isWellRead.call());
        return round;
    }

    private boolean isDivided(KafkaCluster cluster, String topic) throws Exception {
        Map<Integer, Set<String>> threadsByLeader = LeanThreadsTest.partitions(cluster, topic).stream()
                .collect(Collectors.groupingBy(
                        (TopicPartitionInfo partition) -> partition.leader().id(),
                        Collectors.mapping(
                                partition -> readers.getOrDefault(partition.partition(), "nobody"),
                                Collectors.toSet())));
        return threadsByLeader.size() == 2
                && threadsByLeader.values().stream().allMatch(threads -> threads.size() == 1)
                && new HashSet<>(readers.values()).size() == 2;
    }

    @Test
    void oneBroker_itsPartitionsAreDividedAmongBothThreads_andAPausedOneStands() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("shared", PARTITIONS);
            try (RunningPipeline running = run(cluster, "shared", "consumer")) {
                // At first, threads divide only the partitions with a known leader.
                int round =
                        awaitRound(cluster, "shared", 0, () -> readersByThread().equals(List.of(3L, 3L)));

                ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
                TopicPartition first = new TopicPartition("shared", 0);
                consumer.pause(Set.of(first)).toCompletableFuture().join();
                long stood = next[0];
                Records.produce(cluster.bootstrapServers(), "shared", (long) round * ROUND, ROUND);
                long end = cluster.endOffsets("shared").getOrDefault(first, 0L);
                Awaitility.await().atMost(LONG).until(() -> records.get() == (round + 1L) * ROUND - (end - stood));
                consumer.resume(Set.of(first)).toCompletableFuture().join();
                Awaitility.await().atMost(LONG).until(() -> records.get() == (round + 1L) * ROUND);
                assertThat(disorder).hasValue("");
            }
            assertThat(fetchThreads()).isEmpty();
        }
    }

    @Test
    void fetchCpus_bindTheThreadsThatFetch() throws Exception {
        assumeThat(STATUS).exists();
        int[] cpus = Affinity.getAffinity().stream().limit(2).toArray();
        assumeThat(cpus).hasSize(2);
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            assertBound(cluster, cpus[1]);
            assertBound(cluster, cpus);
        }
    }

    private void assertBound(KafkaCluster cluster, int... cpus) throws Exception {
        String topic = "bound-" + cpus.length;
        Map<String, String> bound = new ConcurrentHashMap<>();
        Set<String> ofHandlers = ConcurrentHashMap.newKeySet();
        cluster.createTopic(topic, cpus.length);
        Records.produce(cluster.bootstrapServers(), topic, 0, 1_000);
        var settings = ConsumerLedger.settings(cluster, topic)
                .fetch(FetchPath.LEAN)
                .fetchThreads(cpus.length)
                .fetchCpus(cpus)
                .build();
        try (RunningPipeline running = KafkaSource.from(
                        settings, Subscription.topics(topic).untilEnd())
                .<Integer>decodedBy(view -> {
                    bound.computeIfAbsent(Thread.currentThread().getName(), thread -> allowed());
                    return view.partition();
                })
                .atLeastOnce()
                .to(Sink.forEach(partition -> ofHandlers.add(allowed())))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ofHandlers).as("not bound").containsExactly(allowed());
        assertThat(bound.values())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(cpus).mapToObj(Integer::toString).toList());
    }

    /** Returns the CPUs that the calling thread may use. */
    private static String allowed() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list"))
                    .map(line -> line.substring(line.indexOf('\t') + 1))
                    .collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
