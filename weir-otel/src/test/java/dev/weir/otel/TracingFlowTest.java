package dev.weir.otel;

import static dev.weir.otel.Recorded.TRACE;
import static dev.weir.otel.Recorded.attribute;
import static dev.weir.otel.Recorded.header;
import static dev.weir.otel.Recorded.producerSpan;
import static dev.weir.otel.Recorded.traceparent;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.HandledFlow;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Backoff;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests spans over two pipelines and through failures, on a real broker. */
class TracingFlowTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final RetryPolicy TWICE =
            RetryPolicy.of(2, Backoff.between(Duration.ofMillis(1), Duration.ofMillis(2)));

    private final Recorded recorded = new Recorded();
    private final Map<String, Queue<String>> spansOfCalls = new ConcurrentHashMap<>();

    private static ConsumerSettings<String, String> consumer(String group) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .build();
    }

    private static ProducerSettings<String, String> producer() {
        return ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
    }

    /** Writes three records. One is handled at the first attempt, one at the second attempt, and one never. */
    private static void produce(String topic) throws Exception {
        for (String each : List.of(topic, topic + "-out", topic + "-dead")) {
            KAFKA.cluster().createTopic(each, 1);
        }
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            long offset = 0;
            for (String value : List.of("good", "flaky", "bad")) {
                ProducerRecord<String, String> record = new ProducerRecord<>(topic, value, value);
                record.headers().add("traceparent", traceparent(offset++).getBytes(UTF_8));
                var ignored = producer.send(record).get();
            }
        }
    }

    private String handled(ConsumerRecord<String, String> record) {
        Queue<String> calls = spansOfCalls.computeIfAbsent(record.value(), value -> new ConcurrentLinkedQueue<>());
        calls.add(Span.current().getSpanContext().getSpanId());
        if (record.value().equals("bad") || (record.value().equals("flaky") && calls.size() == 1)) {
            throw new IllegalStateException("cannot handle " + record.value());
        }
        return record.value();
    }

    private void run(HandledFlow<String, String, String> flow, String topic) throws InterruptedException {
        try (RunningPipeline running = flow.retry(TWICE)
                .deadLetter(topic + "-dead")
                .with(recorded.tracing)
                .produceTo(producer(), value -> new ProducerRecord<>(topic + "-out", value, value))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
    }

    private void assertTraces(String topic) {
        for (long offset = 0; offset < 3; offset++) {
            SpanData span = recorded.spanOf(topic, offset);
            assertThat(span.getTraceId()).isEqualTo(TRACE);
            assertThat(span.getParentSpanId()).isEqualTo(producerSpan(offset));
            assertThat(attribute(span, "messaging.consumer.group.name")).isEqualTo(topic);
        }
        assertThat(spansOfCalls.get("good"))
                .containsExactly(recorded.spanOf(topic, 0).getSpanId());
        String flaky = recorded.spanOf(topic, 1).getSpanId();
        assertThat(spansOfCalls.get("flaky")).containsExactly(flaky, flaky);
        assertThat(recorded.spanOf(topic, 1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        String bad = recorded.spanOf(topic, 2).getSpanId();
        assertThat(spansOfCalls.get("bad")).containsExactly(bad, bad);
        assertThat(recorded.spanOf(topic, 2).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);

        List<String> inOutput = read(topic + "-out").stream()
                .map(record -> header(record.headers(), "traceparent"))
                .toList();
        // The records have different keys, so on a busy machine the retried one may overtake another.
        assertThat(inOutput)
                .containsExactlyInAnyOrder(
                        "00-" + TRACE + "-" + recorded.spanOf(topic, 0).getSpanId() + "-01",
                        "00-" + TRACE + "-" + flaky + "-01");
        assertThat(read(topic + "-dead"))
                .extracting(deadLetter -> header(deadLetter.headers(), "traceparent"))
                .containsExactly("00-" + TRACE + "-" + bad + "-01");
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED);
    }

    @Test
    void handle_throughRetriesAndLetters_keepsOneSpanForEachRecord() throws Exception {
        produce("blocking");
        run(
                KafkaFlow.from(
                                consumer("blocking"),
                                Subscription.topics("blocking").untilEnd())
                        .handle(1, RecordOrdering.byKey(), this::handled),
                "blocking");
        assertThat(recorded.spans()).hasSize(3);
        assertTraces("blocking");
    }

    @Test
    void handleAsync_throughRetriesAndLetters_keepsOneSpanForEachRecord() throws Exception {
        produce("async");
        Function<ConsumerRecord<String, String>, CompletableFuture<String>> handler =
                record -> CompletableFuture.completedFuture(handled(record));
        run(
                KafkaFlow.from(consumer("async"), Subscription.topics("async").untilEnd())
                        .handleAsync(1, RecordOrdering.byKey(), handler),
                "async");
        assertThat(recorded.spans()).hasSize(3);
        assertTraces("async");
    }

    @Test
    void nextPipeline_hasSpansBelowThoseOfTheOneBefore() throws Exception {
        produce("first");
        run(
                KafkaFlow.from(consumer("first"), Subscription.topics("first").untilEnd())
                        .handle(1, RecordOrdering.byKey(), this::handled),
                "first");
        AtomicInteger second = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(
                        consumer("second"), Subscription.topics("first-out").untilEnd())
                .forEach(4, RecordOrdering.byKey(), record -> second.incrementAndGet())
                .with(recorded.tracing)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(second).hasValue(2);
        for (long offset = 0; offset < 2; offset++) {
            SpanData below = recorded.spanOf("first-out", offset);
            assertThat(below.getTraceId()).isEqualTo(TRACE);
            assertThat(below.getParentSpanId())
                    .isEqualTo(recorded.spanOf("first", offset).getSpanId());
        }
    }
}
