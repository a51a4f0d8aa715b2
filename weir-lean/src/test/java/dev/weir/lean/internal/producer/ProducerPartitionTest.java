package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a partition's two queues, and the sequences of its batches. */
class ProducerPartitionTest {

    private static final long PRODUCER = 77;
    private static final long MAX_BACKOFF_NANOS = Duration.ofMillis(100).toNanos();
    private final RuntimeException refusal = new IllegalArgumentException("refused");

    private final ProducerPartition partition = new ProducerPartition(
            new ProducerTopic("t", 0), 3, new RetryBackoff(MAX_BACKOFF_NANOS, new SplittableRandom(1)));
    private long nowNanos = Long.MAX_VALUE - 7; // The clock may pass that.

    ProducerPartitionTest() {
        partition.renumber(PRODUCER, (short) 0);
    }

    private static ProducerBatch batch(int records) {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(new byte[1], 0, 1);
        ProducerBatch batch = new ProducerBatch(ByteBuffer.allocate(1_000), 0);
        batch.begin(0);
        for (int i = 0; i < records; i++) {
            assertThat(batch.append(record, 1, i)).isTrue();
        }
        return batch;
    }

    private ProducerBatch wait(int records) {
        ProducerBatch batch = batch(records);
        partition.waiting.add(batch);
        return batch;
    }

    private ProducerBatch send(int records) {
        ProducerBatch batch = wait(records);
        assertThat(partition.maySend(nowNanos)).isTrue();
        assertThat(partition.take()).isSameAs(batch);
        return batch;
    }

    /** Writes the first batch, after which several batches may be in flight. */
    private void becomeKnown() {
        ProducerBatch first = send(1);
        partition.written(first, 0, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(first);
    }

    private void awaitBackoff() {
        nowNanos += 2 * MAX_BACKOFF_NANOS;
    }

    private List<Integer> waitingSequences() {
        return partition.waiting.stream().map(batch -> batch.sequence).toList();
    }

    // ---- Sequences -------------------------------------------------------------------------------------------------

    @Test
    void batches_haveTheSequencesOfTheirRecords_andGoOnAtZeroPastTheLargest() {
        ProducerBatch first = send(1);
        first.sequence = Integer.MAX_VALUE - 4;
        partition.written(first, 0, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(first);
        assertThat(send(3).sequence).isEqualTo(1);
        ProducerBatch last = send(2);
        assertThat(last.sequence).isEqualTo(4);
        last.sequence = Integer.MAX_VALUE - 1;
        partition.refused(last, "no", refusal);
        partition.flying.removeFirst();
        assertThat(partition.takeSettled()).isSameAs(last);
        assertThat(send(4).sequence).as("given again").isEqualTo(Integer.MAX_VALUE - 1);
        assertThat(send(1).sequence).isEqualTo(2);
    }

    /** A refused batch is not in the log, so its sequence must be reused. */
    @Test
    void sequenceOfARefusedBatch_isGivenAgain() {
        becomeKnown();
        ProducerBatch refused = send(3);
        partition.refused(refused, "no", refusal);
        assertThat(partition.takeSettled()).isSameAs(refused);
        assertThat(partition.takeSettled()).isNull();
        assertThat(send(2).sequence).isEqualTo(refused.sequence);
    }

    /** The batch in doubt may be in the log, so a new batch of the same sequence would count as its duplicate. */
    @Test
    void sequenceOfABatchInDoubt_isNotGivenAgain() {
        becomeKnown();
        ProducerBatch doubtful = send(3);
        partition.failed(doubtful, "timed out", true);
        partition.rewind(nowNanos);
        doubtful.state = State.REFUSED; // It is overdue.
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        assertThat(doubtful.mayBeWritten()).isTrue();
        awaitBackoff();
        assertThat(send(2).sequence).isEqualTo(doubtful.sequence + 3);
    }

    @Test
    void sequenceOfABatchThatWasCertainlyNotWritten_isGivenAgain() {
        becomeKnown();
        ProducerBatch failed = send(3);
        partition.failed(failed, "too few replicas", false);
        partition.rewind(nowNanos);
        failed.state = State.REFUSED;
        assertThat(partition.takeSettled()).isSameAs(failed);
        assertThat(failed.mayBeWritten()).isFalse();
        awaitBackoff();
        assertThat(send(2).sequence).isEqualTo(failed.sequence);
    }

    @Test
    void sequenceOfARefusedBatch_withOthersBehindIt_isNotGivenAgain() {
        becomeKnown();
        ProducerBatch refused = send(3);
        ProducerBatch behind = send(2);
        partition.refused(refused, "no", refusal);
        assertThat(partition.takeSettled()).isSameAs(refused);
        assertThat(send(1).sequence).as("one behind it is in flight").isEqualTo(behind.sequence + 2);

        ProducerBatch last = partition.flying.getLast();
        partition.failed(behind, "gone", false);
        partition.failed(last, "gone", false);
        partition.rewind(nowNanos);
        behind.state = State.REFUSED;
        assertThat(partition.takeSettled()).isSameAs(behind);
        awaitBackoff();
        assertThat(partition.take()).isSameAs(last);
        assertThat(send(1).sequence).as("one behind it waited with a sequence").isEqualTo(last.sequence + 1);
    }

    @Test
    void batchThatIsSentAgain_keepsItsSequence() {
        becomeKnown();
        ProducerBatch first = send(3);
        ProducerBatch second = send(2);
        partition.failed(second, "gone", true);
        partition.failed(first, "gone", true);
        partition.rewind(nowNanos);
        assertThat(partition.waiting).containsExactly(first, second);
        assertThat(waitingSequences()).containsExactly(1, 4);
        awaitBackoff();
        assertThat(partition.take()).isSameAs(first);
        assertThat(first.sequence).isEqualTo(1);
        assertThat(first.state).isEqualTo(State.OPEN);
    }

    @Test
    void renumbering_beginsSequencesAgain_alsoOfBatchesThatWereWrittenBehindOneInDoubt() {
        becomeKnown();
        ProducerBatch doubtful = send(3);
        ProducerBatch written = send(2);
        partition.written(written, 9, nowNanos);
        partition.failed(doubtful, "a gap", true);
        assertThat(partition.takeSettled())
                .as("the one before it is not settled")
                .isNull();
        partition.rewind(nowNanos);
        partition.renumber(PRODUCER, (short) 1);
        assertThat(partition.producerId).isEqualTo(PRODUCER);
        assertThat(partition.epoch).isEqualTo((short) 1);
        assertThat(written.hasSequence()).isFalse();
        assertThat(written.state)
                .as("written again, or it is followed by an older one")
                .isEqualTo(State.OPEN);
        assertThat(doubtful.mayBeWritten()).isTrue();
        assertThat(written.mayBeWritten()).isTrue();
        awaitBackoff();
        assertThat(partition.take().sequence).isZero();
        assertThat(partition.maySend(nowNanos))
                .as("alone, until the new epoch is known")
                .isFalse();
        partition.written(doubtful, 20, nowNanos);
        assertThat(partition.maySend(nowNanos)).isTrue();
        assertThat(partition.take().sequence).isEqualTo(3);
    }

    // ---- What may be sent ------------------------------------------------------------------------------------------

    /** A broker accepts any sequence from an unknown producer, so a second batch could overtake the first batch. */
    @Test
    void firstBatch_goesAlone_thenAsManyAsABrokerRemembers() {
        ProducerBatch first = send(1);
        wait(1);
        assertThat(partition.maySend(nowNanos)).isFalse();
        assertThat(partition.hasRoom()).isFalse();
        partition.written(first, 0, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(first);
        for (int i = 1; i <= 5; i++) {
            assertThat(partition.maySend(nowNanos)).as("batch %d", i).isTrue();
            ProducerBatch ignored = partition.take();
            wait(1);
        }
        assertThat(partition.maySend(nowNanos)).as("a sixth one").isFalse();
    }

    @Test
    void room_isThereWhileABatchWouldBeSentSoon() {
        assertThat(partition.hasRoom()).isTrue();
        ProducerBatch first = send(1);
        assertThat(partition.hasRoom()).as("not known yet").isFalse();
        partition.written(first, 0, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(first);
        for (int i = 0; i < 5; i++) {
            assertThat(partition.hasRoom()).isTrue();
            ProducerBatch ignored = send(1);
        }
        assertThat(partition.hasRoom()).as("as many as a broker remembers").isFalse();
        ProducerBatch head = partition.flying.element();
        partition.failed(head, "gone", true);
        partition.flying.removeLast();
        assertThat(partition.hasRoom()).as("one must be sent again first").isFalse();
        partition.troubled = false;
        assertThat(partition.hasRoom()).isTrue();
        wait(1);
        assertThat(partition.hasRoom()).as("one waits").isFalse();
    }

    /** After a long pause, the broker may have forgotten the producer. */
    @Test
    void firstBatchAfterARest_goesAlone() {
        becomeKnown();
        nowNanos += Duration.ofSeconds(60).toNanos() + 1;
        ProducerBatch first = send(1);
        wait(1);
        assertThat(partition.maySend(nowNanos)).isFalse();
        partition.written(first, 1, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(first);
        assertThat(partition.maySend(nowNanos)).isTrue();
        ProducerBatch ignored = partition.take();
        wait(1);
        assertThat(partition.maySend(nowNanos + Duration.ofSeconds(60).toNanos()))
                .isTrue();
    }

    /** The broker of a recreated topic does not know the producer. */
    @Test
    void firstBatchToARecreatedTopic_goesAlone() {
        becomeKnown();
        assertThat(partition.leader.learn(1, 9)).isTrue();
        partition.recreated();
        assertThat(partition.leader.learn(2, 0))
                .as("the epochs of another topic begin at 0")
                .isTrue();
        assertThat(partition.leader.node()).isEqualTo(2);
        ProducerBatch ignored = send(1);
        wait(1);
        assertThat(partition.maySend(nowNanos)).isFalse();
    }

    @Test
    void nothing_isSentWhileOneInFlightMustBeSentAgain_norBeforeItsBackoffIsOver() {
        becomeKnown();
        ProducerBatch failed = send(1);
        ProducerBatch behind = send(1);
        wait(1);
        partition.failed(failed, "not the leader", false);
        assertThat(partition.maySend(nowNanos)).isFalse();
        partition.written(behind, 5, nowNanos);
        assertThat(partition.maySend(nowNanos)).isFalse();
        partition.rewind(nowNanos);
        assertThat(partition.maySend(nowNanos)).as("too early").isFalse();
        assertThat(partition.maySend(nowNanos + 2 * MAX_BACKOFF_NANOS)).isTrue();
    }

    /** Each failure in a row waits longer than the one before it. */
    @Test
    void writtenBatch_endsTheBackoffOfTheFailuresBeforeIt() {
        becomeKnown();
        ProducerBatch failing = wait(1);
        for (int failures = 0; failures < 8; failures++) {
            assertThat(partition.take()).isSameAs(failing);
            partition.failed(failing, "not the leader", false);
            partition.rewind(nowNanos);
            assertThat(partition.maySend(nowNanos)).isFalse();
        }
        assertThat(partition.maySend(nowNanos + MAX_BACKOFF_NANOS / 2))
                .as("at the longest backoff")
                .isFalse();
        assertThat(partition.take()).isSameAs(failing);
        partition.written(failing, 1, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(failing);
        assertThat(partition.maySend(nowNanos)).as("nothing waits").isFalse();
        ProducerBatch next = send(1);
        partition.failed(next, "not the leader", false);
        partition.rewind(nowNanos);
        assertThat(partition.maySend(nowNanos + MAX_BACKOFF_NANOS / 2))
                .as("after one failure")
                .isTrue();
    }

    /** A broker remembers only a producer's last five batches. */
    @Test
    void batchWrittenBehindOneInDoubt_holdsItsPlace_andIsNotSentAgain() {
        becomeKnown();
        ProducerBatch doubtful = send(1);
        ProducerBatch written = send(1);
        ProducerBatch next = wait(1);
        partition.failed(doubtful, "timed out", true);
        partition.written(written, 5, nowNanos);
        partition.rewind(nowNanos);
        assertThat(written.state).isEqualTo(State.WRITTEN);
        awaitBackoff();
        assertThat(partition.take()).isSameAs(doubtful);
        assertThat(partition.maySend(nowNanos)).isFalse();
        assertThat(partition.takeSettled()).isNull();
        partition.written(doubtful, 4, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        assertThat(partition.takeSettled()).isSameAs(written);
        assertThat(partition.takeSettled()).isNull();
        assertThat(partition.take()).isSameAs(next);
        assertThat(next.sequence).isEqualTo(written.sequence + 1);
    }

    @Test
    void halvesOfABatchThatIsTooLarge_mayGoAtOnce_behindAFailureTheyWait() {
        becomeKnown();
        ProducerBatch large = send(2);
        partition.tooLarge(large);
        assertThat(partition.unanswered).isZero();
        partition.rewind(nowNanos);
        assertThat(large.state).isEqualTo(State.DIVIDE);
        assertThat(partition.maySend(nowNanos)).isTrue();
        assertThat(partition.take()).isSameAs(large);
        ProducerBatch failed = large;
        ProducerBatch second = send(2);
        partition.failed(failed, "gone", true);
        partition.tooLarge(second);
        partition.rewind(nowNanos);
        assertThat(second.state).isEqualTo(State.DIVIDE);
        assertThat(partition.maySend(nowNanos)).isFalse();
    }

    /** Its error may only follow from the missing batch before it. */
    @Test
    void batchRefusedBehindOneThatIsSentAgain_isSentAgainToo() {
        becomeKnown();
        ProducerBatch failed = send(1);
        ProducerBatch refused = send(2);
        partition.refused(refused, "no", refusal);
        partition.failed(failed, "not the leader", false);
        assertThat(partition.takeSettled()).isNull();
        partition.rewind(nowNanos);
        assertThat(partition.waiting).containsExactly(failed, refused);
        assertThat(refused.state).isEqualTo(State.OPEN);
        awaitBackoff();
        assertThat(partition.take()).isSameAs(failed);
        assertThat(partition.take()).isSameAs(refused);
        assertThat(waitingSequences()).isEmpty();
        assertThat(refused.sequence).isEqualTo(failed.sequence + 1);
        partition.written(failed, 1, nowNanos);
        partition.written(refused, 2, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(failed);
        assertThat(partition.takeSettled()).isSameAs(refused);
    }

    @Test
    void answers_areCounted_andTheOldestBatchIsTheHead() {
        becomeKnown();
        ProducerBatch first = send(1);
        ProducerBatch second = send(1);
        assertThat(partition.unanswered).isEqualTo(2);
        assertThat(partition.isHead(first)).isTrue();
        assertThat(partition.isHead(second)).isFalse();
        partition.failed(second, "gone", false);
        assertThat(partition.unanswered).isEqualTo(1);
        assertThat(second.trouble).isEqualTo("gone");
        partition.refused(first, "no", refusal);
        assertThat(partition.unanswered).isZero();
        assertThat(first.trouble).isEqualTo("no");
        assertThat(first.cause).isSameAs(refusal);
        assertThat(partition).hasToString("t-3");
    }

    // ---- Batches written out of order ------------------------------------------------------------------------------

    /** Creates a batch in doubt and a later batch, written at offset 9. Both are in the queue. */
    private ProducerBatch writtenBehindOneInDoubt() {
        becomeKnown();
        ProducerBatch doubtful = send(1);
        ProducerBatch later = send(1);
        partition.failed(doubtful, "timed out", true);
        partition.written(later, 9, nowNanos);
        partition.rewind(nowNanos);
        assertThat(partition.troubled).isFalse();
        awaitBackoff();
        assertThat(partition.take()).isSameAs(doubtful);
        return doubtful;
    }

    /** The broker had forgotten the producer and wrote the repeated batch as a new batch. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 10})
    void batchThatMayBeBehindALaterOne_beginsSequencesAgain(long offset) {
        ProducerBatch doubtful = writtenBehindOneInDoubt();
        ProducerBatch later = partition.waiting.element();
        partition.written(doubtful, offset, nowNanos);
        assertThat(partition.gap).isTrue();
        assertThat(partition.troubled).isTrue();
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        assertThat(partition.takeSettled()).as("written again").isNull();
        assertThat(later.state).isEqualTo(State.OPEN);
        assertThat(later.mayBeWritten()).isTrue();
        assertThat(later.hasSequence()).isFalse();
    }

    /** The log was empty, or a broker does not report the offset of the later batch. */
    @Test
    void batchAtTheFirstOffset_isInOrder_unlessTheLaterOneHasNone() {
        ProducerBatch doubtful = writtenBehindOneInDoubt();
        ProducerBatch later = partition.waiting.element();
        later.offset = -1;
        partition.written(doubtful, 0, nowNanos);
        assertThat(partition.gap).isTrue();
        assertThat(later.hasSequence()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8})
    void batchThatIsBeforeALaterOne_isInOrder(long offset) {
        ProducerBatch doubtful = writtenBehindOneInDoubt();
        partition.written(doubtful, offset, nowNanos);
        assertThat(partition.gap).isFalse();
        assertThat(partition.troubled).isFalse();
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        assertThat(partition.takeSettled()).isNotNull();
        // No written batch waits any more, so the next batch's offset is not compared.
        ProducerBatch next = send(1);
        partition.written(next, -1, nowNanos);
        assertThat(partition.gap).isFalse();
    }

    @Test
    void eachOfSeveralBatchesInDoubt_isComparedWithTheLaterOnes() {
        becomeKnown();
        ProducerBatch first = send(1);
        ProducerBatch second = send(1);
        ProducerBatch later = send(1);
        partition.failed(first, "timed out", true);
        partition.failed(second, "timed out", true);
        partition.written(later, 9, nowNanos);
        partition.rewind(nowNanos);
        awaitBackoff();
        assertThat(partition.take()).isSameAs(first);
        partition.written(first, 7, nowNanos);
        assertThat(partition.gap).isFalse();
        assertThat(partition.take()).isSameAs(second);
        partition.written(second, 12, nowNanos);
        assertThat(partition.gap).isTrue();
    }

    @Test
    void leader_isKnownOnceMetadataNameOne() {
        assertThat(partition.hasLeader()).isFalse();
        assertThat(partition.leader.learn(4, 0)).isTrue();
        assertThat(partition.hasLeader()).isTrue();
        assertThat(partition.leader.node()).isEqualTo(4);
        assertThat(partition.leader.learn(PartitionLeader.NOBODY, 0)).isTrue();
        assertThat(partition.hasLeader()).isFalse();
    }

    // ---- Invariants ------------------------------------------------------------------------------------------------

    private void assertViolation(int number, String state) {
        List<ProducerBatch> before = List.copyOf(partition.waiting);
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(partition::take)
                .withMessageContaining("invariant " + number + " does not hold: ")
                .withMessageContaining(state)
                .satisfies(violation -> assertThat(violation.number()).isEqualTo(number));
        assertThat(partition.waiting).as("nothing goes out").containsExactlyElementsOf(before);
    }

    /** The broker might take the next batch for a duplicate of the batch in doubt. */
    @Test
    void sequenceOfABatchInDoubt_thatWouldBeGivenAgain_violatesAnInvariant() {
        becomeKnown();
        ProducerBatch doubtful = send(3);
        partition.failed(doubtful, "timed out", true);
        partition.rewind(nowNanos);
        doubtful.doubtful = false;
        doubtful.state = State.REFUSED;
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        wait(2);
        assertViolation(58, "t-3 sequence=1 usedTo=4 epoch=0 inFlight=0 known=true");
        partition.renumber(PRODUCER, (short) 1);
        assertThat(partition.take().sequence).as("of another epoch").isZero();
    }

    /** After an unknown server error, a refused batch may be in the log. */
    @Test
    void sequenceOfARefusedBatchInDoubt_thatWouldBeGivenAgain_violatesAnInvariant() {
        becomeKnown();
        ProducerBatch doubtful = send(3);
        doubtful.doubtful = true;
        partition.refused(doubtful, "unknown error", new IllegalStateException());
        doubtful.doubtful = false;
        assertThat(partition.takeSettled()).isSameAs(doubtful);
        wait(2);
        assertViolation(58, "t-3 sequence=1 usedTo=4");
    }

    @Test
    void sequenceOfAWrittenBatch_thatWouldBeGivenAgain_violatesAnInvariant_alsoPastTheLargest() {
        ProducerBatch written = send(4);
        written.sequence = Integer.MAX_VALUE - 1;
        partition.written(written, 0, nowNanos);
        assertThat(partition.takeSettled()).isSameAs(written);
        partition.forget(written);
        wait(1);
        assertViolation(58, "sequence=" + (Integer.MAX_VALUE - 1) + " usedTo=2");
    }

    /** The earlier batch may be in the log too, but the later sequences stay taken. */
    @Test
    void sequenceOfAWrittenBatch_thatWouldBeGivenAgain_violatesAnInvariant_alsoAfterAnEarlierOneFailed() {
        becomeKnown();
        ProducerBatch earlier = send(3);
        ProducerBatch written = send(2);
        partition.written(written, 9, nowNanos);
        partition.failed(earlier, "timed out", true);
        partition.rewind(nowNanos);
        earlier.state = State.REFUSED;
        assertThat(partition.takeSettled()).isSameAs(earlier);
        assertThat(partition.takeSettled()).isSameAs(written);
        partition.forget(written);
        wait(2);
        assertViolation(58, "t-3 sequence=4 usedTo=6");
    }

    @Test
    void secondBatchOfAnUnknownProducer_thatWouldBeSent_violatesAnInvariant() {
        ProducerBatch first = send(1);
        wait(2);
        assertViolation(51, "inFlight=1 known=false");
        partition.written(first, 0, nowNanos);
        assertThat(partition.take().sequence).isEqualTo(1);
    }
}
