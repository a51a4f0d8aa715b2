package dev.weir.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.ConsumerSettings;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commits of a replay, and how the next run reads them. */
class PartitionProgressTest {

    @Test
    void recordsThatAreDone_areCommittedAsAnOffset() {
        PartitionProgress progress = PartitionProgress.of(new OffsetAndMetadata(10));
        progress.done(10);
        progress.done(12);
        assertThat(progress.position(null)).isEqualTo(new OffsetAndMetadata(13));
    }

    /** Regression: a run without a group kept an entry in memory for each record that it could not send. */
    @Test
    void recordsThatAreLeft_withoutAGroup_areNotKept() {
        PartitionProgress progress = PartitionProgress.withoutGroup();
        for (long offset = 10; offset < 100_010; offset++) {
            progress.left(offset);
        }
        assertThat(progress.isFull()).isFalse();
        assertThat(progress.firstLeft()).isEqualTo(10);
        assertThat(progress.isDone(100_010)).isFalse();
        progress.left(7);
        assertThat(progress.firstLeft()).as("reported later").isEqualTo(7);
    }

    @Test
    void recordsThatAreLeft_areTheOnlyOnesOfTheNextRun() {
        PartitionProgress first = PartitionProgress.of(null);
        for (long offset = 1_000_000_000_000L; offset < 1_000_000_000_010L; offset++) {
            if (offset % 10 == 2 || (offset % 10 >= 4 && offset % 10 <= 6)) {
                first.left(offset);
            } else {
                first.done(offset);
            }
        }
        OffsetAndMetadata committed = first.position(null);
        assertThat(committed).isEqualTo(new OffsetAndMetadata(1_000_000_000_002L, "weir-replay:8:0,2-4"));

        PartitionProgress next = PartitionProgress.of(committed);
        assertThat(next.isDone(1_000_000_000_002L)).isFalse();
        assertThat(next.isDone(1_000_000_000_003L)).isTrue();
        assertThat(next.isDone(1_000_000_000_005L)).isFalse();
        assertThat(next.isDone(1_000_000_000_009L)).isTrue();
        assertThat(next.isDone(1_000_000_000_010L)).isFalse();
        next.done(1_000_000_000_002L);
        assertThat(next.position(null)).isEqualTo(new OffsetAndMetadata(1_000_000_000_004L, "weir-replay:6:0-2"));
        for (long offset = 1_000_000_000_004L; offset < 1_000_000_000_007L; offset++) {
            next.done(offset);
        }
        assertThat(next.position(null)).isEqualTo(new OffsetAndMetadata(1_000_000_000_010L));
    }

    @Test
    void commit_withATopicId_isReadLikeOneWithout() {
        Uuid id = Uuid.randomUuid();
        PartitionProgress first = PartitionProgress.of(new OffsetAndMetadata(10));
        first.left(10);
        first.done(11);
        OffsetAndMetadata committed = first.position(id);
        assertThat(CommitMetadata.topicId(committed.offset(), committed.metadata()))
                .isEqualTo(id);
        PartitionProgress next = PartitionProgress.of(committed);
        assertThat(next.isDone(10)).isFalse();
        assertThat(next.isDone(11)).isTrue();
        assertThat(next.position(null)).isEqualTo(new OffsetAndMetadata(10, "weir-replay:2:0"));
    }

    /** Regression: after more than 100,000 adjacent failures, the next replay sent later records twice. */
    @Test
    void adjacentRecordsThatAreLeft_areReadByTheNextRun_untilTheProgressIsFull() {
        PartitionProgress progress = PartitionProgress.of(null);
        long offset = 0;
        while (!progress.isFull() && offset < 200_000) {
            for (int i = 0; i < 200; i++) {
                progress.left(offset++);
            }
        }
        progress.done(offset);
        PartitionProgress next = PartitionProgress.of(progress.position(null));
        assertThat(next.isDone(offset)).isTrue();
        assertThat(next.isDone(offset - 1)).isFalse();
        assertThat(progress.isFull()).isTrue();
    }

    /** Leaves every other record of two polls of 500 records. */
    @Test
    void manyRecordsThatAreLeft_fitIntoACommit_untilItIsFull() {
        PartitionProgress progress = PartitionProgress.of(null);
        long offset = 5_000_000_000L;
        while (!progress.isFull()) {
            for (int i = 0; i < 500; i += 2) {
                progress.left(offset++);
                progress.done(offset++);
            }
            assertThat(progress.position(null).metadata()).hasSizeBetween(1, 4_000);
        }
        assertThat(offset).isGreaterThan(5_000_000_500L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "by hand",
                "weir-replay:",
                "weir-replay:5:",
                "weir-replay:5:0,9",
                "weir-replay:5:0-99999999999"
            })
    void otherMetadata_isNone(String metadata) {
        PartitionProgress progress = PartitionProgress.of(new OffsetAndMetadata(3, metadata));
        assertThat(progress.isDone(2)).isTrue();
        assertThat(progress.isDone(3)).isFalse();
        assertThat(progress.isDone(4)).isFalse();
        assertThat(progress.position(null)).isEqualTo(new OffsetAndMetadata(3));
    }

    /** If the metadata does not fit, the next run repeats records after the committed offset. */
    @Test
    void largestPoll_fitsIntoACommit_thatIsNearlyFull() {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers("localhost:9092")
                .groupId("mend")
                .build();
        int polled = (int)
                Objects.requireNonNull(Replay.consumerConfig(settings).get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));
        PartitionProgress progress = PartitionProgress.of(null);
        long offset = 0;
        while (true) {
            progress.left(offset);
            if (progress.isFull()) {
                break;
            }
            offset += 2;
            progress.done(offset - 1);
        }
        // A transactional topic's offsets have gaps, so each record is a separate range.
        for (int i = 0; i < polled; i++) {
            offset += 100_000;
            progress.left(offset);
        }
        assertThat(progress.position(null).metadata()).isNotEmpty();
    }

    @Test
    void metadata_asLongAsABrokerAccepts_isRead() {
        String most = "weir-replay:9999:0" + ",3".repeat(2_038);
        PartitionProgress progress = PartitionProgress.of(new OffsetAndMetadata(5, most));
        assertThat(progress.isDone(7)).isTrue();
        assertThat(progress.isDone(8)).isFalse();
    }
}
