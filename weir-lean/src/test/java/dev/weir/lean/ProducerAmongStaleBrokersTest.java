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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a lean producer does where brokers do not know what others know: of leaders, of partitions, of the producer
 * itself.
 */
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
        ProduceResponseData answer = new ProduceResponseData();
        request.topicData()
                .forEach(topic -> answer.responses()
                        .add(new TopicProduceResponse()
                                .setName(topic.name())
                                .setPartitionResponses(topic.partitionData().stream()
                                        .map(each -> new PartitionProduceResponse()
                                                .setIndex(each.index())
                                                .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                                                .setBaseOffset(-1))
                                        .toList())));
        return answer;
    }

    /** It was asked again and again, on the connection that stood, until the records were overdue. */
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

    /**
     * Its first batch was not written, its second one was, as whoever does not know a producer takes any sequence: then
     * the first one is out of order, and was taken for one that is written.
     */
    @Test
    void brokerThatHasForgottenTheProducer_doesNotHaveABatchAcknowledgedThatIsNotWritten() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), sends)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.forgetProducers();
            log.faults.add(Fault.NOT_LEADER);
            sends.hold(first, producer, 2);
            send(producer, 0, 1, 1);
            producer.flush(Duration.ZERO);
            send(producer, 0, 2, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(log.values(0)).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(List.copyOf(sends.acknowledged)).isEqualTo(numbers(0, 3));
        assertThat(sends.failures).isEmpty();
    }

    /** Where nothing fails, only the age of what it said can tell: a partition was added, and no record went there. */
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

    /**
     * A broker that lags names the topic that is gone: its leader was believed again, whatever the epoch, and what was
     * known of the new topic's log was forgotten.
     */
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

    private void both(Consumer<FakeBroker> change) {
        change.accept(first);
        change.accept(second);
    }

    /** Until the producer has learned something that a broker said after this was called. */
    private void awaitMetadata() {
        int before = first.metadataAnswers() + second.metadataAnswers();
        long deadlineNanos = System.nanoTime() + LONG.toNanos();
        // One may be under way, and with the last of them nothing but the one before it is learned.
        while (first.metadataAnswers() + second.metadataAnswers() < before + 3) {
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
            Thread.onSpinWait();
        }
    }
}
