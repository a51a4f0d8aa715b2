package dev.weir.lean.internal.consumer;

import static dev.weir.lean.internal.consumer.ScriptedConsumer.EPOCH;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.TOPIC;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.answer;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.batch;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.data;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.CorruptBatchPolicy;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests assignments, and the delivery of records and faults. */
class ConsumerEngineTest {

    private ScriptedConsumer consumer = new ScriptedConsumer();

    @AfterEach
    void close() {
        consumer.close();
    }

    private void reopen(UnaryOperator<LeanSettings.Builder> settings) {
        consumer.close();
        consumer = new ScriptedConsumer(settings);
    }

    /** Assigns partitions from offset 0, led by broker 1. Their first request is in flight. */
    private void begin(int partitions) {
        consumer.leaders(EPOCH, 1, 1, 1);
        for (int partition = 0; partition < partitions; partition++) {
            assertThat(consumer.assign(partition, StartAt.offset(0))).isEqualTo(partition);
        }
        consumer.poll();
    }

    // ---- Assignments -----------------------------------------------------------------------------------------------

    @Test
    void indexOfARemovedPartition_isGivenToTheNextOne() {
        begin(3);
        consumer.engine.unassign(1);
        assertThat(consumer.engine.assigned()).containsExactly(0, 2);
        assertThat(consumer.assign(5, StartAt.offset(0))).isEqualTo(1);
        consumer.engine.unassign(0);
        assertThat(consumer.assign(6, StartAt.offset(0))).isZero();
        assertThat(consumer.assign(7, StartAt.offset(0))).isEqualTo(3);
        assertThat(consumer.engine.assigned()).containsExactly(0, 1, 2, 3);
        assertThat(consumer.engine.partition(1)).isEqualTo(new TopicPartition(TOPIC, 5));
        assertThat(consumer.engine.partition(0)).isEqualTo(new TopicPartition(TOPIC, 6));
        assertThat(consumer.engine.index(TOPIC, 7)).isEqualTo(3);
        assertThat(consumer.engine.index(TOPIC, 0)).isEqualTo(-1);
        assertThat(consumer.engine.index(TOPIC, 8)).isEqualTo(-1);
        assertThat(consumer.engine.index(TOPIC, -1)).isEqualTo(-1);
        assertThat(consumer.engine.index("another", 0)).isEqualTo(-1);
    }

    @Test
    void indexWithoutAPartition_isRefused() {
        begin(2);
        consumer.engine.unassign(1);
        for (int index : new int[] {-1, 1, 2}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> consumer.engine.position(index))
                    .withMessageContaining("index=" + index);
        }
        assertThat(consumer.engine.position(0)).isZero();
    }

    @Test
    void partitionThatCannotBeAssigned_isRefused() {
        begin(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> consumer.assign(0, StartAt.offset(5)))
                .withMessageContaining("t-0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> consumer.assign(-1, StartAt.offset(0)))
                .withMessageContaining("partition=-1");
        assertThat(consumer.engine.assigned()).containsExactly(0);
    }

    @Test
    void wholeTopicRemoved_leavesPartitionsOfOtherTopics() {
        begin(2);
        consumer.brokers.topic("another", new Uuid(1, 2), EPOCH, 1, 1);
        consumer.engine.assignAll("another", StartAt.beginning());
        consumer.poll();
        assertThat(consumer.engine.assigned()).containsExactly(0, 1, 2, 3);
        consumer.engine.unassignAll("another");
        assertThat(consumer.engine.assigned()).containsExactly(0, 1);
        consumer.refresh();
        assertThat(consumer.engine.assigned()).containsExactly(0, 1);
    }

    /** The records and the fault have arrived, but are not delivered yet. */
    @Test
    void partitionRemoved_deliversNothingMore() {
        reopen(settings -> settings.maxPollRecords(1));
        begin(3);
        consumer.brokers.answer(
                1, answer(data(0, batch(0)), data(1, batch(10)), failure(2, Errors.TOPIC_AUTHORIZATION_FAILED)));
        while (consumer.offsets.isEmpty()) {
            consumer.pollOnce(record -> {});
        }
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
        consumer.engine.unassign(1);
        consumer.engine.unassign(2);
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
    }

    // ---- Delivery --------------------------------------------------------------------------------------------------

    /** The current batch is always delivered completely. */
    @Test
    void poll_deliversNoFurtherBatch_onceItHasTheLimit() {
        reopen(settings -> settings.maxPollRecords(4));
        begin(3);
        consumer.brokers.answer(
                1, answer(data(0, batch(0), batch(3), batch(6)), data(1, batch(10)), data(2, batch(20))));
        List<Integer> perPoll = new ArrayList<>();
        while (consumer.offsets.size() < 15) {
            int before = consumer.offsets.size();
            consumer.pollOnce(record -> {});
            if (consumer.offsets.size() > before) {
                perPoll.add(consumer.offsets.size() - before);
            }
        }
        // Partitions take turns.
        assertThat(perPoll).containsExactly(6, 6, 3);
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 10L, 11L, 12L, 20L, 21L, 22L, 6L, 7L, 8L);
    }

    @Test
    void pollWithinAHandler_isRefused_andTheRecordIsDeliveredAgain() {
        begin(1);
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        assertThatIllegalStateException()
                .isThrownBy(() -> consumer.poll(record -> consumer.engine.poll(each -> {}, null)))
                .withMessageContaining("from a handler");
        assertThat(consumer.engine.position(0)).isZero();
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 0L, 1L, 2L);
    }

    /** The record's bytes may be overwritten. */
    @Test
    void recordKeptAfterItsHandlerFailed_showsNothing() {
        begin(1);
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        AtomicReference<RecordView> kept = new AtomicReference<>();
        assertThatIllegalStateException()
                .isThrownBy(() -> consumer.poll(record -> {
                    kept.set(record);
                    throw new IllegalStateException("planned");
                }));
        assertThat(kept.get().value().isNull()).isTrue();
    }

    @Test
    void await_waitsOnlyIfNoRecordsAreLeft() throws Exception {
        begin(1);
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        while (consumer.offsets.isEmpty()) {
            consumer.pollOnce(record -> consumer.engine.endPoll());
        }
        assertThat(consumer.offsets).containsExactly(0L);
        consumer.engine.await(30);
        assertThat(consumer.brokers.waits).isEmpty();
        consumer.poll();
        consumer.engine.await(30);
        assertThat(consumer.brokers.waits).containsExactly(30L);
        consumer.engine.wakeup();
        assertThat(consumer.brokers.wakeups).isEqualTo(1);
    }

    @Test
    void closedConsumer_hasNoConnection_andDoesNotPoll() {
        begin(1);
        assertThat(consumer.brokers.openConnections()).isEqualTo(2);
        consumer.engine.close();
        assertThat(consumer.brokers.openConnections()).isZero();
        assertThatIllegalStateException().isThrownBy(consumer::poll).withMessageContaining("closed");
    }

    // ---- Faults ----------------------------------------------------------------------------------------------------

    private static ByteBuffer damaged(long offset) {
        ByteBuffer batch = batch(offset);
        return batch.put(70, (byte) ~batch.get(70));
    }

    @Test
    void faultyBatch_canBeInspectedAndSkipped_andOtherPartitionsAreRead() {
        begin(2);
        assertThat(consumer.engine.bytesAtFault(0)).isNull();
        assertThat(consumer.engine.offsetBehindFault(0)).isEqualTo(-1);
        assertThatIllegalStateException()
                .isThrownBy(() -> consumer.engine.skipBatch(0))
                .withMessageContaining("t-0");
        consumer.brokers.answer(1, answer(data(0, batch(0), damaged(3), batch(6)), data(1, batch(10))));
        assertThatExceptionOfType(CorruptBatchException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("t-0@3");
        byte[] bytes = new byte[damaged(3).limit()];
        damaged(3).get(bytes);
        assertThat(consumer.engine.bytesAtFault(0)).isEqualTo(bytes);
        assertThat(consumer.engine.offsetBehindFault(0)).isEqualTo(6);
        assertThat(consumer.engine.position(0)).isEqualTo(3);
        assertThat(consumer.engine.leaderEpoch(0)).isEqualTo(5);
        assertThat(consumer.engine.isAtFault(0)).isTrue();
        assertThat(consumer.engine.isAtFault(1)).isFalse();
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L, 10L, 11L, 12L);

        consumer.fetches(1);
        consumer.engine.skipBatch(0);
        assertThat(consumer.engine.offsetBehindFault(0)).isEqualTo(-1);
        assertThat(consumer.engine.bytesAtFault(0)).isNull();
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(consumer.fetches(1)).singleElement().asString().contains("[6-0@6 of 3 after -1]");
    }

    @Test
    void faultyBatch_withThePolicyToSkip_isLeftOut_andCounted() {
        reopen(settings -> settings.onCorruptBatch(CorruptBatchPolicy.SKIP));
        begin(1);
        consumer.brokers.answer(1, answer(data(0, batch(0), damaged(3), batch(6))));
        consumer.poll();
        assertThat(consumer.engine.metrics().corruptBatches()).isEqualTo(1);
        assertThat(consumer.engine.isAtFault(0)).isFalse();
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(consumer.fetches(1).getLast()).contains("[6-0@6 of 3 after -1]");
    }

    /** The records before the fault come first, even if they were paused when the fault arrived. */
    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"TOPIC_AUTHORIZATION_FAILED", "CORRUPT_MESSAGE"})
    void faultOfAPartition_isThrownAfterItsRecords_once(Errors error) {
        reopen(settings -> settings.maxPollRecords(1));
        begin(1);
        consumer.brokers.answer(1, answer(data(0, batch(0), batch(3))));
        consumer.poll(record -> consumer.engine.pause(0));
        consumer.brokers.answer(1, answer(failure(0, error)));
        consumer.poll();
        assertThat(consumer.engine.isPaused(0)).isTrue();
        assertThat(consumer.engine.isAtFault(0)).isTrue();
        consumer.engine.resume(0);
        assertThat(consumer.engine.isPaused(0)).isFalse();
        assertThatExceptionOfType(PartitionException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("t-0@6");
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        consumer.poll();
        assertThat(consumer.engine.isAtFault(0)).isTrue();
    }

    // ---- Counters --------------------------------------------------------------------------------------------------

    @Test
    void eachCounter_isShownUnderItsName() {
        ConsumerCounters counters = new ConsumerCounters();
        counters.delivered(3, 700);
        counters.delivered(2, 0);
        counters.delivered(0, 61);
        counters.leftOut();
        counters.leftOut();
        counters.leftOut();
        for (int counter = ConsumerCounters.CORRUPT; counter <= ConsumerCounters.COPIED; counter++) {
            counters.add(counter, 100);
            counters.add(counter, counter);
        }
        LeanMetrics metrics = counters.snapshot();
        assertThat(metrics.records()).isEqualTo(5);
        assertThat(metrics.bytes()).isEqualTo(761);
        assertThat(metrics.batches()).isEqualTo(2);
        assertThat(metrics.leftOutBatches()).isEqualTo(3);
        assertThat(List.of(
                        metrics.corruptBatches(),
                        metrics.fetches(),
                        metrics.emptyFetches(),
                        metrics.connects(),
                        metrics.disconnects(),
                        metrics.relocations(),
                        metrics.resets(),
                        metrics.metadataRefreshes(),
                        metrics.throttledMillis(),
                        metrics.copiedBytes()))
                .containsExactly(104L, 105L, 106L, 107L, 108L, 109L, 110L, 111L, 112L, 113L);
        assertThat(counters.throttledMillis()).isEqualTo(112);
    }
}
