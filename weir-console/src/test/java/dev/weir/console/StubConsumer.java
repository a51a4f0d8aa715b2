package dev.weir.console;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/** A consumer with a test's snapshot. Records pauses. */
final class StubConsumer implements ConsumerHandle {

    private final String reads;
    final List<PartitionDump> partitions = new CopyOnWriteArrayList<>();
    final Set<String> paused = ConcurrentHashMap.newKeySet();
    final AtomicInteger dumps = new AtomicInteger();
    volatile ConsumerHealth health = ConsumerHealth.of(true, true, true, "", null);

    StubConsumer(String reads) {
        this.reads = reads;
    }

    static PartitionDump partition(int number, Duration oldest, Paused... paused) {
        return partition("orders", number, oldest, paused);
    }

    static PartitionDump partition(String topic, int number, Duration oldest, Paused... paused) {
        return PartitionDump.builder()
                .topic(topic)
                .partition(number)
                .epoch(1)
                .buffered(4)
                .inFlight(3)
                .oldest(oldest.isZero() ? null : Oldest.of(5, oldest, null, Oldest.IN_FLIGHT))
                .paused(Set.of(paused))
                .committed(5)
                .sinceCommit(Duration.ofSeconds(10L + number))
                .position(12)
                .lag(10)
                .lagTime(oldest.multipliedBy(2))
                .build();
    }

    @Override
    public ConsumerSnapshot snapshot() {
        List<PartitionSnapshot> snapshots = partitions.stream()
                .map(each ->
                        PartitionSnapshot.of(each.topic(), each.partition(), false, 7, each.committed(), each.lag()))
                .toList();
        return ConsumerSnapshot.of(snapshots, 4 * snapshots.size(), 20, 2, 1);
    }

    @Override
    public ConsumerSnapshot snapshot(Duration within) {
        return snapshot();
    }

    @Override
    public ConsumerDump dump() {
        dumps.incrementAndGet();
        return ConsumerDump.builder()
                .at(Instant.now())
                .reads(reads)
                .state("running")
                .sinceLastPoll(Duration.ofMillis(50))
                .assignments(2)
                .rebalances(1)
                .commits(20)
                .failedCommits(2)
                .partitions(List.copyOf(partitions))
                .build();
    }

    @Override
    public ConsumerHealth health(Duration stall) {
        return health;
    }

    @Override
    public boolean isPaused() {
        return paused.contains("all");
    }

    @Override
    public CompletionStage<Void> pause() {
        paused.add("all");
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> pause(String topic) {
        paused.add(topic);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused.add(id.toString()));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resume() {
        paused.clear();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resume(String topic) {
        paused.remove(topic);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resume(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused.remove(id.toString()));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> seek(Map<TopicPartition, Position> positions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions) {
        throw new UnsupportedOperationException();
    }
}
