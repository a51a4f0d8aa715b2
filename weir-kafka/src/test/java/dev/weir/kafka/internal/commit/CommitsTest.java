package dev.weir.kafka.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.fetch.ClientFetcher;
import dev.weir.kafka.internal.offsets.CommitText;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a transaction commits of what is finished past the first unfinished record. */
class CommitsTest {

    private static final int RECORDS = 5_000;
    private static final int MEGABYTE = 1 << 20;
    private static final TopicPartition ID = new TopicPartition("t", 0);

    private final GoneTopic topic = new GoneTopic(ID);
    private final Commits commits = commits(512);
    private final AssignedPartition partition = partition(RECORDS);

    private Commits commits(int metadataChars) {
        MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
        return new Commits(
                client,
                new ClientFetcher(client),
                ConsumerSettings.builder()
                        .bootstrapServers("h:1")
                        .commitMetadataChars(metadataChars)
                        .build(),
                topic,
                new ManualClock(),
                MemberCommit.NONE);
    }

    /** With so many records, of which the token of each is its offset. */
    private static AssignedPartition partition(int records) {
        AssignedPartition partition = new AssignedPartition(ID, new OffsetTracker(records, () -> {}), Long.MAX_VALUE);
        for (int i = 0; i < records; i++) {
            partition.tracker().append(i, 1);
        }
        return partition;
    }

    // The text that says as much as there is room for was the same before and after: the transaction went without the
    // offset of an input whose records were in it, and an abort had that input not read again.
    @Test
    void whatIsFinishedPastAFullSet_isNotTakenForCommitted() {
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
        assertThat(Objects.requireNonNull(entire.get(ID)).offset()).isEqualTo(next);
    }

    // A set is looked up to so many runs and no further: what is past them would go without its offset, too.
    @Test
    void whatIsFinishedPastTheMostRuns_isNotTakenForCommitted_thoughThereIsRoom() {
        int runs = CommitText.MAX_RUNS;
        AssignedPartition scattered = partition(2 * runs + 2);
        Commits roomy = commits(MEGABYTE);
        for (int run = 1; run < runs; run++) {
            scattered.tracker().ack(2L * run - 1);
        }
        assertThat(roomy.finishedEntirely(List.of(scattered))).hasSize(1);
        scattered.tracker().ack(2L * runs - 1);
        scattered.tracker().ack(2L * runs + 1);
        assertThat(roomy.finishedEntirely(List.of(scattered))).isNull();
    }

    @Test
    void whatIsCommittedEntirely_isNotCommittedAgain() {
        partition.tracker().ack(0);
        partition.tracker().ack(2);
        var first = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        assertThat(first).hasSize(1);
        commits.committed(List.of(partition), first);
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
    }

    @Test
    void whatIsFinishedPastTheSameOffset_isCommitted() {
        partition.tracker().ack(2);
        commits.committed(List.of(partition), Objects.requireNonNull(commits.finishedEntirely(List.of(partition))));
        partition.tracker().ack(4);
        var next = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        OffsetAndMetadata commit = Objects.requireNonNull(next.get(ID));
        assertThat(commit.offset()).isZero();
        assertThat(commits.texts().finishedPast(ID, commit).contains(4)).isTrue();
    }

    // The broker may have just started and not know it yet: its records would be committed without their offset.
    @Test
    void partitionThatIsTakenForGone_goesWithItsTransaction_andWithNoOtherCommit() {
        partition.tracker().ack(0);
        commits.lookForGone(Set.of(ID));
        assertThat(commits.isGone(ID)).isTrue();
        assertThat(commits.finishedEntirely(List.of(partition))).containsOnlyKeys(ID);
        assertThat(commits.finished(List.of(partition))).isEmpty();
    }

    @Test
    void partitionThatIsHeld_isNotCommitted() {
        partition.tracker().ack(0);
        partition.open(null);
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
        assertThat(commits.finished(List.of(partition))).isEmpty();
    }
}
