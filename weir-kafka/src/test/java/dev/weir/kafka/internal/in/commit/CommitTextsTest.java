package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

class CommitTextsTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);
    private static final Uuid TOPIC = new Uuid(7, 8);

    /** The number of characters that a topic id takes. */
    private static final int TOPIC_CHARS = 30;

    private final ManualClock clock = new ManualClock();
    private final Woken client = new Woken();
    private final AssignedPartition partition =
            new AssignedPartition(ID, new OffsetTracker(10, () -> {}), Long.MAX_VALUE);

    private String userText = "";

    CommitTextsTest() {
        for (int offset = 0; offset < 10; offset++) {
            partition.tracker().append(offset, 1);
        }
    }

    private CommitTexts texts(int maxChars) {
        return texts(maxChars, (topic, number, offset) -> userText);
    }

    private CommitTexts texts(int maxChars, CommitMetadata metadata) {
        return new CommitTexts(
                client,
                ConsumerSettings.builder()
                        .bootstrapServers("h:1")
                        .commitMetadataChars(maxChars)
                        .commitMetadata(metadata)
                        .build(),
                clock);
    }

    private void finish(long offset) {
        partition.tracker().ack(offset);
        partition.advance();
    }

    private static String userText(OffsetAndMetadata commit) {
        return CommitMetadata.userText(commit.offset(), commit.metadata());
    }

    // Regression: a metadata function that throws ended the run.
    @Test
    void metadataFunction_thatFailsInAnyWay_costsOnlyItsText() {
        for (Throwable failure : List.of(new StackOverflowError(), new NoClassDefFoundError(), new Unreadable())) {
            CommitTexts texts = texts(1_000, (topic, number, offset) -> {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) failure;
            });
            List<String> log = LoggedLines.of(
                    () -> assertThat(userText(texts.commit(partition, 0))).isEmpty());
            assertThat(log)
                    .singleElement()
                    .asString()
                    .contains("the commit metadata function failed for t-0")
                    .contains(failure.getClass().getName());
        }
    }

    @SuppressWarnings({"serial", "OverrideThrowableToString"}) // toString() itself must fail
    private static final class Unreadable extends RuntimeException {
        @Override
        public String toString() {
            throw new IllegalStateException("unreadable");
        }
    }

    // ---- The room for the user's text ------------------------------------------------------------------------------

    private void assertRoom(CommitTexts texts, int maxChars, int ofWeir) {
        userText = "x".repeat(maxChars - ofWeir);
        OffsetAndMetadata full = texts.commit(partition, 0);
        assertThat(userText(full)).isEqualTo(userText);
        assertThat(full.metadata().length()).isLessThanOrEqualTo(maxChars);
        userText += "x";
        List<String> log = LoggedLines.of(
                () -> assertThat(userText(texts.commit(partition, 0))).isEmpty());
        assertThat(log)
                .singleElement()
                .asString()
                .startsWith("WARN ")
                .contains("t-0")
                .endsWith(userText.length() + " characters do not fit into commitMetadataChars=" + maxChars
                        + " beside the " + ofWeir + " of Weir's own");
        assertThat(LoggedLines.of(() -> texts.commit(partition, 0))).as("once").isEmpty();
        userText = "x".repeat(maxChars - ofWeir);
    }

    @Test
    void usersText_hasAllTheRoomButTheFrame() {
        assertRoom(texts(100), 100, CommitText.OVERHEAD_CHARS);
    }

    @Test
    void usersText_hasTheRoomBesideTheTopicId() {
        partition.identified(TOPIC);
        CommitTexts texts = texts(100);
        assertRoom(texts, 100, CommitText.OVERHEAD_CHARS + TOPIC_CHARS);
        assertThat(texts.topicId(texts.commit(partition, 0))).isEqualTo(TOPIC);
    }

    @Test
    void usersText_hasTheRoomBesideTheStartSize() {
        CommitTexts texts = texts(100);
        texts.startSize("t", 0);
        assertRoom(texts, 100, CommitText.OVERHEAD_CHARS + CommitText.SIZE_CHARS);
        assertThat(CommitText.startSize(texts.commit(partition, 0).metadata())).isZero();
    }

    @Test
    void usersText_hasTheRoomBesideBoth() {
        partition.identified(TOPIC);
        CommitTexts texts = texts(100);
        texts.startSize("t", Integer.MAX_VALUE);
        assertRoom(texts, 100, CommitText.OVERHEAD_CHARS + CommitText.SIZE_CHARS + TOPIC_CHARS);
        OffsetAndMetadata commit = texts.commit(partition, 0);
        assertThat(texts.topicId(commit)).isEqualTo(TOPIC);
        assertThat(CommitText.startSize(commit.metadata())).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void usersFunction_thatThrows_leavesTheCommitWithoutItsText() {
        CommitTexts texts = texts(100, (topic, number, offset) -> {
            throw new IllegalStateException("no text for " + topic + "-" + number + "@" + offset);
        });
        finish(2);
        assertThat(LoggedLines.of(() -> assertThat(texts.finishedPast(ID, texts.commit(partition, 0))
                                .contains(2))
                        .isTrue()))
                .singleElement()
                .asString()
                .contains("no text for t-0@0");
    }

    // ---- The finished set ------------------------------------------------------------------------------------------

    @Test
    void metadata_thatIsTurnedOff_isNeitherWrittenNorRead() {
        finish(2);
        OffsetAndMetadata written = texts(100).commit(partition, 0);
        CommitTexts off = texts(0);
        assertThat(off.areWritten()).isFalse();
        assertThat(texts(1).areWritten()).isTrue();
        userText = "text";
        partition.identified(TOPIC);
        assertThat(LoggedLines.of(
                        () -> assertThat(off.commit(partition, 0).metadata()).isEmpty()))
                .as("the user's function is not called")
                .isEmpty();
        assertThat(off.finishedPast(ID, written)).isSameAs(FinishedSet.EMPTY);
        assertThat(texts(100).finishedPast(ID, written).contains(2)).isTrue();
        assertThat(off.commitEntirely(partition, 0)).isNull();
        finish(0);
        finish(1);
        assertThat(off.commitEntirely(partition, 3)).isEqualTo(new OffsetAndMetadata(3));
    }

    @Test
    void metadata_thatCannotBeRead_isIgnored_andLogged() {
        CommitTexts texts = texts(100);
        OffsetAndMetadata foreign = new OffsetAndMetadata(5, "of another program");
        List<String> log =
                LoggedLines.of(() -> assertThat(texts.finishedPast(ID, foreign)).isSameAs(FinishedSet.EMPTY));
        assertThat(log).singleElement().asString().startsWith("WARN ").contains("t-0@5", "not written by Weir");
    }

    // ---- The start size --------------------------------------------------------------------------------------------

    /** Partitions added after the group's start are read from their beginning, so the lowest number counts. */
    @Test
    void startSize_isTheSmallestOne_alsoOfCommitsThatAreRead() {
        CommitTexts texts = texts(100);
        assertThat(CommitText.startSize(texts.commit(partition, 0).metadata())).isEqualTo(CommitText.NO_SIZE);
        int before = texts.version();
        texts.startSize("t", 4);
        assertThat(texts.version()).as("commits change").isNotEqualTo(before);
        texts.startSize("t", 6);
        texts.startSize("other", 2);
        assertThat(CommitText.startSize(texts.commitAhead(partition, 0).metadata()))
                .isEqualTo(4);
        OffsetAndMetadata read = new OffsetAndMetadata(0, CommitText.withStartSize("", 0, 100));
        assertThat(texts.finishedPast(ID, read).isEmpty()).isTrue();
        assertThat(CommitText.startSize(texts.commit(partition, 0).metadata())).isZero();
        before = texts.version();
        assertThat(texts.finishedPast(ID, new OffsetAndMetadata(0, "")).isEmpty())
                .isTrue();
        assertThat(texts.version()).as("it says nothing").isEqualTo(before);
    }

    @Test
    void commitAhead_carriesTopicIdAndStartSize() {
        partition.identified(TOPIC);
        CommitTexts texts = texts(100);
        texts.startSize("t", 3);
        OffsetAndMetadata commit = texts.commitAhead(partition, 5);
        assertThat(texts.topicId(commit)).isEqualTo(TOPIC);
        assertThat(CommitText.startSize(commit.metadata())).isEqualTo(3);
    }

    // ---- The group's commits ---------------------------------------------------------------------------------------

    /** A client whose first queries are each interrupted after 10 ms. */
    private final class Woken extends MockConsumer<byte[], byte[]> {

        private final List<Long> patience = new ArrayList<>();
        private int wakeUps;

        Woken() {
            super("earliest");
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
            patience.add(timeout.toMillis());
            if (wakeUps-- > 0) {
                clock.nanos += Duration.ofMillis(10).toNanos();
                throw new WakeupException();
            }
            return Map.of(ID, new OffsetAndMetadata(3));
        }
    }

    @Test
    void wakeUp_thatWasMeantForAPoll_doesNotEndTheQueryForCommits() {
        clock.nanos = Duration.ofMinutes(1).toNanos();
        client.wakeUps = 2;
        assertThat(texts(0).committed(Set.of(ID), Duration.ofMillis(25).toNanos()))
                .isEqualTo(Map.of(ID, new OffsetAndMetadata(3)));
        assertThat(client.patience).containsExactly(25L, 15L, 5L);
        client.wakeUps = Integer.MAX_VALUE;
        assertThatExceptionOfType(WakeupException.class)
                .isThrownBy(() ->
                        texts(0).committed(Set.of(ID), Duration.ofMillis(20).toNanos()));
        assertThat(client.patience).endsWith(20L, 10L, 0L);
    }
}
