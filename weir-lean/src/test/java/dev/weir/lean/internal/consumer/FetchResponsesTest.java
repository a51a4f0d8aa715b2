package dev.weir.lean.internal.consumer;

import static dev.weir.lean.internal.consumer.ScriptedConsumer.EPOCH;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.HIGH_WATERMARK;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.STABLE;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.answer;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.batch;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.data;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.failure;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.noOffset;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.offset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.OffsetLostException;
import dev.weir.lean.OffsetLostPolicy;
import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.batch.Batches;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the effect of each kind of response on its partition. */
class FetchResponsesTest {

    private ScriptedConsumer consumer = new ScriptedConsumer();

    @AfterEach
    void close() {
        consumer.close();
    }

    private void reopen(UnaryOperator<LeanSettings.Builder> settings) {
        consumer.close();
        consumer = new ScriptedConsumer(settings);
    }

    /** Assigns a partition led by broker 1. Its first request is in flight. */
    private void begin(StartAt start) {
        consumer.leaders(EPOCH, 1);
        consumer.assign(0, start);
        consumer.poll();
        consumer.fetches(1);
        consumer.brokers.metadataRequests();
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endOffset_isTheEndOfTheRecordsThatMayBeRead(boolean committed) {
        reopen(settings -> settings.readCommitted(committed));
        begin(StartAt.offset(0));
        assertThat(consumer.engine.endOffset(0)).isEqualTo(-1);
        consumer.brokers.answer(1, answer(data(0)));
        consumer.poll();
        assertThat(consumer.engine.endOffset(0)).isEqualTo(committed ? STABLE : HIGH_WATERMARK);
    }

    @Test
    void responsesWithoutRecords_areCounted() {
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer());
        consumer.brokers.answer(1, answer(data(0)));
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        consumer.poll();
        assertThat(consumer.engine.metrics().fetches()).isEqualTo(3);
        assertThat(consumer.engine.metrics().emptyFetches()).isEqualTo(2);
        assertThat(consumer.engine.metrics().records()).isEqualTo(3);
    }

    /** A broker may cut off the last batch of a response. The consumer fetches it again (KIP-74). */
    @ParameterizedTest
    @ValueSource(ints = {1, 11, 12, 60, 61, 100})
    void batchThatIsCutOff_isLeftOut_unlessItIsTheFirst(int length) {
        begin(StartAt.offset(0));
        ByteBuffer rest = batch(6).limit(length);
        consumer.brokers.answer(1, answer(data(0, batch(0), batch(3), rest)));
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(consumer.fetches(1)).containsExactly("77/1 [6-0@6 of 3 after 5]");
        consumer.brokers.answer(1, answer(data(0, rest)));
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("t-0@6");
        assertThat(consumer.fetches(1)).isEmpty();
    }

    /** Compaction may leave a batch without records. It still moves the offset. */
    @Test
    void batchOfAHeaderOnly_movesTheNextOffset() {
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer(data(0, Batches.withoutRecords(0, 3))));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/1 [6-0@3 of 3 after 5]");
        assertThat(consumer.engine.position(0)).isEqualTo(3);
        assertThat(consumer.offsets).isEmpty();
    }

    /** The broker would send the same batches again and again. */
    @Test
    void batchesBeforeTheOffset_areAFault_andCanBeSkipped() {
        begin(StartAt.offset(3));
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("t-0@3");
        assertThat(consumer.engine.isAtFault(0)).isTrue();
        consumer.engine.seek(0, StartAt.offset(4));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/1 [6-0@4 of 3 after -1]");
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"NONE", "TOPIC_AUTHORIZATION_FAILED"})
    void responseOfTheFormerLeader_isIgnored(Errors error) {
        begin(StartAt.offset(0));
        consumer.leaders(EPOCH + 1, 2);
        consumer.refresh();
        assertThat(consumer.engine.broker(0)).isEqualTo(2);
        assertThat(consumer.fetches(2)).hasSize(1);
        consumer.brokers.answer(1, answer(data(0, batch(0)).setErrorCode(error.code())));
        consumer.poll();
        assertThat(consumer.offsets).isEmpty();
        consumer.brokers.answer(2, answer(data(0, batch(0))));
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
    }

    // ---- Batches that are too large --------------------------------------------------------------------------------

    private static ByteBuffer largeBatch() {
        return Batches.batch(
                CompressionType.NONE,
                0,
                List.of(new SimpleRecord(new byte[50_000]), new SimpleRecord(new byte[50_000])));
    }

    /** A header may be wrong: no end beyond the high watermark is believed. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 100})
    void batchLargerThanAllowed_isAFault_andCanBeSkippedIfItsEndIsKnown(long highWatermark) {
        reopen(settings -> settings.maxFetchBytes(1_024).maxResponseBytes(70_000));
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer(data(0, largeBatch()).setHighWatermark(highWatermark)));
        BatchTooLargeException fault = catchThrowableOfType(BatchTooLargeException.class, consumer::poll);
        assertThat(fault.sizeBytes()).isEqualTo(largeBatch().limit());
        assertThat(fault.limitBytes()).isEqualTo(70_000);
        assertThat(fault).hasMessageContaining("t-0@0").hasMessageContaining("maxResponseBytes=70000");
        assertThat(consumer.engine.bytesAtFault(0)).isNull();
        assertThat(consumer.engine.offsetBehindFault(0)).isEqualTo(highWatermark >= 2 ? 2 : -1);
        if (highWatermark >= 2) {
            consumer.engine.skipBatch(0);
            consumer.pass(25);
            assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@2 of 3 after -1]");
        } else {
            assertThatIllegalStateException()
                    .isThrownBy(() -> consumer.engine.skipBatch(0))
                    .withMessageContaining("t-0");
        }
    }

    // ---- Logs that differ ------------------------------------------------------------------------------------------

    /** The next leader may know the epoch. */
    @Test
    void epochThatALeaderDoesNotKnow_isLeftOut_untilAnotherLeaderIsElected() {
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/1 [6-0@3 of 3 after 5]");
        consumer.brokers.answer(
                1,
                answer(data(0).setDivergingEpoch(
                                new EpochEndOffset().setEpoch(4).setEndOffset(3))));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/2 [6-0@3 of 3 after -1]");
        consumer.refresh();
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/3 []");
        consumer.leaders(EPOCH + 1, 1);
        consumer.refresh();
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/4 [6-0@3 of 4 after 5]");
        assertThat(consumer.engine.metrics().resets()).isZero();
    }

    /** The delivered records before the difference are not repeated. */
    @Test
    void truncatedLog_isReadFromTheDifference() {
        reopen(settings -> settings.onOffsetLost(OffsetLostPolicy.BEGINNING));
        begin(StartAt.offset(10, 5));
        consumer.brokers.answer(
                1,
                answer(data(0).setDivergingEpoch(
                                new EpochEndOffset().setEpoch(4).setEndOffset(8))));
        consumer.poll();
        assertThat(consumer.engine.position(0)).isEqualTo(8);
        assertThat(consumer.engine.leaderEpoch(0)).isEqualTo(4);
        assertThat(consumer.fetches(1)).containsExactly("77/1 [6-0@8 of 3 after 4]");
        assertThat(consumer.engine.metrics().resets()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void offsetOutsideTheLog_isLost_afterTheBufferedRecords(OffsetLostPolicy policy) {
        reopen(settings -> settings.onOffsetLost(policy));
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        consumer.poll(record -> consumer.engine.pause(0));
        consumer.brokers.answer(1, answer(failure(0, Errors.OFFSET_OUT_OF_RANGE)));
        consumer.poll();
        consumer.engine.resume(0);
        if (policy == OffsetLostPolicy.FAIL) {
            assertThatExceptionOfType(OffsetLostException.class)
                    .isThrownBy(consumer::poll)
                    .withMessageContaining("t-0@3")
                    .withMessageContaining("not in the log");
            assertThat(consumer.engine.metrics().resets()).isZero();
        } else {
            consumer.poll();
            assertThat(consumer.engine.metrics().resets()).isZero();
            consumer.brokers.answer(1, answer(failure(0, Errors.OFFSET_OUT_OF_RANGE)));
            consumer.poll();
            assertThat(consumer.engine.metrics().resets()).isEqualTo(1);
            assertThat(consumer.offsetRequests(1))
                    .containsExactly("t [0 3 " + (policy == OffsetLostPolicy.BEGINNING ? -2 : -1) + "]");
        }
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
    }

    // ---- Start positions -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void offsetRequest_hasTheIsolation_andTheEpochOfTheLeader(boolean committed) {
        reopen(settings -> settings.readCommitted(committed));
        consumer.leaders(EPOCH, 1, 1, 1);
        consumer.assign(0, StartAt.end());
        consumer.assign(1, StartAt.beginning());
        consumer.assign(2, StartAt.offset(7));
        consumer.poll();
        ListOffsetsRequestData request = (ListOffsetsRequestData)
                consumer.brokers.received(1, ApiKeys.LIST_OFFSETS).getFirst();
        assertThat(request.isolationLevel()).isEqualTo((byte) (committed ? 1 : 0));
        assertThat(request.replicaId()).isEqualTo(-1);
        assertThat(request.topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.partitions())
                        .extracting(each ->
                                each.partitionIndex() + " " + each.currentLeaderEpoch() + " " + each.timestamp())
                        .containsExactly("0 3 -1", "1 3 -2"));
        FetchRequestData fetch =
                (FetchRequestData) consumer.brokers.received(1, ApiKeys.FETCH).getFirst();
        assertThat(fetch.isolationLevel()).isEqualTo((byte) (committed ? 1 : 0));
    }

    /** The end comes first, so that no record appended in between is missed. */
    @Test
    void timeWithoutARecord_isTheEndOfTheLogBefore() {
        begin(StartAt.time(Instant.ofEpochMilli(5)));
        assertThat(consumer.offsetRequests(1)).containsExactly("t [0 3 -1]");
        consumer.brokers.answer(1, offset(0, 40));
        consumer.poll();
        assertThat(consumer.offsetRequests(1)).containsExactly("t [0 3 5]");
        consumer.brokers.answer(1, offset(0, -1));
        consumer.poll();
        assertThat(consumer.engine.position(0)).isEqualTo(40);
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@40 of 3 after -1]");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 12})
    void startPosition_mayBeAnyOffset(long first) {
        begin(StartAt.beginning());
        assertThat(consumer.engine.position(0)).isEqualTo(-1);
        consumer.brokers.answer(1, offset(0, first));
        consumer.poll();
        assertThat(consumer.engine.position(0)).isEqualTo(first);
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@" + first + " of 3 after -1]");
    }

    @Test
    void startPositionThatIsNotKnownYet_isRequestedAgainAfterAWait() {
        begin(StartAt.beginning());
        consumer.offsetRequests(1);
        consumer.brokers.answer(1, offset(0, -1));
        consumer.poll();
        consumer.pass(49);
        assertThat(consumer.offsetRequests(1)).isEmpty();
        consumer.pass(1);
        assertThat(consumer.offsetRequests(1)).hasSize(1);

        // An error that passes makes the consumer look for the leader, too.
        consumer.brokers.answer(1, noOffset(0, Errors.NOT_LEADER_OR_FOLLOWER));
        consumer.poll();
        assertThat(consumer.engine.broker(0)).isEqualTo(-1);
        assertThat(consumer.engine.metrics().relocations()).isEqualTo(1);
        consumer.pass(25);
        assertThat(consumer.engine.broker(0)).isEqualTo(1);
        consumer.pass(24);
        assertThat(consumer.offsetRequests(1)).isEmpty();
        consumer.pass(1);
        assertThat(consumer.offsetRequests(1)).hasSize(1);
        assertThat(consumer.engine.position(0)).isEqualTo(-1);
    }

    @Test
    void startPositionThatIsRefused_isAFault() {
        begin(StartAt.end());
        consumer.brokers.answer(1, noOffset(0, Errors.TOPIC_AUTHORIZATION_FAILED));
        assertThatExceptionOfType(PartitionException.class)
                .isThrownBy(consumer::poll)
                .withMessageStartingWith("t-0@0: no offset for its start: ");
        consumer.pass(100);
        assertThat(consumer.engine.isAtFault(0)).isTrue();
        assertThat(consumer.offsetRequests(1)).hasSize(1);
        assertThat(consumer.engine.metrics().relocations()).isZero();
    }

    // ---- Errors of a partition -------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {
                "NOT_LEADER_OR_FOLLOWER",
                "UNKNOWN_LEADER_EPOCH",
                "OFFSET_NOT_AVAILABLE",
                "FENCED_LEADER_EPOCH",
                "REPLICA_NOT_AVAILABLE",
                "KAFKA_STORAGE_ERROR",
                "UNKNOWN_TOPIC_OR_PARTITION",
                "UNKNOWN_TOPIC_ID",
                "INCONSISTENT_TOPIC_ID",
                "LEADER_NOT_AVAILABLE",
                "UNKNOWN_SERVER_ERROR",
                "REQUEST_TIMED_OUT"
            })
    void errorThatPasses_makesTheConsumerLookForTheLeader(Errors error) {
        begin(StartAt.offset(0));
        consumer.brokers.answer(1, answer(failure(0, error)));
        consumer.poll();
        assertThat(consumer.engine.broker(0)).isEqualTo(-1);
        assertThat(consumer.engine.metrics().relocations()).isEqualTo(1);
        assertThat(consumer.brokers.metadataRequests()).isZero();
        consumer.pass(25);
        assertThat(consumer.brokers.metadataRequests()).isEqualTo(1);
        assertThat(consumer.engine.broker(0)).isEqualTo(1);
        assertThat(consumer.fetches(1)).hasSize(1);
        assertThat(consumer.engine.isAtFault(0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"TOPIC_AUTHORIZATION_FAILED", "CORRUPT_MESSAGE", "UNSUPPORTED_COMPRESSION_TYPE"})
    void errorThatDoesNotPass_isAFault_thatIsThrownOnce(Errors error) {
        begin(StartAt.offset(4));
        consumer.brokers.answer(1, answer(failure(0, error)));
        assertThatExceptionOfType(PartitionException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("t-0@4")
                .withMessageContaining(
                        error == Errors.TOPIC_AUTHORIZATION_FAILED ? "not authorised" : error + ": " + error.message());
        consumer.refresh();
        consumer.pass(1_000);
        assertThat(consumer.engine.isAtFault(0)).isTrue();
        assertThat(consumer.fetches(1)).isEmpty();
    }
}
