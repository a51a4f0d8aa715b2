package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.Message;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests runs in which the network thread of Kafka's client dies. The run must report this, and the next run must
 * continue.
 */
@Timeout(120)
class ProducerThreadTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 5_000;

    /** Throws an error, once, that kills the client's network thread. */
    public static final class Deadly implements ProducerInterceptor<byte[], byte[]> {

        private static final AtomicInteger LEFT = new AtomicInteger();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception exception) {
            if (LEFT.getAndDecrement() == 0) {
                throw new StackOverflowError("planted");
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> config) {}
    }

    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("interceptor.classes", Deadly.class.getName())
                .property("batch.size", "2000")
                .build();
    }

    private static ProducerRecord<byte[], byte[]> made(String name, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(name + "-out", 0, record.key(), record.value());
    }

    private static Pipeline pipeline(String name) {
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(name)
                .build();
        Subscription toTheEnd = Subscription.topics(name).untilEnd();
        if (name.equals("sink")) {
            return KafkaSource.from(consumer, toTheEnd)
                    .atLeastOnce()
                    .map(record -> made(name, record))
                    .to(KafkaSink.with(producer()).records());
        }
        if (name.equals("resulting")) {
            return KafkaSource.from(consumer, toTheEnd)
                    .atLeastOnce()
                    .map(record -> Message.single(made(name, record), record))
                    .via(KafkaSink.with(producer()).<ConsumerRecord<byte[], byte[]>>flow())
                    .to(Sink.ignore());
        }
        if (name.equals("transactions")) {
            return KafkaSource.from(consumer, toTheEnd)
                    .exactlyOnce()
                    .produceTo(producer(), records -> records.map(record -> made(name, record)));
        }
        if (name.equals("batches")) {
            return KafkaSource.from(consumer, toTheEnd)
                    .atLeastOnce()
                    .map(record -> made(name, record))
                    .to(KafkaSink.with(producer()).transactional(name).records());
        }
        if (name.equals("letters")) {
            return KafkaFlow.from(consumer, toTheEnd)
                    .handle(1, Ordering.input(), record -> {
                        throw new IllegalArgumentException("not of this form");
                    })
                    .deadLetter(DeadLetterTopic.of(name + "-out", producer()))
                    .pipeline();
        }
        return KafkaFlow.from(consumer, toTheEnd)
                .handle(1, Ordering.input(), record -> record)
                .deadLetter(name + "-dead")
                .produceTo(producer(), record -> made(name, record));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sink", "flow", "transactions", "batches", "letters"})
    void threadThatDies_failsTheRun_andTheNextOneLosesNothing(String name) throws Exception {
        assertDeathIsSeen(name, 1_000);
    }

    @Test
    void threadThatDiesOfItsFirstAnswer_failsTheRun_andTheNextOneLosesNothing() throws Exception {
        assertDeathIsSeen("resulting", 0);
    }

    private static void assertDeathIsSeen(String name, int answersBefore) throws Exception {
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 1);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
        Deadly.LEFT.set(answersBefore);
        try (RunningPipeline running = pipeline(name).run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("the thread of the producer has ended");
        }
        try (RunningPipeline running = pipeline(name).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        List<Long> written = Records.numbers(
                Records.readAll(KAFKA.bootstrapServers(), name + "-out", IsolationLevel.READ_UNCOMMITTED));
        assertThat(written.stream().distinct().sorted().toList()).hasSize(COUNT);
    }

    /** Outside a pipeline, there is no run to fail. Each waiting and each later send must fail. */
    @ParameterizedTest
    @ValueSource(ints = {0, 500})
    void threadOfASenderThatDies_failsWhatWaits_andEachSendAfterIt(int answersBefore) throws Exception {
        String topic = "sent-" + answersBefore;
        KAFKA.cluster().createTopic(topic, 1);
        List<ProducerRecord<byte[], byte[]>> records = IntStream.range(0, 2_000)
                .mapToObj(number -> new ProducerRecord<byte[], byte[]>(topic, new byte[100]))
                .toList();
        Deadly.LEFT.set(answersBefore);
        try (Sender<byte[], byte[]> sender = Sender.open(producer())) {
            CompletableFuture<RecordMetadata> first = sender.send(records.getFirst());
            List<CompletableFuture<RecordMetadata>> others =
                    records.stream().map(sender::send).toList();
            assertThatThrownBy(() -> sender.sendAll(records))
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("the thread of the producer has ended")
                    .hasMessageContaining("open another sender");
            assertThatThrownBy(() -> others.getLast().get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ProduceException.class)
                    .hasMessageContaining("the thread of the producer has ended");
            assertThat(first).isDone();
            assertThat(sender.send(records.getFirst())).isCompletedExceptionally();
        }
        try (Sender<byte[], byte[]> another = Sender.open(producer())) {
            assertThat(another.sendAll(records)).hasSize(records.size());
        }
    }
}
