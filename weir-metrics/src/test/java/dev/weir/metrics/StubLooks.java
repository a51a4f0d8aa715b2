package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Consumers and producers with a test's figures. */
final class StubLooks {

    private StubLooks() {}

    /** Returns an empty partition of {@code orders}, read to its end. */
    static Partition partition(int number) {
        return new Partition(number, 0, 0, 0, Set.of(), null, Duration.ZERO);
    }

    /** Figures of one partition. */
    record Partition(
            int number,
            int buffered,
            int inFlight,
            long lag,
            Set<Paused> paused,
            @Nullable String trouble,
            Duration windowFull) {

        Partition buffered(int records) {
            return new Partition(number, records, inFlight, lag, paused, trouble, windowFull);
        }

        Partition inFlight(int records) {
            return new Partition(number, buffered, records, lag, paused, trouble, windowFull);
        }

        Partition lag(long records) {
            return new Partition(number, buffered, inFlight, records, paused, trouble, windowFull);
        }

        Partition paused(Paused... reasons) {
            return new Partition(number, buffered, inFlight, lag, Set.of(reasons), trouble, windowFull);
        }

        Partition trouble(String words) {
            return new Partition(number, buffered, inFlight, lag, paused, words, windowFull);
        }

        /** Sets the total time for which the window was full. */
        Partition windowFull(Duration time) {
            return new Partition(number, buffered, inFlight, lag, paused, trouble, time);
        }

        private PartitionDump dump() {
            return PartitionDump.builder()
                    .topic("orders")
                    .partition(number)
                    .epoch(1)
                    .buffered(buffered)
                    .inFlight(inFlight)
                    .paused(paused)
                    .lag(lag)
                    .trouble(trouble)
                    .windowFull(windowFull)
                    .build();
        }
    }

    static List<ConsumerLook> consumer(Partition... partitions) {
        return consumer(0, 0, null, partitions);
    }

    /** Returns a consumer without partitions. {@code assignments} is 0 until the group admits it. */
    static List<ConsumerLook> unassigned(int assignments) {
        return consumer(assignments, 0, 0, null);
    }

    static List<ConsumerLook> consumer(
            long commits, long failedCommits, @Nullable Instant noAnswerSince, Partition... partitions) {
        return consumer(1, commits, failedCommits, noAnswerSince, partitions);
    }

    private static List<ConsumerLook> consumer(
            int assignments,
            long commits,
            long failedCommits,
            @Nullable Instant noAnswerSince,
            Partition... partitions) {
        List<PartitionDump> dumps =
                Arrays.stream(partitions).map(Partition::dump).toList();
        int buffered = dumps.stream().mapToInt(PartitionDump::buffered).sum();
        return List.of(ConsumerLook.of(
                ConsumerSnapshot.of(List.of(), buffered, commits, failedCommits, 0),
                ConsumerDump.builder()
                        .at(Instant.EPOCH)
                        .reads("[orders]")
                        .state("running")
                        .assignments(assignments)
                        .commits(commits)
                        .failedCommits(failedCommits)
                        .partitions(dumps)
                        .noAnswerSince(noAnswerSince)
                        .build()));
    }

    /** Returns a consumer whose decoder has run for the given time on several threads. */
    static List<ConsumerLook> decoding(long nanos, int threads, Partition... partitions) {
        return consumer(partitions).stream()
                .map(each -> ConsumerLook.of(
                        each.counters(),
                        each.dump().toBuilder()
                                .decodeNanos(nanos)
                                .decodeThreads(threads)
                                .build()))
                .toList();
    }

    static List<ProducerHandle.Snapshot> noProducer() {
        return List.of();
    }

    /** Returns a producer of the stage {@code out}, with a buffer of 100 bytes. */
    static List<ProducerHandle.Snapshot> producer(
            long unanswered, double freeBytes, long blockedNanos, double queueMillis, double requestMillis) {
        return List.of(ProducerHandle.Snapshot.of(
                "out", unanswered, 100, freeBytes, blockedNanos, queueMillis, requestMillis));
    }
}
