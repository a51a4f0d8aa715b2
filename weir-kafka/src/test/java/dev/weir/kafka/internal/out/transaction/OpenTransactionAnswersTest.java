package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Tests how a transaction counts answers, inputs and waiting time. */
class OpenTransactionAnswersTest {

    private static final long SECOND = 1_000_000_000;

    private final List<String> refusals = new ArrayList<>();
    private final OffsetTracker source = source(0, 10);
    private final OpenTransaction<String, String> transaction = open(true);

    private OpenTransaction<String, String> open(boolean keeps) {
        TransactionalProducer<String, String> producer = TransactionalProducer.ofRun(
                () -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()),
                () -> false,
                time -> {});
        return new OpenTransaction<>(producer, 0, (of, why) -> refusals.add(why.getMessage()), keeps, keeps);
    }

    private static OffsetTracker source(int partition, int records) {
        OffsetTracker source = new OffsetTracker(100, () -> {});
        source.name(new TopicPartition("in", partition));
        for (int i = 0; i < records; i++) {
            source.append(i, 1);
        }
        return source;
    }

    private static RecordMetadata metadata(String topic, int keySize, int valueSize) {
        return new RecordMetadata(new TopicPartition(topic, 0), 5, 0, 0, keySize, valueSize);
    }

    // ---- Answers ---------------------------------------------------------------------------------------------------

    @Test
    void answeredRecords_areCountedWithTheirBytes_andTheirPlacesAreKeptIfAskedFor() {
        transaction.sent(source, 0, null);
        transaction.sent(source, 1, null);
        transaction.sent(source, 2, null);
        assertThat(transaction.records()).isEqualTo(3);
        assertThat(transaction.unanswered()).isEqualTo(3);
        transaction.answered(metadata("out", 3, 40), null, "");
        transaction.answered(metadata("out", -1, 7), null, "");
        transaction.answered(metadata("out", 5, -1), null, "");
        assertThat(transaction.bytes()).isEqualTo(55);
        assertThat(transaction.unanswered()).isZero();
        assertThat(transaction.results()).hasSize(3);
        assertThat(refusals).isEmpty();
        assertThat(open(false).results()).isEmpty();
    }

    /** An answer may arrive before the sender has registered the record. */
    @Test
    void answerThatComesBeforeItsRecordIsNoted_leavesNoneUnanswered() {
        transaction.answered(metadata("out", 1, 1), null, "");
        assertThat(transaction.unanswered()).isZero();
    }

    /** A record refused only because of a neighbour in its batch says nothing about its topic. */
    @Test
    void firstRefusal_isToldOnce_andThatOfANeighbourIsNot() {
        transaction.sent(source, 0, null);
        transaction.answered(metadata("other", -1, -1), new KafkaException("of a neighbour"), "");
        assertThat(refusals).isEmpty();
        assertThat(transaction.refusedTopic()).isEmpty();
        Callback answer = transaction.answerOf(source, 7);
        transaction.sent(source, 7, null);
        answer.onCompletion(metadata("out", -1, -1), new RecordTooLargeException("first"));
        transaction.answered(metadata("later", -1, -1), new RecordTooLargeException("second"), "");
        assertThat(refusals).containsExactly("first");
        assertThat(transaction.refusedTopic()).isEqualTo("out");
        assertThat(transaction.refusedInput()).isEqualTo("in-0@7");
        assertThat(transaction.bytes()).isZero();
        assertThat(transaction.results()).isEmpty();

        OpenTransaction<String, String> nowhere = open(true);
        nowhere.answered(null, new RecordTooLargeException("third"), "");
        assertThat(nowhere.refusedTopic()).isEqualTo("?");
    }

    /** The search for the inputs of a large group is slow, so the records of a group share one callback. */
    @Test
    void refusalOfAGroup_namesItsFirstInput_andTheNumberOfOthers() {
        JointAcknowledgement group = new JointAcknowledgement();
        group.add(source, 3);
        group.add(source(1, 3), 2);
        Callback answer = transaction.answerOf(group, 0);
        assertThat(transaction.answerOf(group, 0)).isSameAs(answer);
        assertThat(transaction.answerOf(AckTarget.NONE, 0)).isNotSameAs(answer);
        answer.onCompletion(metadata("out", -1, -1), new RecordTooLargeException("large"));
        assertThat(transaction.refusedInput()).isEqualTo("in-0@3 and 1 more");
    }

    @Test
    void timeWithoutAnAnswer_beginsWithTheLastOne_andIsNoneWhileNothingIsOutstanding() {
        assertThat(transaction.noAnswerNanos(5 * SECOND)).isZero();
        transaction.sent(source, 0, null);
        transaction.sent(source, 1, null);
        assertThat(transaction.noAnswerNanos(7 * SECOND)).isEqualTo(2 * SECOND);
        transaction.answered(metadata("out", 1, 1), null, "");
        assertThat(transaction.noAnswerNanos(8 * SECOND)).isZero();
        assertThat(transaction.noAnswerNanos(9 * SECOND)).isEqualTo(SECOND);
        transaction.answered(metadata("out", 1, 1), null, "");
        assertThat(transaction.noAnswerNanos(10 * SECOND)).isZero();
        assertThat(transaction.noAnswerNanos(20 * SECOND)).isZero();
    }

    // ---- Inputs ----------------------------------------------------------------------------------------------------

    /** All records of an input belong to one transaction. */
    @Test
    void input_isOpenUntilItsLastRecordIsSent() {
        source.retain(4, 1);
        transaction.sent(source, 4, null);
        assertThat(transaction.open()).containsExactly(new Root(source, 4));
        assertThat(transaction.belongs(source, 4)).isTrue();
        assertThat(transaction.belongs(source, 5)).isFalse();
        assertThat(source.isDone(4)).isFalse();
        transaction.sent(source, 4, null);
        assertThat(transaction.open()).isEmpty();
        assertThat(source.isDone(4)).isTrue();
        assertThat(transaction.sources()).containsExactly(source);
    }

    @Test
    void sources_areThoseOfAllRecords_finishedOrNot() {
        OffsetTracker other = source(1, 1);
        transaction.sent(source, 0, null);
        transaction.sent(other, 0, null);
        transaction.sent(source, 1, null);
        assertThat(transaction.sources()).containsExactlyInAnyOrder(source, other);
    }

    @Test
    void places_areTheFirstFive_inOrder() {
        for (int token : new int[] {6, 0, 2, 1, 5, 4, 3}) {
            source.retain(token, 1);
            transaction.sent(source, token, null);
            if (token == 1) {
                assertThat(transaction.places()).isEqualTo("in-0@0, in-0@1, in-0@2, in-0@6");
            }
            if (token == 5) {
                assertThat(transaction.places()).isEqualTo("in-0@0, in-0@1, in-0@2, in-0@5, in-0@6");
            }
        }
        assertThat(transaction.places()).isEqualTo("in-0@0, in-0@1, in-0@2, in-0@3, in-0@4 and 2 more");
    }

    /** A process may be frozen between two calls. Each call counts at most one second. */
    @Test
    void waitedTime_isTheSumOfWhatWentBy_aSecondPerCallAtMost() {
        assertThat(transaction.waitedNanos(-3 * SECOND)).isZero();
        assertThat(transaction.waitedNanos(-3 * SECOND + 5)).isEqualTo(5);
        assertThat(transaction.waitedNanos(90 * SECOND)).isEqualTo(SECOND + 5);
        assertThat(transaction.waitedNanos(90 * SECOND + 1)).isEqualTo(SECOND + 6);
    }

    @Test
    void letters_areCounted_andThoseWithoutTheirValueApart() {
        transaction.deadLetterSent(false);
        transaction.deadLetterSent(true);
        transaction.deadLetterSent(false);
        assertThat(transaction.deadLetters()).isEqualTo(3);
        assertThat(transaction.cutDeadLetters()).isEqualTo(1);
    }

    // ---- Acknowledgements that outlast their end
    // -----------------------------------------------------------------------------

    @Test
    void claimThatLasts_knowsItsInputs_onceItIsEnded_andIsSharedByItsRecords() {
        OffsetTracker other = source(1, 3);
        JointAcknowledgement group = new JointAcknowledgement();
        group.add(source, 3);
        group.add(other, 2);
        AckTarget lasting = transaction.lasting(group, 0, true);
        assertThat(transaction.lasting(group, 0, true))
                .as("many records share it")
                .isSameAs(lasting);
        assertThat(transaction.lasting(group, 1, true)).isNotSameAs(lasting);
        assertThat(transaction.lasting(lasting, 0, true)).isSameAs(lasting);
        assertThat(lasting.placeOf(0)).isEqualTo("in-0@3 and 1 more");
        List<Root> roots = new ArrayList<>();
        lasting.roots(0, (of, token) -> roots.add(new Root(of, token)));
        assertThat(roots).containsExactly(new Root(source, 3), new Root(other, 2));
        lasting.ack(0);
        assertThat(source.isDone(3)).as("to end it changes nothing").isFalse();
    }

    @Test
    void sourcesOwnTarget_lastsByItself_unlessItsPlaceIsAskedFor() {
        assertThat(transaction.lasting(AckTarget.NONE, 0, true)).isSameAs(AckTarget.NONE);
        assertThat(transaction.lasting(source, 3, false)).isSameAs(source);
        AckTarget lasting = transaction.lasting(source, 3, true);
        assertThat(lasting).isInstanceOf(EndedAcknowledgement.class);
        assertThat(lasting.placeOf(0)).isEqualTo("in-0@3");
        JointAcknowledgement group = new JointAcknowledgement();
        group.add(source, 3);
        assertThat(transaction.lasting(group, 9, false).placeOf(0)).isEqualTo("in-0@3");
    }
}
