package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests producers whose writes get no response, while brokers answer all other requests. Kafka's client waits forever.
 * Regression: the pipeline waited forever as well, without a message.
 */
@Timeout(120)
class StuckProducerTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 2_000;
    private static final Duration LONGER_THAN_IT_TAKES = Duration.ofSeconds(60);

    private static ProducerSettings<byte[], byte[]> producer(FaultProxy network, String kind) {
        return ProducerSettings.builder()
                .bootstrapServers(network.bootstrapServers())
                .property("request.timeout.ms", "1000")
                .produce(kind.startsWith("lean") ? ProducePath.LEAN : ProducePath.CLIENT)
                .build();
    }

    private static String topic(String kind, String end) {
        return kind.replace(' ', '-') + "-" + end;
    }

    private static Pipeline pipeline(FaultProxy network, String kind) {
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(kind)
                .build();
        Subscription in = Subscription.topics(topic(kind, "in"));
        ProducerSettings<byte[], byte[]> producer = producer(network, kind);
        return switch (kind) {
            case "flow" ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> record)
                        .deadLetter(DeadLetterTopic.of(topic(kind, "out"), producer))
                        .produceTo(producer, record -> copy(kind, record));
            case "letters" ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> {
                            throw new IllegalArgumentException("not of this form");
                        })
                        .deadLetter(DeadLetterTopic.of(topic(kind, "out"), producer))
                        .pipeline();
            case "transactions" ->
                KafkaSource.from(consumer, in)
                        .exactlyOnce()
                        .produceTo(producer, records -> records.map(record -> copy(kind, record)));
            case "batches" ->
                KafkaSource.from(consumer, in)
                        .atLeastOnce()
                        .map(record -> copy(kind, record))
                        .to(KafkaSink.with(producer).transactional(kind).records());
            case "lean views" ->
                KafkaSource.from(consumer.toBuilder().fetch(FetchPath.LEAN).build(), in)
                        .views()
                        .mapParallel(
                                1,
                                views -> views.encode((record, out) ->
                                        out.send(out.record(topic(kind, "out")).content(record))))
                        .to(KafkaSink.with(producer).encoded());
            default ->
                KafkaSource.from(consumer, in)
                        .atLeastOnce()
                        .map(record -> copy(kind, record))
                        .to(KafkaSink.with(producer).records());
        };
    }

    private static ProducerRecord<byte[], byte[]> copy(String kind, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic(kind, "out"), record.key(), record.value());
    }

    private static List<Long> written(String topic) {
        return Records.numbers(Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED));
    }

    private static void writeAndAwait(String kind, int from) {
        write(kind, from);
        await(kind, from);
    }

    private static void write(String kind, int from) {
        Records.produce(KAFKA.bootstrapServers(), topic(kind, "in"), from, COUNT, 7);
    }

    private static void await(String kind, int from) {
        Awaitility.await()
                .atMost(LONGER_THAN_IT_TAKES)
                .pollDelay(100, TimeUnit.MILLISECONDS)
                .until(() -> written(topic(kind, "out")).stream().distinct().count() == from + COUNT);
    }

    private static void createTopics(String kind) {
        KAFKA.cluster().createTopic(topic(kind, "in"), 1);
        KAFKA.cluster().createTopic(topic(kind, "out"), 1);
    }

    /** Checks a sender outside pipelines. It was opened before the writes were dropped. */
    private static void assertEnded(Sender<byte[], byte[]> sender, Future<?> sending) {
        assertThatThrownBy(() -> sending.get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("the producer has had no answer for")
                .hasStackTraceContaining("open another sender");
        assertThatThrownBy(() ->
                        sender.send(new ProducerRecord<>("sent", new byte[1])).get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("open another sender");
    }

    private static void awaitNamed(RunningPipeline running, String topic) {
        ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
        String sentence = "the producer has had no answer for ";
        Awaitility.await()
                .atMost(LONGER_THAN_IT_TAKES)
                .pollDelay(100, TimeUnit.MILLISECONDS)
                .until(() ->
                        consumer.dump().why().stream().anyMatch(why -> why.contains(sentence) && why.contains(topic)));
        assertThat(consumer.health().reason()).contains(sentence);
        assertThat(consumer.health().progressing()).isFalse();
    }

    private static void assertReopened(String kind) throws Exception {
        createTopics(kind);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                RunningPipeline running = pipeline(network, kind).run()) {
            // An exactly-once sink has two producers, which take turns.
            writeAndAwait(kind, 0);
            writeAndAwait(kind, COUNT);
            network.swallowWrites();

            write(kind, 2 * COUNT);
            awaitNamed(running, topic(kind, "out"));
            await(kind, 2 * COUNT);

            assertThat(running.completion()).isNotDone();
            assertThat(running.drain(LONGER_THAN_IT_TAKES).drained()).isTrue();
        }
        List<Long> numbers = written(topic(kind, "out")).stream().distinct().toList();
        List<Long> all = LongStream.range(0, 3 * COUNT).boxed().toList();
        if (kind.equals("letters")) {
            // A closed client fails its batches in random order, and dead-letter records are sent again in that order.
            assertThat(numbers).containsExactlyInAnyOrderElementsOf(all);
        } else {
            // Apart from duplicates, the output has the order of the input.
            assertThat(numbers).isEqualTo(all);
        }
    }

    /** The pipeline names the stuck producer while it waits. A sender gives up at the same time. */
    @Test
    void producerWithoutAnswers_isReplacedInOrder() throws Exception {
        KAFKA.cluster().createTopic("sent", 1);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                Sender<byte[], byte[]> sender = Sender.open(producer(network, "sender"));
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            sender.sendAndWait(new ProducerRecord<>("sent", new byte[1]));
            network.swallowWrites();
            Future<?> sending = other.submit(() -> sender.sendAndWait(new ProducerRecord<>("sent", new byte[1])));
            assertReopened("flow");
            assertEnded(sender, sending);
        }
    }

    /** A thread that hangs in user code cannot be ended. */
    @Test
    @Tag("long")
    void producerWhoseThreadHangs_failsTheRun_andIsAbandoned() throws Exception {
        createTopics("hung");
        ProducerSettings<byte[], byte[]> hanging = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("request.timeout.ms", "1000")
                .property("interceptor.classes", HangingInterceptor.class.getName())
                .build();
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("hung")
                .build();
        Pipeline flow = KafkaFlow.from(consumer, Subscription.topics("hung-in"))
                .handle(1, Ordering.input(), record -> record)
                .deadLetter(DeadLetterTopic.of(
                        "hung-out",
                        hanging.toBuilder().property("interceptor.classes", "").build()))
                .produceTo(hanging, record -> copy("hung", record));
        RunningPipeline running = flow.run();
        // New records keep arriving, so the client looks alive.
        for (int from = 0; !running.completion().isDone(); from += 100) {
            Records.produce(KAFKA.bootstrapServers(), topic("hung", "in"), from, 100, 7);
        }

        assertThatThrownBy(() -> running.completion().get(90, TimeUnit.SECONDS))
                .hasStackTraceContaining("its thread hangs")
                .hasStackTraceContaining("onAcknowledgement");
        HangingInterceptor.RELEASED.countDown();
    }

    /** An interceptor that never returns from its first acknowledgement. */
    public static final class HangingInterceptor implements ProducerInterceptor<byte[], byte[]> {

        private static final CountDownLatch RELEASED = new CountDownLatch(1);

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
            try {
                RELEASED.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"letters", "transactions", "batches"})
    void producerWithoutAnswers_ofOtherSinks_isReplaced(String kind) throws Exception {
        assertReopened(kind);
        if (kind.equals("transactions")) {
            assertThat(written(topic(kind, "out"))).doesNotHaveDuplicates();
        }
    }

    /** The pipeline keeps no records to send again. The next run must continue from the committed position. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"sink", "lean", "lean views"})
    void producerWithoutAnswers_whoseRecordsAreNotKept_failsTheRunNamingIt(String kind) throws Exception {
        createTopics(kind);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers())) {
            try (RunningPipeline running = pipeline(network, kind).run()) {
                writeAndAwait(kind, 0);
                network.swallowWrites();
                Records.produce(KAFKA.bootstrapServers(), topic(kind, "in"), COUNT, COUNT, 7);

                assertThatThrownBy(() -> running.completion().get(60, TimeUnit.SECONDS))
                        .hasStackTraceContaining("the producer has had no answer for")
                        .hasStackTraceContaining("to records for " + topic(kind, "out"));
            } catch (CompletionException failed) {
                // It was.
            }
            network.restore();
            try (RunningPipeline running = pipeline(network, kind).run()) {
                Awaitility.await()
                        .atMost(LONGER_THAN_IT_TAKES)
                        .until(() ->
                                written(topic(kind, "out")).stream().distinct().count() == 2 * COUNT);
                assertThat(running.completion()).isNotDone();
            }
        }
    }
}
