package dev.weir.lean;

import static dev.weir.lean.Sends.LONG;
import static dev.weir.lean.Sends.numbers;
import static dev.weir.lean.Sends.send;
import static dev.weir.lean.Sends.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.WrittenLog.Fault;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a lean producer with brokers that do not know new leaders, new partitions, or the producer. */
@Timeout(120)
class ProducerAmongStaleBrokersTest {

    private final Sends sends = new Sends();
    private final WrittenLog log = sends.log;
    private FakeBroker first;
    private FakeBroker second;

    @BeforeEach
    void start() throws Exception {
        first = broker();
        second = broker();
        second.leader(first.port());
        second.near(second.port());
    }

    private FakeBroker broker() throws Exception {
        FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> new FetchResponseData());
        broker.produces(log::answer);
        return broker;
    }

    @AfterEach
    void stop() throws Exception {
        first.close();
        second.close();
    }

    private static ProduceResponseData notLeader(ProduceRequestData request) {
        return notLeader(request, new LeaderIdAndEpoch());
    }

    private static ProduceResponseData notLeader(ProduceRequestData request, LeaderIdAndEpoch leader) {
        ProduceResponseData answer = new ProduceResponseData();
        request.topicData()
                .forEach(topic -> answer.responses()
                        .add(new TopicProduceResponse()
                                .setName(topic.name())
                                .setPartitionResponses(topic.partitionData().stream()
                                        .map(each -> new PartitionProduceResponse()
                                                .setIndex(each.index())
                                                .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                                                .setCurrentLeader(leader)
                                                .setBaseOffset(-1))
                                        .toList())));
        return answer;
    }

    /** Regression: the producer queried the same stale broker until its records timed out. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void brokerThatIsBehind_isNotTheOnlyOneThatIsAskedForLeaders(boolean namesTheOther) throws Exception {
        first.produces(ProducerAmongStaleBrokersTest::notLeader);
        first.near(namesTheOther ? second.port() : 0);
        second.moved(0);
        String bootstrap = first.address() + (namesTheOther ? "" : "," + second.address());
        try (LeanProducer producer = LeanProducer.open(settings(bootstrap).build(), sends)) {
            send(producer, 0, 0, 10);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(sends.failures).isEmpty();
        assertThat(log.values(0)).isEqualTo(numbers(0, 10));
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 10));
    }

    /** The metadata never name the new leader. A broker's refusal does. */
    @Test
    void leaderThatARefusalNames_getsTheRecords() throws Exception {
        first.produces(request -> notLeader(
                request, new LeaderIdAndEpoch().setLeaderId(FakeBroker.NEAR).setLeaderEpoch(7)));
        first.near(second.port());
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), sends)) {
            send(producer, 0, 0, 10);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(sends.failures).isEmpty();
        assertThat(log.values(0)).isEqualTo(numbers(0, 10));
    }

    /** Ways to hide that a broker has forgotten a producer. */
    enum Disguise {
        NONE,
        /** Reports an unknown batch as a duplicate, as old brokers did. */
        DUPLICATE,
        UNKNOWN_PRODUCER,
        /** Does not return the offsets of written batches. */
        NO_OFFSETS
    }

    /**
     * The first batches are refused. An unknown producer's next batch is then accepted, ahead of them. Regression: the
     * first batch was counted as written if another producer's records were at its offsets.
     */
    @ParameterizedTest
    @CsvSource({
        "0, 1, NONE",
        "1, 1, NONE",
        "2, 1, NONE",
        "3, 1, NONE",
        "4, 1, NONE",
        "1000, 1, NONE",
        "0, 2, NONE",
        "3, 2, NONE",
        "6, 2, NONE",
        "1000, 2, NONE",
        "12, 4, NONE",
        "0, 1, DUPLICATE",
        "3, 1, DUPLICATE",
        "1000, 2, DUPLICATE",
        "3, 1, UNKNOWN_PRODUCER",
        "0, 1, NO_OFFSETS",
        "3, 1, NO_OFFSETS",
        "1000, 2, NO_OFFSETS"
    })
    void brokerThatHasForgottenTheProducer_doesNotHaveABatchAcknowledgedThatIsNotWritten(
            int foreign, int refused, Disguise disguise) throws Exception {
        disguise(disguise);
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.forgetProducers();
            log.appendForeign(0, foreign);
            for (int i = 0; i < refused; i++) {
                log.faults.add(Fault.NOT_LEADER);
            }
            sendInBatchesOfThree(producer, refused + 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertWritten(1 + 3L * (refused + 1));
    }

    /** The first batch was written, but the producer cannot know this. Its records may be written twice. */
    @ParameterizedTest
    @CsvSource({"0, NONE", "3, NONE", "0, DUPLICATE", "0, NO_OFFSETS"})
    void brokerThatRemembersTheLastBatchOnly_mayHaveTheOneBeforeTwice_andInOrder(int foreign, Disguise disguise)
            throws Exception {
        disguise(disguise);
        log.rememberTheLastOnly();
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.appendForeign(0, foreign);
            log.faults.add(Fault.WRITTEN_BUT_TIMED_OUT);
            sendInBatchesOfThree(producer, 2);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertWritten(7);
    }

    /** Given a first batch in doubt: the broker writes it again, after the later batches. */
    @ParameterizedTest
    @CsvSource({
        "NOT_LEADER, 0, 1, NONE",
        "NOT_LEADER, 3, 2, NONE",
        "NOT_LEADER, 3, 1, NO_OFFSETS",
        "WRITTEN_BUT_TIMED_OUT, 0, 1, NONE",
        "WRITTEN_BUT_TIMED_OUT, 3, 2, NONE",
        "WRITTEN_BUT_TIMED_OUT, 1000, 4, NONE",
        "WRITTEN_BUT_TIMED_OUT, 3, 1, NO_OFFSETS"
    })
    void brokerThatForgetsBeforeEachRequest_hasNoOlderRecordBehindANewerOneForGood(
            Fault fault, int foreign, int failed, Disguise disguise) throws Exception {
        disguise(disguise);
        log.rememberNone();
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.appendForeign(0, foreign);
            for (int i = 0; i < failed; i++) {
                log.faults.add(fault);
            }
            sendInBatchesOfThree(producer, failed + 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertWritten(1 + 3L * (failed + 1));
    }

    /** Mixes the faults of this class at random. No acknowledged record may be lost, and the newest must come last. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void brokersThatForget_amongOtherProducers_costNoRecord(int seed) throws Exception {
        Random random = new Random(seed);
        Fault[] passing = {Fault.NONE, Fault.NONE, Fault.NOT_LEADER, Fault.WRITTEN_BUT_TIMED_OUT};
        first.produces(request -> {
            if (random.nextInt(4) == 0) {
                log.forgetProducers();
            }
            log.appendForeign(0, random.nextInt(60));
            if (random.nextBoolean()) {
                log.faults.add(passing[random.nextInt(passing.length)]);
            }
            return log.answer(request);
        });
        LeanProducerSettings small = settings(first.address()).batchBytes(1_024).build();
        try (LeanProducer producer = LeanProducer.open(small, sends)) {
            send(producer, 0, 0, 3_000);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertWritten(3_000);
    }

    private void disguise(Disguise disguise) {
        switch (disguise) {
            case NONE -> {}
            case DUPLICATE -> log.outOfSequence(Errors.DUPLICATE_SEQUENCE_NUMBER);
            case UNKNOWN_PRODUCER -> log.outOfSequence(Errors.UNKNOWN_PRODUCER_ID);
            case NO_OFFSETS -> log.hideOffsets();
        }
    }

    /** Sends records from number 1 on. The broker answers once all batches are in flight. */
    private void sendInBatchesOfThree(LeanProducer producer, int batches) throws Exception {
        sends.hold(first, producer, batches);
        for (int i = 0; i < batches; i++) {
            send(producer, 0, 1 + 3L * i, 3);
            producer.flush(Duration.ZERO);
        }
    }

    /** Requires that all records are acknowledged in order, and that their last copies are in order. */
    private void assertWritten(long count) {
        assertThat(sends.failures).isEmpty();
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, count));
        List<Long> lastOfEach = log.values(0).reversed().stream().distinct().toList();
        assertThat(lastOfEach.reversed()).isEqualTo(numbers(0, count));
    }

    /**
     * Given a stale broker and no failed request: records for a new partition must be sent once the metadata are old.
     */
    @Test
    void brokerThatIsBehind_isLeft_whenItsMetadataAreOld() throws Exception {
        first.near(second.port());
        second.partitions(2);
        LeanProducerSettings settings =
                settings(first.address()).metadataMaxAge(Duration.ofMillis(100)).build();
        try (LeanProducer producer = LeanProducer.open(settings, sends)) {
            LeanRecord toAny = new LeanRecord(FakeBroker.TOPIC).value(ByteBuffer.allocate(Long.BYTES));
            long deadlineNanos = System.nanoTime() + LONG.toNanos();
            while (log.values(1).isEmpty() && System.nanoTime() < deadlineNanos) {
                producer.send(toAny, 0);
                producer.flush(Duration.ofMillis(1));
            }
        }
        assertThat(log.values(1)).isNotEmpty();
        assertThat(sends.failures).isEmpty();
    }

    /** Regression: a stale broker that named the deleted topic made the producer use the former leader. */
    @Test
    void brokerThatNamesTheFormerTopic_isNotBelieved() throws Exception {
        AtomicInteger askedOfFormer = new AtomicInteger();
        first.near(second.port());
        both(broker -> broker.moved(0));
        LeanProducerSettings settings =
                settings(first.address()).metadataMaxAge(Duration.ofMillis(100)).build();
        try (LeanProducer producer = LeanProducer.open(settings, sends)) {
            send(producer, 0, 0, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            second.produces(request -> {
                askedOfFormer.incrementAndGet();
                return notLeader(request);
            });

            Uuid anew = Uuid.randomUuid();
            both(broker -> broker.moved(-1));
            both(broker -> broker.topicId(anew));
            send(producer, 0, 1, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            int asked = askedOfFormer.get();

            both(broker -> broker.topicId(FakeBroker.TOPIC_ID));
            both(broker -> broker.moved(0));
            awaitMetadata();
            send(producer, 0, 2, 1);
            assertThat(producer.close(Duration.ofSeconds(20))).hasToString("0 records ()");
            assertThat(askedOfFormer).hasValue(asked);
            assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 3));
        }
        assertThat(sends.failures).isEmpty();
    }

    /** Regression: after a broker had named an older topic, no more records were written. */
    @Test
    void brokerThatNamesAnOlderTopicSecond_isNotBelieved() throws Exception {
        AtomicInteger askedOfFormer = new AtomicInteger();
        first.near(second.port());
        second.topicId(Uuid.randomUuid());
        second.moved(0);
        second.produces(request -> {
            askedOfFormer.incrementAndGet();
            return notLeader(request);
        });
        LeanProducerSettings settings =
                settings(first.address()).metadataMaxAge(Duration.ofMillis(100)).build();
        try (LeanProducer producer = LeanProducer.open(settings, sends)) {
            send(producer, 0, 0, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
            awaitMetadata(second);
            awaitMetadata(first);
            send(producer, 0, 1, 1);
            assertThat(producer.close(Duration.ofSeconds(20))).hasToString("0 records ()");
        }
        assertThat(askedOfFormer).hasValue(0);
        assertThat(sends.failures).isEmpty();
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 2));
    }

    private static void awaitMetadata(FakeBroker of) {
        int before = of.metadataAnswers();
        long deadlineNanos = System.nanoTime() + LONG.toNanos();
        while (of.metadataAnswers() < before + 3) {
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
            Thread.onSpinWait();
        }
    }

    private void both(Consumer<FakeBroker> change) {
        change.accept(first);
        change.accept(second);
    }

    /** Waits until the producer has processed a metadata response from after this call. */
    private void awaitMetadata() {
        int before = first.metadataAnswers() + second.metadataAnswers();
        long deadlineNanos = System.nanoTime() + LONG.toNanos();
        // One response may be in flight, and another response not processed yet.
        while (first.metadataAnswers() + second.metadataAnswers() < before + 3) {
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
            Thread.onSpinWait();
        }
    }
}
