package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.HandledFlow;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests records whose processing overflows the stack, or throws an exception whose getMessage throws. Each record must
 * go to the dead-letter topic.
 */
class FailureErrorsTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final RetryPolicy TWICE =
            RetryPolicy.of(2, Backoff.between(Duration.ofMillis(1), Duration.ofMillis(2)));

    /** An exception whose methods throw. */
    private static final class Hostile extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new UnsupportedOperationException("no cause");
        }
    }

    private static int endlessly(int n) {
        return n < 0 ? 0 : 1 + endlessly(n + 1 - n % 2);
    }

    private static String handled(String value) {
        return switch (value) {
            case "deep" -> Integer.toString(endlessly(1));
            case "hostile" -> throw new Hostile();
            default -> value;
        };
    }

    private static final class Decoding implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] data) {
            return handled(new StringDeserializer().deserialize(topic, data));
        }
    }

    private static final class Encoding extends StringSerializer {
        @Override
        public byte[] serialize(String topic, String data) {
            return super.serialize(topic, handled(data));
        }
    }

    private static ConsumerSettings.Builder<String, String> settings(String group, Deserializer<String> values) {
        return ConsumerSettings.builder(new StringDeserializer(), values)
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .commitInterval(Duration.ofMillis(50));
    }

    private static void produce(String topic) {
        KAFKA.cluster().createTopic(topic, 1);
        KAFKA.cluster().createTopic(topic + "-dead", 1);
        for (String value : List.of("1", "deep", "2", "hostile", "3")) {
            FailureTopics.produce(KAFKA.cluster(), FailureTopics.record(topic, "key", value));
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Place {
        HANDLER(group -> KafkaFlow.from(
                        settings(group, new StringDeserializer()).build(), untilEnd(group))
                .forEach(4, RecordOrdering.byKey(), record -> handled(record.value()))),
        ASYNC_HANDLER(group -> KafkaFlow.from(
                        settings(group, new StringDeserializer()).build(), untilEnd(group))
                .handleAsync(
                        4,
                        RecordOrdering.byKey(),
                        record -> CompletableFuture.supplyAsync(() -> {
                            String ignored = handled(record.value());
                            return record;
                        }))),
        BATCH_HANDLER(group -> KafkaFlow.from(
                        settings(group, new StringDeserializer()).build(), untilEnd(group))
                .handleBatch(10, Duration.ofMillis(5), RecordOrdering.byKey(), records -> {
                    records.forEach(record -> handled(record.value()));
                    return BatchOutcome.allDone(records);
                })),
        DECODER(group -> KafkaFlow.from(settings(group, new Decoding()).build(), untilEnd(group))
                .forEach(4, RecordOrdering.byKey(), record -> {})),
        DECODER_LEAN(group -> KafkaFlow.from(
                        settings(group, new Decoding()).fetch(FetchPath.LEAN).build(), untilEnd(group))
                .forEach(4, RecordOrdering.byKey(), record -> {}));

        final Function<String, HandledFlow<String, String, ?>> flow;

        Place(Function<String, HandledFlow<String, String, ?>> flow) {
            this.flow = flow;
        }
    }

    private static Subscription untilEnd(String topic) {
        return Subscription.topics(topic).untilEnd();
    }

    private static void assertDeadLetters(String topic) {
        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(KAFKA.cluster(), topic + "-dead");
        assertThat(deadLetters)
                .extracting(deadLetter -> FailureTopics.value(deadLetter.record()))
                .containsExactlyInAnyOrder("deep", "hostile");
        assertThat(deadLetters)
                .filteredOn(
                        deadLetter -> FailureTopics.value(deadLetter.record()).equals("deep"))
                .allSatisfy(deadLetter ->
                        assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("StackOverflowError"));
        assertThat(deadLetters)
                .filteredOn(
                        deadLetter -> FailureTopics.value(deadLetter.record()).equals("hostile"))
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).isEqualTo(Hostile.class.getName());
                    assertThat(deadLetter.header(DeadLetterHeaders.STACK)).contains("FailureErrorsTest");
                });
    }

    @ParameterizedTest
    @EnumSource
    void record_thatOverflowsTheStackOrThrowsAHostileException_isADeadLetter(Place place) throws Exception {
        String topic = "errors-" + place.name().toLowerCase(Locale.ROOT);
        produce(topic);
        try (RunningPipeline running =
                place.flow.apply(topic).retry(TWICE).deadLetter(topic + "-dead").run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertDeadLetters(topic);
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @Test
    void ruleForAStackOverflow_isObserved() throws Exception {
        produce("errors-rule");
        try (RunningPipeline running = KafkaFlow.from(
                        settings("errors-rule", new StringDeserializer()).build(), untilEnd("errors-rule"))
                .forEach(1, Ordering.input(), record -> handled(record.value()))
                .on(StackOverflowError.class, FailureAction.SKIP)
                .on(Hostile.class, FailureAction.DEAD_LETTER)
                .deadLetter("errors-rule-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "errors-rule-dead"))
                .hasSize(1);
    }

    @Test
    void result_whoseSerializerOverflowsTheStack_isADeadLetter() throws Exception {
        produce("errors-result");
        KAFKA.cluster().createTopic("errors-result-out", 1);
        var producer = ProducerSettings.builder(new StringSerializer(), new Encoding())
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        try (RunningPipeline running = KafkaFlow.from(
                        settings("errors-result", new StringDeserializer()).build(), untilEnd("errors-result"))
                .handle(1, Ordering.input(), ConsumerRecord::value)
                .deadLetter("errors-result-dead")
                .produceTo(producer, result -> new ProducerRecord<>("errors-result-out", result))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "errors-result-dead"))
                .hasSize(2);
        assertThat(FailureTopics.read(KAFKA.cluster(), "errors-result-out")).hasSize(3);
    }

    @Test
    void recordOfAShareGroup_thatOverflowsTheStack_isADeadLetter() throws Exception {
        produce("errors-share");
        var settings = ShareSettings.builder(new StringDeserializer(), new Decoding())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("errors-share")
                .startAt(Start.EARLIEST)
                .untilEnd()
                .build();
        try (RunningPipeline running = KafkaFlow.shared(settings, "errors-share")
                .forEach(2, Ordering.unordered(), record -> {})
                .deadLetter("errors-share-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertDeadLetters("errors-share");
    }

    @Test
    void rule_thatCanHaveNoEffect_isRefused() {
        var flow = KafkaFlow.from(
                        settings("errors-idle", new StringDeserializer()).build(), "errors-idle")
                .forEach(1, Ordering.input(), record -> {});
        for (Class<? extends Throwable> type : List.of(
                OutOfMemoryError.class, InternalError.class, NoClassDefFoundError.class, InterruptedException.class)) {
            assertThatThrownBy(() -> flow.on(type, FailureAction.DEAD_LETTER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("on(" + type.getSimpleName() + ", DEAD_LETTER) can have no effect");
        }
        assertThatThrownBy(() -> flow.on(RuntimeException.class, FailureAction.SKIP)
                        .on(IllegalStateException.class, FailureAction.DEAD_LETTER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on(RuntimeException, SKIP) comes before it and matches first");
        assertThat(flow.on(OutOfMemoryError.class, FailureAction.FAIL)
                        .on(VirtualMachineError.class, FailureAction.DEAD_LETTER))
                .isNotNull();
    }
}
