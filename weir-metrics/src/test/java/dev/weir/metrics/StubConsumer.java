package dev.weir.metrics;

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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.TopicPartition;

/** A consumer with a test's partitions. Each has 3 records in flight, 4 buffered, and a lag of 10. */
final class StubConsumer implements ConsumerHandle {

    private final String reads;
    final List<PartitionDump> partitions = new CopyOnWriteArrayList<>();
    volatile Runnable onDump = () -> {};
    volatile ConsumerHealth health = ConsumerHealth.of(true, true, true, "", null);

    StubConsumer(String reads) {
        this.reads = reads;
    }

    static PartitionDump partition(int number, Duration oldest, Paused... paused) {
        return PartitionDump.builder()
                .topic("orders")
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
    public long outstandingBytes() {
        return 4096;
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
        onDump.run();
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
        return false;
    }

    @Override
    public CompletionStage<Void> pause() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> pause(String topic) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> pause(Collection<TopicPartition> ids) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> resume() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> resume(String topic) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> resume(Collection<TopicPartition> ids) {
        throw new UnsupportedOperationException();
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
