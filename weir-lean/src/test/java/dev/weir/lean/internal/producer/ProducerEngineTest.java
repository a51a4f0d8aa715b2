package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.spi.InvariantException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the turns of a producer. */
class ProducerEngineTest extends ProducerEngineCase {

    // ---- Batches in doubt ------------------------------------------------------------------------------------------

    @Test
    void batchLostWithItsConnection_isInDoubt() throws Exception {
        engine.lost(partition(0), send(0, 1), "connection reset");
        end();
        assertThat(told).containsExactly("1 may be written");
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "REQUEST_TIMED_OUT",
                "NOT_LEADER_OR_FOLLOWER",
                "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
                "KAFKA_STORAGE_ERROR",
                "DUPLICATE_SEQUENCE_NUMBER"
            })
    void batchThatMayHaveBeenAppended_isInDoubt(Errors error) throws Exception {
        refuse(send(0, 1), error);
        end();
        assertThat(told).containsExactly("1 may be written");
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_ENOUGH_REPLICAS", "OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"})
    void batchThatWasNotAppended_isNotInDoubt(Errors error) throws Exception {
        refuse(send(0, 1), error);
        end();
        assertThat(told).containsExactly("1 is not written");
    }

    @ParameterizedTest
    @CsvSource({
        "UNKNOWN_SERVER_ERROR, may be written",
        "TOPIC_AUTHORIZATION_FAILED, is not written",
        "INVALID_RECORD, is not written",
        "MESSAGE_TOO_LARGE, is not written"
    })
    void refusedBatch_isInDoubtOnlyIfTheErrorIsUnknown(Errors error, String outcome) throws Exception {
        refuse(send(0, 1), error);
        assertThat(told).containsExactly("1 " + outcome);
    }

    @Test
    void batchInFlight_whenTheProducerEnds_isInDoubt_andOneThatWaitsIsNot() throws Exception {
        send(0, 1);
        append(0, 2);
        end();
        assertThat(told).containsExactly("1 may be written", "2 is not written");
    }

    /** The broker has answered for the first batch: it has refused to append it. */
    @Test
    void batchesInFlight_whenTheProducerEnds_areInDoubtOnlyWithoutAnAnswer() throws Exception {
        ProducerBatch refused = send(0, 1);
        send(0, 2);
        refuse(refused, Errors.NOT_ENOUGH_REPLICAS);
        assertThat(told).isEmpty();
        end();
        assertThat(told).containsExactly("1 is not written", "2 may be written");
        assertThat(Objects.requireNonNull(engine.abandoned()).records()).isEqualTo(2);
    }

    // ---- Order -----------------------------------------------------------------------------------------------------

    /** The second batch is written. It has waited only for the outcome of the first batch. */
    @Test
    void batchWrittenBehindOneInDoubt_whenTheProducerEnds_isAcknowledged() throws Exception {
        ProducerBatch doubtful = send(0, 1);
        ProducerBatch written = send(0, 2);
        engine.written(partition(0), written, 9);
        engine.lost(partition(0), doubtful, "connection reset");
        assertThat(told).isEmpty();
        end();
        assertThat(told).containsExactly("1 may be written", "2 written");
        assertThat(Objects.requireNonNull(engine.abandoned()).records()).isEqualTo(1);
    }

    @Test
    void newLeader_getsNoBatch_whileOneIsInFlightToTheFormerLeader() throws Exception {
        send(0, 1);
        // The connection to broker 2 exists, because of partition 1.
        brokers.topics().topic(TOPIC).partitions().getFirst().moveTo(2);
        partition(0).leader.learn(2, Integer.MAX_VALUE);
        append(0, 2);
        turn();
        assertThat(partition(0).flying).hasSize(1);
        assertThat(partition(0).waiting).hasSize(1);
        awaitTold(2);
        assertThat(told).containsExactly("1 written", "2 written");
    }

    @Test
    void failedBatch_isPutBackInLine_onlyWhenNoAnswerIsOutstanding() throws Exception {
        ProducerBatch first = send(0, 1);
        ProducerBatch second = send(0, 2);
        engine.lost(partition(0), first, "connection reset");
        assertThat(partition(0).flying).containsExactly(first, second);
        assertThat(partition(0).waiting).isEmpty();
        engine.written(partition(0), second, 5);
        assertThat(partition(0).flying).isEmpty();
        assertThat(partition(0).waiting).containsExactly(first, second);
        assertThat(told).isEmpty();
    }

    @Test
    void overdueBatch_isGivenUp_onlyWhenNoneIsInFlight() throws Exception {
        ProducerBatch first = send(0, 1);
        partition(0).leader.learn(PartitionLeader.NOBODY, Integer.MAX_VALUE);
        append(0, 2);
        turn();
        ProducerBatch second = Objects.requireNonNull(partition(0).waiting.peek());
        second.begunNanos -= DELIVERY_TIMEOUT.toNanos() + 1;
        turn();
        assertThat(partition(0).waiting).containsExactly(second);
        assertThat(told).isEmpty();
        engine.written(partition(0), first, 1);
        turn();
        assertThat(told).containsExactly("1 written", "2 is not written");
    }

    // ---- Waiting ---------------------------------------------------------------------------------------------------

    /** Runs the producer until the listener has heard of this number of records. Returns the simulated time. */
    private long runMillisUntilTold(int count) {
        endsAfter = count;
        long fromNanos = engine.nanoTime();
        engine.run();
        assertThat(engine.failure()).isNull();
        return Duration.ofNanos(engine.nanoTime() - fromNanos).toMillis();
    }

    private void awaitMillis(long millis) {
        long untilNanos = engine.nanoTime() + Duration.ofMillis(millis).toNanos();
        while (engine.nanoTime() - untilNanos < 0) {
            process.await(1);
        }
    }

    private void silence() {
        for (int connection = 0; connection < 100; connection++) {
            process.process().silenceOne();
        }
    }

    /** A thread that found nothing to do would sleep for a second. */
    @Test
    void thread_looksOftenWhileARecordIsInFlight_orMustBeSentAgain() throws Exception {
        engine.lost(partition(0), send(0, 1), "connection reset");
        append(1, 2);
        assertThat(runMillisUntilTold(2)).isLessThan(150);
        assertThat(told).containsExactlyInAnyOrder("1 written", "2 written");
    }

    @Test
    void thread_sleepsUntilTheLingerOfTheOldestBatchIsOver() throws Exception {
        reopen(Duration.ofMillis(400));
        append(0, 1);
        awaitMillis(100);
        append(1, 2);
        assertThat(runMillisUntilTold(2)).isBetween(400L, 440L);
        assertThat(told).containsExactly("1 written", "2 written");
    }

    @Test
    void batchThatIsNotFull_leavesOnceItsLingerIsOver_andFullOnesAtOnce() throws Exception {
        reopen(Duration.ofMillis(400));
        for (int token = 0; token < 250; token++) {
            append(0, token);
        }
        turn();
        assertThat(partition(0).flying).hasSizeBetween(1, 4);
        int full = partition(0).flying.stream().mapToInt(ProducerBatch::count).sum();
        assertThat(full).isLessThan(250);
        assertThat(partition(0).intake.hasSome()).isTrue();
        long fromNanos = engine.nanoTime();
        awaitTold(250);
        assertThat(Duration.ofNanos(engine.nanoTime() - fromNanos).toMillis()).isBetween(400L, 420L);
    }

    /** Without this, a caller would wait for memory as long as the linger. */
    @Test
    void batchThatIsNotFull_leavesAtOnce_ifACallerFindsNoMemory() throws Exception {
        reopen(Duration.ofMillis(400));
        append(0, 1);
        turn();
        assertThat(partition(0).flying).isEmpty();
        while (pool.take(1, 0) != null) {
            // Take all batches of the pool.
        }
        turn();
        assertThat(partition(0).flying).hasSize(1);
    }

    /** A small batch now would leave no sooner than a larger one later. */
    @Test
    void batchThatCannotLeave_takesFurtherRecords() throws Exception {
        long before = counters.get(ProducerCounters.BATCHES);
        for (int token = 1; token <= 5; token++) {
            send(0, token);
        }
        append(0, 6);
        turn();
        append(0, 7);
        turn();
        assertThat(partition(0).waiting).isEmpty();
        awaitTold(7);
        assertThat(counters.get(ProducerCounters.BATCHES) - before).isEqualTo(6);
    }

    /** The delivery timeout of the batch is running. Callers do not wake the thread for it. */
    @Test
    void batchOfABusyBroker_takesRecordsForASecond() throws Exception {
        for (int token = 1; token <= 5; token++) {
            send(0, token);
        }
        silence();
        append(0, 6);
        turn();
        assertThat(engine.isHeld()).isTrue();
        assertThat(partition(0).held).isTrue();
        awaitMillis(990);
        append(0, 7);
        turn();
        assertThat(partition(0).waiting).isEmpty();
        awaitMillis(11);
        turn();
        assertThat(partition(0).waiting)
                .singleElement()
                .satisfies(batch -> assertThat(batch.count()).isEqualTo(2));
        append(1, 8);
        assertThat(engine.turn()).isPositive();
        assertThat(engine.isHeld()).as("of another broker").isFalse();
        assertThat(partition(1).held).isFalse();
    }

    /** Callers wake the thread again once the broker accepts requests. */
    @Test
    void partitionOfABusyBroker_isHeldUntilTheBrokerAnswers() throws Exception {
        for (int token = 1; token <= 5; token++) {
            send(0, token);
        }
        append(0, 6);
        turn();
        assertThat(partition(0).held).isTrue();
        awaitTold(6);
        turn();
        assertThat(partition(0).held).isFalse();
    }

    /** The topic does not exist. A thread that only waited for work would sleep for a second. */
    @Test
    void thread_looksOftenForAnUnknownTopic() {
        topics.of("unknown");
        int before = brokers.asked(1) + brokers.asked(2);
        brokers.schedule().after(Duration.ofMillis(400).toNanos(), engine::end);
        engine.run();
        assertThat(brokers.asked(1) + brokers.asked(2) - before).isGreaterThan(3);
    }

    @Test
    void topicThatIsAdded_isLookedForAtOnce() {
        brokers.topics().create("added", 1);
        ProducerTopic added = topics.of("added");
        long fromNanos = engine.nanoTime();
        passUntil(() -> added.has(0));
        assertThat(Duration.ofNanos(engine.nanoTime() - fromNanos).toMillis())
                .as("simulated milliseconds")
                .isLessThan(200);
    }

    @Test
    void requests_areCounted_withTheTimesOfTheirBatches() throws Exception {
        reopen(Duration.ofMillis(400));
        int[] numbers = {
            ProducerCounters.REQUESTS,
            ProducerCounters.BATCHES,
            ProducerCounters.ANSWERS,
            ProducerCounters.QUEUED_NANOS,
            ProducerCounters.ANSWER_NANOS
        };
        long[] before = Arrays.stream(numbers).mapToLong(counters::get).toArray();
        append(0, 1);
        awaitMillis(50);
        awaitTold(1);
        long[] added = IntStream.range(0, numbers.length)
                .mapToLong(i -> counters.get(numbers[i]) - before[i])
                .toArray();
        assertThat(added[0]).isEqualTo(1);
        assertThat(added[1]).isEqualTo(1);
        assertThat(added[2]).isEqualTo(1);
        assertThat(Duration.ofNanos(added[3]).toMillis()).isBetween(400L, 402L);
        assertThat(Duration.ofNanos(added[4]).toMillis()).isBetween(1L, 20L);
    }

    // ---- Leaders ---------------------------------------------------------------------------------------------------

    /** If an election ends with the same leader, the epoch stays the same. */
    @Test
    void leaderThatWasMissing_isLearntAgain_underTheSameEpoch() throws Exception {
        assertThat(partition(0)
                        .leader
                        .learn(PartitionLeader.NOBODY, partition(0).leader.epoch()))
                .isTrue();
        append(0, 1);
        passUntil(() -> !told.isEmpty());
        assertThat(told).containsExactly("1 written");
    }

    /** The new topic's broker would accept the second batch first. */
    @Test
    void recreatedTopic_getsItsFirstBatchAlone() throws Exception {
        Uuid recreated = brokers.topics().create(TOPIC, 2).id();
        passUntil(() -> {
            topics.miss();
            return topics.of(TOPIC).agreement.present().equals(recreated);
        });
        append(0, 1);
        turn();
        for (int passes = 0; partition(0).flying.isEmpty(); passes++) {
            assertThat(passes).isLessThan(10_000);
            process.await(1);
            turn();
        }
        append(0, 2);
        turn();
        assertThat(partition(0).flying).hasSize(1);
        passUntil(() -> told.size() == 2);
        assertThat(told).containsExactly("1 written", "2 written");
    }

    /** Neither side notices the lost connection. */
    @Test
    void requestWithoutAnAnswer_endsItsConnection_andItsBatchIsSentAgain() throws Exception {
        send(0, 1);
        silence();
        passUntil(() -> counters.get(ProducerCounters.RESENT) > 0);
        passUntil(() -> !told.isEmpty());
        assertThat(told).containsExactly("1 written");
    }

    /** The connection itself waits longer if parts of a response arrive. */
    @Test
    void requestWithoutAnAnswer_endsItsConnection_alsoIfPartsOfAnAnswerArrive() throws Exception {
        send(0, 1);
        ProducerBroker broker = Objects.requireNonNull(partition(0).broker);
        long deadlineNanos = engine.nanoTime() + settings.requestTimeout().toNanos();
        assertThat(broker.send(deadlineNanos)).isZero();
        turn();
        assertThat(counters.get(ProducerCounters.RESENT)).isZero();
        assertThat(broker.send(deadlineNanos + 1)).isZero();
        turn();
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(1);
        passUntil(() -> !told.isEmpty());
        assertThat(told).containsExactly("1 written");
    }

    /** Responses may arrive together. The broker counts all of them against the same quota. */
    @ParameterizedTest
    @CsvSource({"700, 10", "10, 700", "700, 0", "700, 700"})
    void throttledProducer_waitsForTheLongestOfTheTimes(int firstMillis, int secondMillis) throws Exception {
        send(0, 1);
        send(0, 2);
        silence();
        ProducerBroker broker = Objects.requireNonNull(partition(0).broker);
        long answeredNanos = engine.nanoTime();
        answer(broker, firstMillis);
        answer(broker, secondMillis);
        assertThat(told).containsExactly("1 written", "2 written");
        append(0, 3);
        turn();
        while (partition(0).flying.isEmpty()) {
            process.await(1);
            turn();
        }
        assertThat(Duration.ofNanos(engine.nanoTime() - answeredNanos).toMillis())
                .as("simulated milliseconds")
                .isEqualTo(700);
        assertThat(counters.get(ProducerCounters.THROTTLED_MILLIS)).isEqualTo(firstMillis + secondMillis);
    }

    private static void answer(ProducerBroker broker, int throttleMillis) {
        PartitionProduceResponse written =
                new PartitionProduceResponse().setIndex(0).setBaseOffset(5);
        TopicProduceResponse topic = new TopicProduceResponse().setName(TOPIC).setPartitionResponses(List.of(written));
        ProduceResponseData answer = new ProduceResponseData().setThrottleTimeMs(throttleMillis);
        answer.responses().add(topic);
        short version = ProduceRequest.MAX_VERSION;
        broker.answered(ApiKeys.PRODUCE, version, MessageUtil.toByteBufferAccessor(answer, version));
    }

    // ---- Sequences -------------------------------------------------------------------------------------------------

    /** The broker lacks the batch before the head of the queue, so it accepts no other batch under this epoch. */
    @ParameterizedTest
    @EnumSource(names = {"OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID", "DUPLICATE_SEQUENCE_NUMBER"})
    void gapBeforeTheHead_beginsSequencesAgain(Errors error) throws Exception {
        ProducerBatch head = send(0, 1);
        long id = partition(0).producerId;
        refuse(head, error);
        assertThat(partition(0).producerId).isEqualTo(id);
        assertThat(partition(0).epoch).isEqualTo((short) 1);
        assertThat(partition(0).gap).isFalse();
        assertThat(partition(0).waiting).containsExactly(head);
        assertThat(head.hasSequence()).isFalse();
        assertThat(counters.get(ProducerCounters.EPOCHS)).isEqualTo(1);
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(1);
        assertThat(partition(1).epoch).as("of another partition").isZero();
    }

    /** The broker lacks the batch before the gap, so that batch is sent first. */
    @Test
    void gapBehindTheHead_isClosedByTheHead() throws Exception {
        ProducerBatch head = send(0, 1);
        ProducerBatch behind = send(0, 2);
        int sequence = behind.sequence;
        refuse(behind, Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        engine.lost(partition(0), head, "connection reset");
        assertThat(partition(0).waiting).containsExactly(head, behind);
        assertThat(partition(0).epoch).isZero();
        assertThat(behind.sequence).isEqualTo(sequence);
        assertThat(counters.get(ProducerCounters.EPOCHS)).isZero();
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(2);
    }

    /** Another producer has the same id with a later epoch. */
    @Test
    void epochThatIsOver_isThatOfTheId_andAnotherIdIsAskedFor() throws Exception {
        ProducerBatch head = send(0, 1);
        refuse(head, Errors.INVALID_PRODUCER_EPOCH);
        assertThat(partition(0).producerId).isEqualTo(ProducerPartition.UNKNOWN);
        assertThat(head.hasSequence()).isFalse();
        assertThat(partition(1).producerId).isNotEqualTo(ProducerPartition.UNKNOWN);
    }

    @Test
    void batchThatIsTooLarge_isDivided_andItsFirstHalfGoesFirst() throws Exception {
        append(0, 1);
        append(0, 2);
        turn();
        ProducerBatch whole = partition(0).flying.element();
        assertThat(whole.count()).isEqualTo(2);
        int sequence = whole.sequence;
        long free = pool.freeBytes();
        refuse(whole, Errors.MESSAGE_TOO_LARGE);
        assertThat(told).isEmpty();
        turn();
        assertThat(counters.get(ProducerCounters.DIVIDED)).isEqualTo(1);
        assertThat(pool.freeBytes()).as("the whole is given back").isGreaterThan(free);
        assertThat(partition(0).flying.element().token(0)).isEqualTo(1);
        assertThat(partition(0).flying.element().sequence).isEqualTo(sequence);
        assertThat(partition(0).flying.element().count()).isEqualTo(1);
    }

    @Test
    void waitingBatchesOfARefusedTopic_areGivenUp() throws Exception {
        assertThat(partition(0)
                        .leader
                        .learn(PartitionLeader.NOBODY, partition(0).leader.epoch()))
                .isTrue();
        append(0, 1);
        append(0, 2);
        turn();
        assertThat(told).isEmpty();
        topics.of(TOPIC).refusal(new LeanException("not yours", new IllegalStateException("why")));
        turn();
        assertThat(told).containsExactly("1 is not written", "2 is not written");
    }

    // ---- Invariants ------------------------------------------------------------------------------------------------

    @Test
    void violatedInvariant_endsTheProducer_andIsItsFailure() throws Exception {
        // A planted fault: the batch is filled again while it is in flight.
        pool.release(send(0, 1));
        append(1, 2);
        engine.run();
        assertThat(engine.failure())
                .hasMessageStartingWith(
                        "the producer has failed: invariant 49 does not hold: the listener hears of each")
                .hasCauseInstanceOf(InvariantException.class);
        assertThat(engine.abandoned()).isNotNull();
        assertThat(told).hasSize(1);
    }

    /** Regression: after an OutOfMemoryError during a stop, later records got no outcome. */
    @Test
    void producerThatRunsOutOfMemory_reportsEveryRecord() throws Exception {
        send(0, 1).culprits = BatchEndTest.noMemory();
        append(0, 2);
        append(1, 3);
        engine.end();
        engine.run();
        assertThat(told).containsExactly("1 may be written", "2 is not written", "3 is not written");
        assertThat(Objects.requireNonNull(engine.abandoned()).records()).isEqualTo(3);
        assertThat(engine.hasEnded()).isTrue();
    }
}
