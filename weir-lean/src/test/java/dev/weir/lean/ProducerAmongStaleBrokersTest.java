package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.WrittenLog.Fault;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
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

    private static final Duration LONG = Duration.ofMinutes(1);

    private final WrittenLog log = new WrittenLog();
    private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<SendException> failures = new ConcurrentLinkedQueue<>();
    private FakeBroker first;
    private FakeBroker second;

    private final SendListener listener = new SendListener() {
        @Override
        public void acknowledged(long token, String topic, int partition, long offset) {
            acknowledged.add(token);
        }

        @Override
        public void failed(long token, SendException why) {
            failures.add(why);
        }
    };

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

    private static LeanProducerSettings.Builder settings(String bootstrap) {
        return LeanProducerSettings.builder()
                .bootstrapServers(bootstrap)
                .linger(Duration.ofMillis(1))
                .maxBackoff(Duration.ofMillis(10));
    }

    private static void send(LeanProducer producer, int partition, long from, long count) throws Exception {
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES);
        LeanRecord record =
                new LeanRecord(FakeBroker.TOPIC).partition(partition).value(value);
        for (long n = from; n < from + count; n++) {
            value.putLong(0, n);
            producer.send(record, n);
        }
    }

    private static List<Long> numbers(long count) {
        return LongStream.range(0, count).boxed().toList();
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
        try (LeanProducer producer = LeanProducer.open(settings(bootstrap).build(), listener)) {
            send(producer, 0, 0, 10);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(failures).isEmpty();
        assertThat(log.values(0)).isEqualTo(numbers(10));
        assertThat(List.copyOf(acknowledged)).isEqualTo(numbers(10));
    }

    /**
     * Its first batch was not written, its second one was, as whoever does not know a producer takes any sequence: then
     * the first one is out of order, and was taken for one that is written.
     */
    @Test
    void brokerThatHasForgottenTheProducer_doesNotHaveABatchAcknowledgedThatIsNotWritten() throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings(first.address()).build(), listener)) {
            send(producer, 0, 0, 1);
            producer.flush(LONG);
            log.forgetProducers();
            log.faults.add(Fault.NOT_LEADER);
            hold(producer, 2);
            send(producer, 0, 1, 1);
            producer.flush(Duration.ZERO);
            send(producer, 0, 2, 1);
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
        assertThat(log.values(0)).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(List.copyOf(acknowledged)).isEqualTo(numbers(3));
        assertThat(failures).isEmpty();
    }

    /** The broker answers nothing until so many more requests have been sent. */
    private void hold(LeanProducer producer, int requests) {
        long wanted = producer.metrics().requests() + requests;
        first.produces(request -> {
            long deadlineNanos = System.nanoTime() + LONG.toNanos();
            while (producer.metrics().requests() < wanted && System.nanoTime() < deadlineNanos) {
                Thread.onSpinWait();
            }
            return log.answer(request);
        });
    }

    /** Where nothing fails, only the age of what it said can tell: a partition was added, and no record went there. */
    @Test
    void brokerThatIsBehind_isLeft_whenItsMetadataAreOld() throws Exception {
        first.near(second.port());
        second.partitions(2);
        LeanProducerSettings settings =
                settings(first.address()).metadataMaxAge(Duration.ofMillis(100)).build();
        try (LeanProducer producer = LeanProducer.open(settings, listener)) {
            LeanRecord toAny = new LeanRecord(FakeBroker.TOPIC).value(ByteBuffer.allocate(Long.BYTES));
            long deadlineNanos = System.nanoTime() + LONG.toNanos();
            while (log.values(1).isEmpty() && System.nanoTime() < deadlineNanos) {
                producer.send(toAny, 0);
                producer.flush(Duration.ofMillis(1));
            }
        }
        assertThat(log.values(1)).isNotEmpty();
        assertThat(failures).isEmpty();
    }
}
