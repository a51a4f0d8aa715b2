package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.produce.ProducePath;
import dev.weir.kafka.produce.TransactionalProducing;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client whose writes come to nothing while brokers answer all else and all replicas are well. It waits for ever by
 * itself: so did the pipeline, without a word.
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
                .producePath(kind.startsWith("lean") ? ProducePath.LEAN : ProducePath.CLIENT)
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
                        .deadLetter(DeadLetters.to(topic(kind, "out"), producer))
                        .produceTo(producer, record -> copy(kind, record));
            case "letters" ->
                KafkaFlow.from(consumer, in)
                        .handle(1, Ordering.input(), record -> {
                            throw new IllegalArgumentException("not of this form");
                        })
                        .deadLetter(DeadLetters.to(topic(kind, "out"), producer))
                        .pipeline();
            case "transactions" ->
                KafkaSource.exactlyOnce(consumer, in)
                        .produceTo(producer, records -> records.map(record -> copy(kind, record)));
            case "batches" ->
                KafkaSource.atLeastOnce(consumer, in)
                        .map(record -> copy(kind, record))
                        .to(TransactionalProducing.with(producer, kind).records());
            case "lean views" ->
                KafkaSource.views(consumer.toBuilder().fetch(FetchPath.LEAN).build(), in)
                        .mapParallel(
                                1,
                                views -> views.encode((record, out) ->
                                        out.send(out.record(topic(kind, "out")).content(record))))
                        .to(KafkaSink.encoded(producer));
            default ->
                KafkaSource.atLeastOnce(consumer, in)
                        .map(record -> copy(kind, record))
                        .to(KafkaSink.producing(producer));
        };
    }

    private static ProducerRecord<byte[], byte[]> copy(String kind, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic(kind, "out"), record.key(), record.value());
    }

    private static List<Long> written(String topic) {
        return Records.numbers(Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED));
    }

    private static void writeAndAwait(String kind, int from) {
        Records.produce(KAFKA.bootstrapServers(), topic(kind, "in"), from, COUNT, 7);
        Awaitility.await()
                .atMost(LONGER_THAN_IT_TAKES)
                .pollDelay(100, TimeUnit.MILLISECONDS)
                .until(() -> written(topic(kind, "out")).stream().distinct().count() == from + COUNT);
    }

    private static void createTopics(String kind) {
        KAFKA.cluster().createTopic(topic(kind, "in"), 1);
        KAFKA.cluster().createTopic(topic(kind, "out"), 1);
    }

    private static void assertReopened(String kind) throws Exception {
        createTopics(kind);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers());
                RunningPipeline running = pipeline(network, kind).run()) {
            // An exactly-once sink has two producers, which take turns.
            writeAndAwait(kind, 0);
            writeAndAwait(kind, COUNT);
            network.swallowWrites();

            writeAndAwait(kind, 2 * COUNT);

            assertThat(running.completion()).isNotDone();
            assertThat(running.drain(LONGER_THAN_IT_TAKES).drained()).isTrue();
        }
        // Whatever was written twice, the order of first appearances is that of the input.
        assertThat(written(topic(kind, "out")).stream().distinct().toList())
                .isEqualTo(LongStream.range(0, 3 * COUNT).boxed().toList());
    }

    @Test
    void producerWithoutAnswers_isReplacedInOrder() throws Exception {
        assertReopened("flow");
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

    /** Nothing is kept that could be sent again: the run fails, names it, and the next one goes on where it was. */
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
