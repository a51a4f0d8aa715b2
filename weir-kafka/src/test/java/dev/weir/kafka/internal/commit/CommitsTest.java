package dev.weir.kafka.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.fetch.ClientFetcher;
import dev.weir.kafka.internal.lookup.OwnerClock;
import dev.weir.kafka.internal.lookup.SilentLookup;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a transaction commits of what is finished past the first unfinished record. */
class CommitsTest {

    private static final int RECORDS = 5_000;

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final Commits commits = new Commits(
            client,
            new ClientFetcher(client),
            ConsumerSettings.builder()
                    .bootstrapServers("h:1")
                    .commitMetadataChars(512)
                    .build(),
            new SilentLookup(),
            new StandingClock(),
            MemberCommit.NONE);
    private final AssignedPartition partition =
            new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(RECORDS, () -> {}), Long.MAX_VALUE);

    /** The token of each is its offset. */
    private void append() {
        for (int i = 0; i < RECORDS; i++) {
            partition.tracker().append(i, 1);
        }
    }

    // The text that says as much as there is room for was the same before and after: the transaction went without the
    // offset of an input whose records were in it, and an abort had that input not read again.
    @Test
    void whatIsFinishedPastAFullSet_isNotTakenForCommitted() {
        append();
        long next = 1;
        Map<TopicPartition, OffsetAndMetadata> fits = Map.of();
        for (var found = commits.finishedEntirely(List.of(partition));
                found != null;
                found = commits.finishedEntirely(List.of(partition))) {
            fits = found;
            partition.tracker().ack(next);
            next += 2;
        }
        assertThat(fits).isNotEmpty();
        // Each second one up to that before the last is finished; the last one has no room.
        commits.committed(List.of(partition), commits.finished(List.of(partition)));
        assertThat(commits.finished(List.of(partition))).isEmpty();
        assertThat(commits.finishedEntirely(List.of(partition))).isNull();
        for (long token = 0; token < next; token += 2) {
            partition.tracker().ack(token);
        }
        var entire = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        assertThat(Objects.requireNonNull(entire.get(partition.id())).offset()).isEqualTo(next);
    }

    @Test
    void whatIsCommittedEntirely_isNotCommittedAgain() {
        append();
        partition.tracker().ack(0);
        partition.tracker().ack(2);
        var first = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        assertThat(first).hasSize(1);
        commits.committed(List.of(partition), first);
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
    }

    private static final class StandingClock implements OwnerClock {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void park(long nanos) {
            throw new AssertionError("nobody waits");
        }
    }
}
