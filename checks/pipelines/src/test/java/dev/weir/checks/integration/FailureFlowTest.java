package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests failed records on a real broker: retries, dead-letter records, timeouts and the circuit breaker. */
class FailureFlowTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final Duration SOON = Duration.ofSeconds(40);
    private static final Backoff QUICK = Backoff.between(Duration.ofMillis(1), Duration.ofMillis(5));

    private static ConsumerSettings<String, String> strings(String group) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .commitInterval(Duration.ofMillis(50))
                .build();
    }

    private static Subscription allOf(String topic) {
        return Subscription.topics(topic).untilEnd();
    }

    private static void produceOrders(String topic, int count) {
        KAFKA.cluster().createTopic(topic, 3);
        KAFKA.cluster().createTopic(topic + "-dead", 2);
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ProducerRecord<byte[], byte[]>[] records = new ProducerRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = record(topic, "k" + i % 20, Integer.toString(i));
        }
        FailureTopics.produce(KAFKA.cluster(), records);
    }

    private static void assertAllCommitted(String topic, String group) {
        assertThat(KAFKA.cluster().committedOffsets(group))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @Test
    void handler_thatFailsForSomeKeys_makesLettersOfThoseAndOnlyThose() throws Exception {
        produceOrders("some", 400);
        Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
        try (RunningPipeline running = KafkaFlow.from(strings("some"), allOf("some"))
                .forEach(8, RecordOrdering.byKey(), order -> {
                    calls.computeIfAbsent(order.value(), v -> new AtomicInteger())
                            .incrementAndGet();
                    if (order.key().equals("k7") || order.key().equals("k13")) {
                        throw new IllegalStateException("no price for " + order.value());
                    }
                })
                .retry(RetryPolicy.of(3, QUICK))
                .deadLetter("some-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(KAFKA.cluster(), "some-dead");
        assertThat(deadLetters).hasSize(40);
        assertThat(deadLetters)
                .extracting(deadLetter -> FailureTopics.key(deadLetter.record()))
                .containsOnly("k7", "k13");
        assertThat(deadLetters)
                .extracting(deadLetter -> FailureTopics.value(deadLetter.record()))
                .doesNotHaveDuplicates();
        calls.forEach((value, times) -> {
            int key = Integer.parseInt(value) % 20;
            assertThat(times.get()).as("calls for %s", value).isEqualTo(key == 7 || key == 13 ? 3 : 1);
        });
        assertThat(calls).hasSize(400);
        assertAllCommitted("some", "some");

        DeadLetterRecord deadLetter = deadLetters.getFirst();
        var origin = FailureTopics.read(KAFKA.cluster(), "some").stream()
                .filter(record ->
                        record.partition() == deadLetter.partition() && record.offset() == deadLetter.offset())
                .findFirst()
                .orElseThrow();
        assertThat(deadLetter.record().key()).isEqualTo(origin.key());
        assertThat(deadLetter.record().value()).isEqualTo(origin.value());
        assertThat(deadLetter.originalHeaders()).isEqualTo(FailureTopics.headers());
        assertThat(deadLetter.topic()).isEqualTo("some");
        assertThat(deadLetter.timestamp()).isEqualTo(FailureTopics.TIMESTAMP);
        assertThat(deadLetter.record().timestamp()).isGreaterThan(1_700_000_000_000L);
        assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("HANDLER");
        assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).isEqualTo("java.lang.IllegalStateException");
        assertThat(deadLetter.header(DeadLetterHeaders.MESSAGE))
                .isEqualTo("no price for " + FailureTopics.value(origin));
        assertThat(deadLetter.header(DeadLetterHeaders.STACK))
                .contains("FailureFlowTest")
                .hasSizeLessThan(4200);
        assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
        assertThat(deadLetter.header(DeadLetterHeaders.GROUP)).isEqualTo("some");
        assertThat(deadLetter.header(DeadLetterHeaders.TIME)).startsWith("20");
        assertThat(deadLetter.isWhole()).isTrue();
    }

    @Test
    void handlerAsync_thatFailsForSomeKeys_makesLettersOfThoseAndOnlyThose() throws Exception {
        produceOrders("async", 200);
        AtomicInteger calls = new AtomicInteger();
        Queue<String> done = new ConcurrentLinkedQueue<>();
        try (RunningPipeline running = KafkaFlow.from(strings("async"), allOf("async"))
                .handleAsync(
                        8,
                        RecordOrdering.byKey(),
                        order -> CompletableFuture.supplyAsync(() -> {
                            if (order.key().equals("k7")) {
                                calls.incrementAndGet();
                                throw new IllegalStateException("no");
                            }
                            return order.value();
                        }))
                .retry(RetryPolicy.of(2, QUICK))
                .deadLetter("async-dead")
                .to(Sink.forEach(done::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(calls).hasValue(20);
        assertThat(done).hasSize(190).doesNotHaveDuplicates();
        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(KAFKA.cluster(), "async-dead");
        assertThat(deadLetters).hasSize(10).allSatisfy(deadLetter -> {
            assertThat(FailureTopics.key(deadLetter.record())).isEqualTo("k7");
            assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).isEqualTo("java.lang.IllegalStateException");
            assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("2");
        });
        assertAllCommitted("async", "async");
    }

    // A key in back-off occupies one worker. The 19 other keys are handled meanwhile.
    @Test
    void retry_whileAKeyBacksOff_keepsItsOrderAndLetsOtherKeysGoOn() throws Exception {
        produceOrders("order", 400);
        AtomicBoolean serviceIsBack = new AtomicBoolean();
        Queue<Integer> ofKey = new ConcurrentLinkedQueue<>();
        AtomicInteger others = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(strings("order"), allOf("order"))
                .forEach(2, RecordOrdering.byKey(), order -> {
                    if (!order.key().equals("k3")) {
                        others.incrementAndGet();
                    } else if (serviceIsBack.get()) {
                        ofKey.add(Integer.parseInt(order.value()));
                    } else {
                        throw new IllegalStateException("away");
                    }
                })
                .retry(RetryPolicy.of(1_000_000, Backoff.between(Duration.ofMillis(20), Duration.ofMillis(20))))
                .run()) {
            ConsumerLedger.await("other keys", SOON, () -> others.get() == 380);
            assertThat(ofKey).isEmpty();
            serviceIsBack.set(true);
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(List.copyOf(ofKey)).hasSize(20).isSorted();
        assertAllCommitted("order", "order");
    }

    @Test
    void undecodableRecords_goToTheDeadLetterTopicWithTheirBytes_andTheRestGoesOn() throws Exception {
        KAFKA.cluster().createTopic("typed2", 1);
        KAFKA.cluster().createTopic("typed2-dead", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                record("typed2", "a", new byte[] {0, 0, 0, 1}),
                record("typed2", "b", new byte[] {1, 2, 3}),
                record("typed2", "c", new byte[] {0, 0, 0, 3}));
        var settings = ConsumerSettings.builder(new StringDeserializer(), new IntegerDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("typed2")
                .build();
        Queue<Integer> values = new ConcurrentLinkedQueue<>();
        try (RunningPipeline running = DeadLetterTopic.of("typed2-dead", settings)
                .divert(KafkaSource.from(settings, allOf("typed2")).decoded())
                .to(Sink.forEach(record -> values.add(record.value())))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(values).containsExactly(1, 3);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "typed2-dead"))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(deadLetter.record().value()).containsExactly(1, 2, 3);
                    assertThat(deadLetter.record().key()).asString(UTF_8).isEqualTo("b");
                    assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("DECODE");
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("SerializationException");
                    assertThat(deadLetter.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("0");
                    assertThat(deadLetter.offset()).isEqualTo(1);
                    List<Header> original = deadLetter.originalHeaders();
                    assertThat(original).isEqualTo(FailureTopics.headers());
                });
        assertAllCommitted("typed2", "typed2");

        // Tests the facade in the same way.
        Queue<Integer> again = new ConcurrentLinkedQueue<>();
        try (RunningPipeline running = KafkaFlow.from(settings.raw(), allOf("typed2-dead"))
                .forEach(1, Ordering.unordered(), deadLetter -> again.add(deadLetter.value().length))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(again).containsExactly(3);
    }

    @Test
    void resultsThatCannotBeWritten_becomeLetters_andATooLargeLetterIsCut() throws Exception {
        KAFKA.cluster().createTopic("large", 1, Map.of("max.message.bytes", "10000000"));
        KAFKA.cluster().createTopic("large-out", 1);
        KAFKA.cluster().createTopic("large-dead", 1, Map.of("max.message.bytes", "50000"));
        FailureTopics.produce(
                KAFKA.cluster(),
                record("large", "a", "first"),
                record("large", "b", new byte[100_000]),
                record("large", "c", "throw"),
                record("large", "d", "last"));
        var out = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        try (RunningPipeline running = KafkaFlow.from(strings("large"), allOf("large"))
                .handle(2, RecordOrdering.byKey(), order -> order)
                .deadLetter("large-dead")
                .produceTo(out, order -> {
                    if (order.value().equals("throw")) {
                        throw new IllegalArgumentException("cannot be mapped");
                    }
                    return new ProducerRecord<>(
                            "large-out",
                            order.key(),
                            order.value().repeat(order.value().length() > 1000 ? 20 : 1));
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(FailureTopics.read(KAFKA.cluster(), "large-out"))
                .extracting(FailureTopics::value)
                .containsExactlyInAnyOrder("first", "last");
        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(KAFKA.cluster(), "large-dead");
        assertThat(deadLetters)
                .hasSize(2)
                .allSatisfy(deadLetter ->
                        assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("WRITE"));
        assertThat(deadLetters)
                .filteredOn(deadLetter -> FailureTopics.key(deadLetter.record()).equals("b"))
                .singleElement()
                .satisfies(cut -> {
                    assertThat(cut.isWhole()).isFalse();
                    assertThat(cut.header(DeadLetterHeaders.CUT)).isEqualTo("value of 100000 bytes");
                    assertThat(cut.header(DeadLetterHeaders.CAUSE)).endsWith("RecordTooLargeException");
                    assertThat(cut.record().value()).isNull();
                    assertThat(cut.originalHeaders()).isEqualTo(FailureTopics.headers());
                });
        assertThat(deadLetters)
                .filteredOn(DeadLetterRecord::isWhole)
                .singleElement()
                .satisfies(whole ->
                        assertThat(whole.header(DeadLetterHeaders.MESSAGE)).isEqualTo("cannot be mapped"));
        assertAllCommitted("large", "large");
    }

    @Test
    void timeout_interruptsABlockingHandler_onlyThatOne() throws Exception {
        produceOrders("slowly", 60);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(strings("slowly"), allOf("slowly"))
                .forEach(16, RecordOrdering.byKey(), order -> {
                    if (order.key().equals("k5")) {
                        never.await();
                    }
                    done.incrementAndGet();
                })
                .timeout(Duration.ofMillis(200))
                .deadLetter("slowly-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(done).hasValue(57);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "slowly-dead"))
                .hasSize(3)
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("TIMEOUT");
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE))
                            .isEqualTo(HandlerTimeoutException.class.getName());
                    assertThat(deadLetter.header(DeadLetterHeaders.MESSAGE))
                            .contains("PT0.2S", "slowly-" + deadLetter.partition() + "@" + deadLetter.offset());
                });
    }

    @Test
    void timeout_cancelsTheFutureOfAnAsynchronousHandler_andSkipsIfToldTo() throws Exception {
        produceOrders("future", 60);
        Queue<CompletableFuture<String>> stuck = new ConcurrentLinkedQueue<>();
        AtomicInteger done = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(strings("future"), allOf("future"))
                .handleAsync(16, RecordOrdering.byKey(), order -> {
                    if (!order.key().equals("k5")) {
                        return CompletableFuture.completedFuture(order.value());
                    }
                    CompletableFuture<String> never = new CompletableFuture<>();
                    stuck.add(never);
                    return never;
                })
                .timeout(Duration.ofMillis(200), FailureAction.SKIP)
                .to(Sink.forEach(value -> done.incrementAndGet()))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(done).hasValue(57);
        assertThat(stuck).hasSize(3);
        ConsumerLedger.await("cancelled", SOON, () -> stuck.stream().allMatch(CompletableFuture::isCancelled));
        assertAllCommitted("future", "future");
    }

    @Test
    void actions_byExceptionType_skipFailOrDeadLetterWithoutRetry() throws Exception {
        produceOrders("types", 60);
        AtomicInteger calls = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(strings("types"), allOf("types"))
                .forEach(4, RecordOrdering.byKey(), order -> {
                    if (order.key().equals("k1")) {
                        throw new NumberFormatException("bad");
                    }
                    if (order.key().equals("k2")) {
                        calls.incrementAndGet();
                        throw new UnsupportedOperationException("never");
                    }
                })
                .retry(RetryPolicy.of(5, QUICK))
                .on(NumberFormatException.class, FailureAction.SKIP)
                .on(UnsupportedOperationException.class, FailureAction.DEAD_LETTER)
                .deadLetter("types-dead")
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(calls).hasValue(3);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "types-dead"))
                .extracting(deadLetter -> FailureTopics.key(deadLetter.record()))
                .containsExactly("k2", "k2", "k2");
        assertAllCommitted("types", "types");
        try (RunningPipeline running = KafkaFlow.from(strings("types-fatal"), allOf("types"))
                .forEach(1, Ordering.input(), order -> {
                    throw new IllegalStateException("for good");
                })
                .on(IllegalStateException.class, FailureAction.FAIL)
                .deadLetter("types-dead")
                .run()) {
            assertThatThrownBy(running::await).hasMessage("for good");
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "types-dead")).hasSize(3);
    }

    @Test
    void breaker_thatOpens_letsTheConsumerPauseAndLosesNothing() throws Exception {
        produceOrders("breaker", 300);
        CircuitBreaker breaker =
                CircuitBreaker.consecutive(5, Duration.ofMillis(300)).withProbes(2);
        AtomicBoolean serviceIsUp = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        Queue<String> done = new ConcurrentLinkedQueue<>();
        var settings = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("breaker")
                .maxOutstandingRecords(10)
                .property("max.poll.records", "10")
                .build();
        try (RunningPipeline running = KafkaFlow.from(settings, allOf("breaker"))
                .forEach(4, RecordOrdering.byKey(), order -> {
                    calls.incrementAndGet();
                    if (!serviceIsUp.get()) {
                        throw new IllegalStateException("down");
                    }
                    done.add(order.value());
                })
                .retry(RetryPolicy.of(1000, QUICK))
                .breaker(breaker)
                .run()) {
            ConsumerLedger.await("open", SOON, () -> breaker.snapshot().timesOpened() >= 3);
            // 5 failures open the breaker while up to 3 calls are running. Each later round adds its probes.
            int callsSoFar = calls.get();
            assertThat(callsSoFar)
                    .isLessThanOrEqualTo(8 + 4 * (int) breaker.snapshot().timesOpened());
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
            ConsumerLedger.await("paused", SOON, () -> consumer.snapshot().pausedPartitions() == 3);
            assertThat(done).isEmpty();
            serviceIsUp.set(true);
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
        assertThat(done).hasSize(300).doesNotHaveDuplicates();
        assertAllCommitted("breaker", "breaker");
    }

    @Test
    void deadLetterTopic_thatDoesNotExist_isRefusedAtTheStart() {
        KAFKA.cluster().createTopic("absent", 1);
        var pipeline = KafkaFlow.from(strings("absent"), "absent")
                .forEach(1, Ordering.input(), order -> {})
                .deadLetter("absent-dead")
                .pipeline();
        assertThatThrownBy(pipeline::run)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("there is no topic absent-dead");
    }

    // The compacted topic refuses a record without a key. This stands for all refusals.
    @Test
    void deadLetterTopic_thatRefusesALetter_blocksWithoutCommitting_untilItTakesIt() throws Exception {
        KAFKA.cluster().createTopic("refused", 1);
        KAFKA.cluster().createTopic("refused-dead", 1, Map.of("cleanup.policy", "compact"));
        FailureTopics.produce(
                KAFKA.cluster(),
                new ProducerRecord<>("refused", 0, null, "good".getBytes(UTF_8)),
                new ProducerRecord<>("refused", 0, null, "bad".getBytes(UTF_8)));
        AtomicInteger handled = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.from(strings("refused"), allOf("refused"))
                .forEach(1, Ordering.input(), order -> {
                    handled.incrementAndGet();
                    if (order.value().equals("bad")) {
                        throw new IllegalStateException("bad");
                    }
                })
                .deadLetter("refused-dead")
                .run()) {
            ConsumerLedger.await("handled", SOON, () -> handled.get() == 2);
            ConsumerLedger.await(
                    "commit of the first",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets("refused").containsValue(1L));
            assertThat(running.completion()).isNotDone();
            KAFKA.cluster()
                    .admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, "refused-dead"),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("cleanup.policy", "delete"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(handled).hasValue(2);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), "refused-dead"))
                .singleElement()
                .satisfies(deadLetter -> assertThat(deadLetter.offset()).isEqualTo(1));
        assertAllCommitted("refused", "refused");
    }
}
