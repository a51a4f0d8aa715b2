package dev.weir.kafka.internal.in.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that commits of earlier versions stay readable. Never change an existing line: users' groups still contain such
 * commits.
 */
class CompatibilityTest {

    private static final Uuid TOPIC = Uuid.fromString("3q2-7wAAQACAAAAAAAAAAQ");

    /** A commit text, the offset with which it was committed, and its expected contents. */
    record Golden(
            long committed,
            String text,
            FinishedSet finished,
            String userText,
            int startSize,
            @Nullable Uuid topic) {}

    static Stream<Golden> texts() {
        return Stream.of(
                golden(5, "", runs(), ""),
                golden(5, "weir1::host-7", runs(), "host-7"),
                golden(5, "weir1:AB48hhYCAg:", runs(7, 9), ""),
                golden(5, "weir1:APq8U4YCAh8BvweImwQ:host-7: a.b", runs(7, 9, 40, 41, 1_000, 70_000), "host-7: a.b"),
                golden(9_000_000_000L, "weir1:AH6OTfMDEQ:", runs(9_000_000_003L, 9_000_000_020L), ""),
                // Offset ranges of more than 256 bytes are compressed.
                golden(1_000, "weir1:AcvfrlQFwQEJAAAAAJD8Pw0" + "A".repeat(98) + "IA:", everyOther(1_001, 300), ""),
                // Commit metadata with the number of partitions (ADR 58) and the topic's id (ADR 57).
                new Golden(0, "weir1:n12.:", runs(), "", 12, null),
                new Golden(5, "weir1:n12.AB48hhYCAg:host-7", runs(7, 9), "host-7", 12, null),
                new Golden(5, "weir1:t3q2-7wAAQACAAAAAAAAAAQHQOccw.:", runs(), "", CommitText.NO_SIZE, TOPIC),
                new Golden(
                        5,
                        "weir1:n12.t3q2-7wAAQACAAAAAAAAAAQHQOccw.AB48hhYCAg:host-7",
                        runs(7, 9),
                        "host-7",
                        12,
                        TOPIC));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void text_ofAnEarlierVersion_isRead(Golden golden) {
        CommitText read = CommitText.decode(golden.committed(), golden.text());
        assertThat(read.finished()).isEqualTo(golden.finished());
        assertThat(read.userText()).isEqualTo(golden.userText());
        assertThat(CommitText.startSize(golden.text())).isEqualTo(golden.startSize());
        assertThat(CommitText.topicId(golden.committed(), golden.text())).isEqualTo(golden.topic());
    }

    /**
     * An older version in the same group must read new commits. Compressed bytes are not compared, because they depend
     * on the library's version.
     */
    @ParameterizedTest
    @MethodSource("texts")
    void text_isWrittenAsBefore_whileItsFormIsTheSame(Golden golden) {
        String bare = CommitText.encode(golden.committed(), golden.finished(), golden.userText(), 4_096);
        String noted = CommitText.withStartSize(
                CommitText.withTopicId(bare, golden.topic(), golden.committed(), 4_096), golden.startSize(), 4_096);
        if (golden.finished().runs() > 100) {
            assertThat(noted).startsWith("weir1:A");
        } else {
            assertThat(noted).isEqualTo(golden.text());
        }
    }

    private static Golden golden(long committed, String text, FinishedSet finished, String userText) {
        return new Golden(committed, text, finished, userText, CommitText.NO_SIZE, null);
    }

    /** Creates a set of offset ranges, each given by its first offset and the offset after its last. */
    private static FinishedSet runs(long... ends) {
        FinishedSet.Builder runs = new FinishedSet.Builder();
        for (int i = 0; i < ends.length; i += 2) {
            runs.add(ends[i], ends[i + 1]);
        }
        return runs.build();
    }

    private static FinishedSet everyOther(long first, int count) {
        FinishedSet.Builder runs = new FinishedSet.Builder();
        for (int i = 0; i < count; i++) {
            runs.add(first + 2L * i, first + 2L * i + 1);
        }
        return runs.build();
    }
}
