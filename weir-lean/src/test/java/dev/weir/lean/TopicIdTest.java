package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests passing a position and a topic id between consumers while the topic is recreated. */
class TopicIdTest {

    private static final Uuid ANOTHER_ID = Uuid.randomUuid();

    private final FakeLog log = new FakeLog();
    private FakeBroker broker;

    /** Topic id that the broker does not know. */
    private volatile @Nullable Uuid refused;

    @BeforeEach
    void open() throws Exception {
        broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), this::serve);
        broker.partitions(2);
    }

    @AfterEach
    void close() throws Exception {
        broker.close();
    }

    private FetchResponseData serve(FetchRequestData request) {
        FetchResponseData answer = log.serveAll(request);
        answer.responses().stream()
                .filter(topic -> topic.topicId().equals(refused))
                .flatMap(topic -> topic.partitions().stream())
                .forEach(each ->
                        each.setErrorCode(Errors.UNKNOWN_TOPIC_ID.code()).setRecords(MemoryRecords.EMPTY));
        return answer;
    }

    private LeanConsumer consumer(Duration metadataMaxAge) throws Exception {
        return LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(broker.address())
                .metadataMaxAge(metadataMaxAge)
                .build());
    }

    /** The fault is thrown at the end of the pause, but must be reported before. */
    @Test
    void topicRecreated_whileItsPartitionIsPaused_isAFaultBeforeItIsThrown() throws Exception {
        try (LeanConsumer consumer = consumer(Duration.ofMillis(100))) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            FakeLog.pollUntil(consumer, record -> consumer.pause(record.index()), () -> consumer.isPaused(index));
            assertThat(consumer.isAtFault(index)).isFalse();
            assertThat(consumer.topicId(index)).isEqualTo(FakeBroker.TOPIC_ID);

            broker.topicId(ANOTHER_ID);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(ANOTHER_ID));
            assertThat(consumer.position(index)).isEqualTo(1);
            assertThat(consumer.isAtFault(index)).isTrue();

            consumer.resume(index);
            assertThatThrownBy(() -> FakeLog.pollUntil(consumer, record -> {}, () -> false))
                    .isInstanceOf(OffsetLostException.class);
            assertThat(consumer.isAtFault(index)).isTrue();
            consumer.seek(index, StartAt.beginning());
            assertThat(consumer.isAtFault(index)).isFalse();
        }
    }

    /** Regression: an offset of the old topic was used in the new topic. */
    @Test
    void answerAboutTheOldTopic_isNoPlaceInTheNewOne() throws Exception {
        List<Long> offsets = new ArrayList<>();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch known = new CountDownLatch(1);
        try (FakeBroker leader = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serveAll)) {
            broker.leader(leader.port());
            leader.offsets(wanted -> {
                boolean first = asked.getCount() > 0;
                asked.countDown();
                await(known);
                return first ? 20 : 0;
            });
            try (LeanConsumer consumer = consumer(Duration.ofMinutes(5))) {
                int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
                FakeLog.pollUntil(consumer, record -> {}, () -> asked.getCount() == 0);
                broker.topicId(ANOTHER_ID);
                // Makes the consumer request metadata.
                consumer.pause(consumer.assign(FakeBroker.TOPIC, 1, StartAt.offset(0)));
                FakeLog.pollUntil(
                        consumer, record -> {}, () -> consumer.topicId(index).equals(ANOTHER_ID));
                known.countDown();
                FakeLog.pollUntil(
                        consumer, record -> offsets.add(record.offset()), () -> offsets.contains(FakeLog.END - 1L));
            } finally {
                known.countDown();
            }
        }
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Regression: all records were read again, or the read failed. */
    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void brokerThatNamesTheOldTopicAgain_isNotBelieved(OffsetLostPolicy policy) throws Exception {
        List<Long> offsets = new ArrayList<>();
        try (LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(broker.address())
                .metadataMaxAge(Duration.ofMillis(100))
                .onOffsetLost(policy)
                .build())) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            consumer.pause(index);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(FakeBroker.TOPIC_ID));
            broker.topicId(ANOTHER_ID);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(ANOTHER_ID));
            consumer.resume(index);
            RecordHandler handler = record -> offsets.add(record.offset());
            FakeLog.pollUntil(consumer, handler, () -> offsets.size() >= FakeLog.END);

            broker.topicId(FakeBroker.TOPIC_ID);
            refresh(consumer, handler);
            broker.topicId(ANOTHER_ID);
            refresh(consumer, handler);
            assertThat(consumer.topicId(index)).isEqualTo(ANOTHER_ID);
            assertThat(consumer.isAtFault(index)).isFalse();
            assertThat(consumer.metrics().resets()).isZero();
        }
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
    }

    /** Regression: after a broker had named an older topic, the true topic id was refused. */
    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void staleBroker_thatNamesAnOlderTopicSecond_isNotBelieved(OffsetLostPolicy policy) throws Exception {
        List<Long> offsets = new ArrayList<>();
        try (FakeBroker stale = staleBroker();
                LeanConsumer consumer = consumerAmongTwo(policy)) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            RecordHandler handler = record -> offsets.add(record.offset());
            FakeLog.pollUntil(consumer, handler, () -> offsets.size() >= FakeLog.END);
            FakeLog.pollUntil(consumer, handler, () -> stale.metadataAnswers() > 2);
            int before = broker.metadataAnswers();
            FakeLog.pollUntil(consumer, handler, () -> broker.metadataAnswers() > before + 1);
            assertThat(consumer.topicId(index)).isEqualTo(FakeBroker.TOPIC_ID);
            assertThat(consumer.isAtFault(index)).isFalse();
            assertThat(consumer.metrics().resets()).isZero();
        }
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
    }

    /** Two brokers first name a wrong topic id, later the right one. Regression: the right id was refused forever. */
    @Test
    void idThatWasLeftByMistake_isBelievedAgain_whenTheLeaderRefusesTheOther() throws Exception {
        refused = ANOTHER_ID;
        try (FakeBroker other = staleBroker();
                LeanConsumer consumer = consumerAmongTwo(OffsetLostPolicy.BEGINNING)) {
            other.topicId(FakeBroker.TOPIC_ID);
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(FakeBroker.TOPIC_ID));
            broker.topicId(ANOTHER_ID);
            other.topicId(ANOTHER_ID);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(ANOTHER_ID));

            broker.topicId(FakeBroker.TOPIC_ID);
            other.topicId(FakeBroker.TOPIC_ID);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(FakeBroker.TOPIC_ID));
            List<Long> offsets = new ArrayList<>();
            consumer.seek(index, StartAt.beginning());
            FakeLog.pollUntil(
                    consumer, record -> offsets.add(record.offset()), () -> offsets.contains(FakeLog.END - 1L));
        }
    }

    /** The consumer must query another broker immediately, whatever the age of its metadata. */
    @Test
    void recreatedTopic_amongTwoBrokers_isSeenWithoutWaitingForTheNextRefresh() throws Exception {
        try (FakeBroker other = staleBroker();
                LeanConsumer consumer = consumer(Duration.ofMinutes(5))) {
            other.topicId(FakeBroker.TOPIC_ID);
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            consumer.pause(index);
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(FakeBroker.TOPIC_ID));
            broker.topicId(ANOTHER_ID);
            other.topicId(ANOTHER_ID);
            // Makes the consumer request metadata.
            consumer.pause(consumer.assign(FakeBroker.TOPIC, 1, StartAt.offset(0)));
            FakeLog.pollUntil(
                    consumer, record -> {}, () -> consumer.topicId(index).equals(ANOTHER_ID));
            assertThat(other.metadataAnswers()).isPositive();
        }
    }

    /** Starts a broker that names another topic id. The first broker leads all partitions. */
    private FakeBroker staleBroker() throws Exception {
        FakeBroker stale = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serveAll);
        stale.partitions(2);
        stale.topicId(ANOTHER_ID);
        stale.leader(broker.port());
        stale.near(stale.port());
        broker.near(stale.port());
        return stale;
    }

    private LeanConsumer consumerAmongTwo(OffsetLostPolicy policy) throws Exception {
        return LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(broker.address())
                .metadataMaxAge(Duration.ofMillis(100))
                .onOffsetLost(policy)
                .build());
    }

    private static void refresh(LeanConsumer consumer, RecordHandler handler) {
        long before = consumer.metrics().metadataRefreshes();
        FakeLog.pollUntil(consumer, handler, () -> consumer.metrics().metadataRefreshes() > before + 2);
    }

    /** The new consumer may know an older topic than the position's. */
    @Test
    void placeInTheNewTopic_givenToAConsumerThatKnowsTheOldOne_isAPlace() throws Exception {
        List<Long> second = new ArrayList<>();
        try (LeanConsumer consumer = consumer(Duration.ofMinutes(5))) {
            int known = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            FakeLog.pollUntil(consumer, record -> consumer.pause(record.index()), () -> consumer.isPaused(known));

            broker.topicId(ANOTHER_ID);
            int given = consumer.assign(FakeBroker.TOPIC, 1, StartAt.offset(5), ANOTHER_ID);
            assertThat(consumer.topicId(given)).isEqualTo(ANOTHER_ID);
            FakeLog.pollUntil(consumer, record -> second.add(record.offset()), () -> second.size() >= FakeLog.END - 5);
            assertThat(second)
                    .isEqualTo(LongStream.range(5, FakeLog.END).boxed().toList());
            assertThat(consumer.isAtFault(given)).isFalse();
            assertThat(consumer.isAtFault(known)).isTrue();
        }
    }

    /** Regression: one stale broker made a valid position count as lost. */
    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void placeInTheNewTopic_contradictedByOneStaleBroker_isAPlace(OffsetLostPolicy policy) throws Exception {
        List<Long> offsets = new ArrayList<>();
        RecordHandler handler = record -> offsets.add(record.offset());
        try (FakeBroker other = staleBroker();
                LeanConsumer consumer = consumerAmongTwo(policy)) {
            int given = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(5), ANOTHER_ID);
            FakeLog.pollUntil(consumer, handler, () -> other.metadataAnswers() > 1 && broker.metadataAnswers() > 1);
            assertThat(consumer.topicId(given)).isEqualTo(ANOTHER_ID);
            assertThat(consumer.position(given)).isEqualTo(5);
            assertThat(offsets).isEmpty();

            broker.topicId(ANOTHER_ID);
            FakeLog.pollUntil(consumer, handler, () -> offsets.size() >= FakeLog.END - 5);
            assertThat(consumer.metrics().resets()).isZero();
        }
        assertThat(offsets).isEqualTo(LongStream.range(5, FakeLog.END).boxed().toList());
    }

    @Test
    void placeInAnotherTopic_contradictedByTwoBrokers_isNone() throws Exception {
        try (FakeBroker other = staleBroker();
                LeanConsumer consumer = consumerAmongTwo(OffsetLostPolicy.FAIL)) {
            other.topicId(FakeBroker.TOPIC_ID);
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(5), ANOTHER_ID);
            assertThatThrownBy(() -> FakeLog.pollUntil(consumer, record -> {}, () -> false))
                    .isInstanceOf(OffsetLostException.class);
            assertThat(other.metadataAnswers()).isPositive();
        }
    }
}
