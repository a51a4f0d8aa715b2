package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Eleven bottlenecks from practice. The author of ten did not know the limiter's rules, and wrote down the answers
 * before the first run ({@code docs/internals/planted-ten.md}).
 */
class PlantedByAStrangerTest {

    /** The time of the first reading, on the pipeline's own clock. */
    static final Duration ASKED_AFTER = Duration.ofSeconds(4);

    /** A long limit, because other tests may make the machine itself the limiter. */
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(20);

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int VALUE_BYTES = 2048;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    /** Waits until the limiter has the expected kind, at least until {@link #ASKED_AFTER}, and returns it. */
    static Limiter awaitLimiter(RunningPipeline running, LimiterProbe probe, Kind kind) {
        ConsumerLedger.await("looks", SOON, () -> elapsed(running).compareTo(ASKED_AFTER) > 0);
        ConsumerLedger.await(
                () -> kind + ", and not " + probe.limiter(),
                ANSWERED_WITHIN,
                () -> probe.limiter().kind() == kind);
        return probe.limiter();
    }

    private static Duration elapsed(RunningPipeline running) {
        return Duration.ofNanos(running.stages().getFirst().elapsedNanos());
    }

    private static Limiter limiterOf(Pipeline pipeline, Kind kind) {
        try (RunningPipeline running = pipeline.run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            Limiter limiter = awaitLimiter(running, probe, kind);
            running.cancel();
            return limiter;
        }
    }

    private static Source<ConsumerRecord<byte[], byte[]>> source(String topic) {
        return KafkaSource.from(settings(topic), topic).atLeastOnce();
    }

    private static ConsumerSettings<byte[], byte[]> settings(String topic) {
        return ConsumerLedger.settings(KAFKA.cluster(), topic).build();
    }

    private static void fill(String topic, int partitions, long records) {
        KAFKA.cluster().createTopic(topic, partitions);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, records);
    }

    /** Fills a topic with records of one value, and keys chosen by the test. */
    private static void fill(String topic, int partitions, int records, byte[] value, IntFunction<String> key)
            throws IOException {
        KAFKA.cluster().createTopic(topic, partitions);
        // Sends one request at a time, because a new leader may refuse the first batch and accept the second.
        Map<String, Object> config = Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(),
                "max.in.flight.requests.per.connection", 1,
                "linger.ms", 5,
                "batch.size", 131_072);
        try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                var unused = producer.send(
                        new ProducerRecord<>(topic, key.apply(i).getBytes(StandardCharsets.UTF_8), value));
            }
            producer.flush();
        }
    }

    private static <T> T waits(int millis, T result) throws InterruptedException {
        ConsumerLedger.work(Duration.ofMillis(millis));
        return result;
    }

    @Test
    @Tag("long")
    void retriesWithBackoff_holdTheLanesOfTheHandler() {
        fill("payments", 3, 10_000);
        Set<String> failed = ConcurrentHashMap.newKeySet();
        var pipeline = KafkaFlow.from(settings("payments"), "payments")
                .handle(8, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(2));
                    if (record.offset() % 3 == 0 && failed.add(record.partition() + "@" + record.offset())) {
                        throw new IOException("503");
                    }
                    return record;
                })
                .retry(RetryPolicy.of(3, Backoff.between(Duration.ofMillis(60), Duration.ofMillis(60))))
                .results()
                .mapBlocking(32, Ordering.unordered(), record -> waits(1, record))
                .named("archive")
                .to(Sink.ignore());
        assertThat(limiterOf(pipeline, Kind.STAGE_WAIT).name()).isEqualTo("handle");
    }

    @Test
    @Tag("long")
    void lockInAStepBehindAWiderOne_isThatStepsWait() {
        fill("orders", 3, 10_000);
        ReentrantLock connection = new ReentrantLock();
        var pipeline = source("orders")
                .mapBlocking(32, Ordering.unordered(), record -> waits(20, record))
                .named("fraud")
                .mapBlocking(16, Ordering.unordered(), record -> {
                    connection.lock();
                    try {
                        return waits(2, record);
                    } finally {
                        connection.unlock();
                    }
                })
                .named("ledger")
                .to(Sink.ignore());
        Limiter limiter = limiterOf(pipeline, Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("ledger");
        assertThat(limiter.advice()).startsWith("do less of ledger under its lock");
    }

    @Test
    @Tag("long")
    void parsingInFrontOfFastLanes_isTheParsersProcessor() throws IOException {
        String event = "{\"user\":\"u-4711\",\"page\":\"/shop/cart\",\"items\":["
                + "{\"sku\":\"a-1\",\"price\":12.50,\"count\":3},".repeat(40)
                + "{\"sku\":\"z\",\"price\":1.0,\"count\":1}]}";
        fill("events", 3, 40_000, event.getBytes(StandardCharsets.UTF_8), n -> "user-" + n);
        var pipeline = source("events")
                .map(PlantedByAStrangerTest::parse)
                .named("parse")
                .mapBlocking(32, Ordering.unordered(), fields -> waits(1, fields))
                .named("send")
                .to(Sink.ignore());
        assertThat(limiterOf(pipeline, Kind.STAGE_CPU).name()).isEqualTo("parse");
    }

    /** Parses naively, in several passes over the text. */
    private static Map<String, Double> parse(ConsumerRecord<byte[], byte[]> record) {
        Map<String, Double> sums = new HashMap<>();
        for (int pass = 0; pass < 4; pass++) {
            for (String part : new String(record.value(), StandardCharsets.UTF_8).split("[{},\\[\\]]", -1)) {
                String[] pair = part.split(":", -1);
                if (pair.length == 2 && !pair[1].isEmpty() && Character.isDigit(pair[1].charAt(0))) {
                    double unused = sums.merge(pair[0], Double.parseDouble(pair[1]), Double::sum);
                }
            }
        }
        return sums;
    }

    @Test
    @Tag("long")
    void twoBlockingSteps_onOneSmallDispatcher() {
        fill("shipping", 3, 10_000);
        try (Dispatcher legacy = Dispatcher.fixed("legacy", 3)) {
            Attributes there = Attributes.NONE.withDispatcher(legacy);
            var pipeline = source("shipping")
                    .mapBlocking(16, Ordering.unordered(), record -> waits(4, record))
                    .with(there.withName("stock"))
                    .mapBlocking(16, Ordering.unordered(), record -> waits(4, record))
                    .with(there.withName("label"))
                    .to(Sink.ignore());
            assertThat(limiterOf(pipeline, Kind.DISPATCHER).name()).isEqualTo("legacy");
        }
    }

    @Test
    @Tag("long")
    void oneLargeCustomer_isKeySkew() throws IOException {
        fill("billing", 6, 20_000, new byte[100], n -> n % 10 == 0 ? "customer-" + n : "whale");
        var pipeline = source("billing")
                .mapBlocking(16, RecordOrdering.byKey(), record -> waits(3, record))
                .named("charge")
                .to(Sink.ignore());
        assertThat(limiterOf(pipeline, Kind.KEY_SKEW).name()).isEqualTo("charge");
    }

    @Test
    @Tag("long")
    void windowOfFourRecords_overSixtyFourLanes() {
        fill("tracking", 3, 20_000);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "tracking")
                .maxOutstandingRecords(4)
                .property("max.poll.records", "4")
                .build();
        var pipeline = KafkaSource.from(settings, "tracking")
                .atLeastOnce()
                .mapBlocking(64, Ordering.unordered(), record -> waits(20, record))
                .named("geocode")
                .to(Sink.ignore());
        assertThat(limiterOf(pipeline, Kind.WINDOW).advice()).contains("maxOutstandingRecords");
    }

    @Test
    void quotaOfTheOutputBrokers() throws Exception {
        fill("copied", 3, 30_000, new byte[VALUE_BYTES], n -> "key-" + n);
        KAFKA.cluster().createTopic("copy", 3);
        KAFKA.cluster()
                .admin()
                .alterClientQuotas(List.of(new ClientQuotaAlteration(
                        new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "copier")),
                        List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 200_000.0)))))
                .all()
                .get();
        ProducerSettings<byte[], byte[]> output = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("client.id", "copier")
                .build();
        var pipeline = source("copied")
                .map(record -> new ProducerRecord<>("copy", record.key(), record.value()))
                .to(KafkaSink.with(output).records());
        assertThat(limiterOf(pipeline, Kind.OUTPUT_BROKER).advice()).contains("quota");
    }

    @Test
    void commitBeforeEachTwentyRecords_toDistantBrokers() {
        fill("alerts", 3, 60_000);
        try (FaultProxy network = FaultProxy.to(KAFKA.bootstrapServers())) {
            network.delay(Duration.ofMillis(10));
            var settings = ConsumerLedger.settings(KAFKA.cluster(), "alerts")
                    .bootstrapServers(network.bootstrapServers())
                    .build();
            AtomicInteger called = new AtomicInteger();
            var pipeline = KafkaSource.from(settings, Subscription.topics("alerts"))
                    .atMostOnce(20)
                    .to(Sink.forEach(alert -> called.addAndGet(alert.value().length)));
            Limiter limiter = limiterOf(pipeline, Kind.COMMIT);
            assertThat(limiter.advice()).startsWith("commit more records at once");
            assertThat(called.get()).isPositive();
        }
    }

    @Test
    @Tag("long")
    void cacheThatFillsTheHeap_isTheCollector() {
        fill("images", 3, 200_000);
        try (PipeProcess process = PipeProcess.startMain(
                "dev.weir.checks.integration.StarvedImages", 64, KAFKA.bootstrapServers(), "images")) {
            assertThat(process.awaitOut()).startsWith("collectors stop the application for ");
        }
    }

    @Test
    @Tag("long")
    void burstThatHasEnded_isArrival() {
        fill("night", 3, 10_000);
        var pipeline = source("night")
                .mapBlocking(8, RecordOrdering.byKey(), record -> waits(1, record))
                .named("book")
                .to(Sink.ignore());
        try (RunningPipeline running = pipeline.run();
                LimiterProbe probe = LimiterProbe.start(running);
                Trickle trickle = new Trickle("night")) {
            ConsumerHandle consumer = ConsumerHandle.of(running);
            ConsumerLedger.await(
                    "the burst", SOON, () -> running.stages().getLast().elementsIn() >= 10_000);
            ConsumerLedger.await("no lag", SOON, () -> consumer.snapshot().lag() == 0);
            trickle.begin();
            Limiter limiter = awaitLimiter(running, probe, Kind.ARRIVAL);
            assertThat(limiter.advice()).isEqualTo("nothing to do");
            running.cancel();
        }
    }

    /** Regression: the rules gave a wrong answer for this case. */
    @Test
    @Tag("long")
    void partitionThatSomebodyForgotToResume_isSourceIdle_andNamed() {
        KAFKA.cluster().createTopic("returns", 3);
        TopicPartition forgotten = new TopicPartition("returns", 1);
        var pipeline = source("returns")
                .mapBlocking(8, RecordOrdering.byKey(), record -> waits(1, record))
                .named("book")
                .to(Sink.ignore());
        try (RunningPipeline running = pipeline.run();
                LimiterProbe probe = LimiterProbe.start(running);
                Trickle trickle = new Trickle("returns")) {
            ConsumerHandle consumer = ConsumerHandle.of(running);
            ConsumerLedger.await(
                    "assigned", SOON, () -> consumer.snapshot().partitions().size() == 3);
            consumer.pause(List.of(forgotten)).toCompletableFuture().join();
            Records.produce(KAFKA.bootstrapServers(), "returns", 0, 6_000);
            trickle.begin();
            Limiter limiter = awaitLimiter(running, probe, Kind.SOURCE_IDLE);
            assertThat(limiter.name()).isEqualTo("returns-1");
            assertThat(limiter.advice()).isEqualTo("resume returns-1");
            running.cancel();
        }
    }

    /** Writes twenty records per second until it is closed. */
    private static final class Trickle implements AutoCloseable {

        private final String topic;
        private final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        private final ScheduledExecutorService schedule = Executors.newSingleThreadScheduledExecutor();

        Trickle(String topic) {
            this.topic = topic;
        }

        void begin() {
            var unused = schedule.scheduleAtFixedRate(
                    () -> {
                        var ignored = producer.send(new ProducerRecord<>(topic, new byte[4]));
                    },
                    0,
                    50,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            var ignored = schedule.shutdownNow();
            schedule.close();
            producer.close();
        }
    }
}
