package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.spi.Lookup;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests how a pipeline that reads committed records reports an open transaction in its topic. */
@Timeout(120)
class OpenTransactionTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    /** The number of records in partition 0 after the open transaction's record. */
    private static final int BEHIND = 10;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private final Queue<String> read = new ConcurrentLinkedQueue<>();

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> config) {
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        if (config.containsKey("transactional.id")) {
            producer.initTransactions();
        }
        return producer;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, String value) {
        var ignored = producer.send(new ProducerRecord<>(topic, 0, null, value.getBytes(StandardCharsets.US_ASCII)));
    }

    /**
     * Writes a record and its marker at offsets 0 and 1, a record of an open transaction at offset 2, and records of
     * other producers after that.
     */
    private static KafkaProducer<byte[], byte[]> leaveOpen(String topic) {
        KAFKA.cluster().createTopic(topic, 2);
        var stranger = producer(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "transactional.id", "stranger-" + topic));
        stranger.beginTransaction();
        send(stranger, topic, "first");
        // Kafka 4.4's producer may send a commit before its record. The broker then refuses the empty transaction.
        stranger.flush();
        stranger.commitTransaction();
        stranger.beginTransaction();
        send(stranger, topic, "aborted");
        stranger.flush();
        try (var others = producer(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            IntStream.range(0, BEHIND).forEach(number -> send(others, topic, "behind " + number));
        }
        return stranger;
    }

    private RunningPipeline run(String topic) {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .property("isolation.level", "read_committed")
                .build();
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .to(Sink.forEach(record -> read.add(new String(record.value(), StandardCharsets.US_ASCII))))
                .named(topic)
                .run();
    }

    private static Set<Paused> paused(RunningPipeline running, int number) {
        return ConsumerHandle.of(running).dump().partitions().stream()
                .filter(partition -> partition.partition() == number)
                .findFirst()
                .map(PartitionDump::paused)
                .orElse(Set.of());
    }

    private void awaitAllRead() {
        List<String> all = Stream.concat(
                        Stream.of("first"), IntStream.range(0, BEHIND).mapToObj(number -> "behind " + number))
                .toList();
        ConsumerLedger.await(
                () -> "read, and not " + read, SOON, () -> List.copyOf(read).equals(all));
    }

    /** Returns the warnings, except the one about late offsets. */
    private static List<String> told(FastKafka around) {
        return around.warnings().stream()
                .filter(line -> !line.contains("wait to begin"))
                .toList();
    }

    @Test
    void transactionThatIsLeftOpen_isToldUntilItEnds() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (FastKafka around = FastKafka.at(KAFKA.bootstrapServers(), UnaryOperator.identity());
                var stranger = leaveOpen("held");
                RunningPipeline running = run("held");
                PipelineMetrics metrics = PipelineMetrics.of(running)) {
            metrics.bindTo(registry);
            ConsumerLedger.await("told", SOON, () -> paused(running, 0).equals(Set.of(Paused.OPEN_TRANSACTION)));
            assertThat(paused(running, 1)).isEmpty();
            assertThat(read).containsExactly("first");
            String why = ConsumerHandle.of(running).dump().why().getFirst();
            assertThat(why)
                    .startsWith("held-0: held up by an open transaction of another producer (11 records behind offset 2"
                            + " have waited for ")
                    .contains("; producer id ", ", epoch ", "transactional id stranger-held, Ongoing since ");
            assertThat(told(around))
                    .singleElement()
                    .asString()
                    .startsWith("WARN held-0@2 is held up by an open transaction of another producer: 11 records ")
                    .contains("transactional id stranger-held, Ongoing since ", " with a timeout of 60000 ms")
                    .endsWith("abort --topic held --partition 0 --start-offset 2");
            String[] reason = {"reason", "open_transaction"};
            ConsumerLedger.await("meter", SOON, () -> value(registry, "weir.consumer.paused", reason) == 1);
            String[] limiter = {"kind", "source-broker", "name", "held-0"};
            ConsumerLedger.await("limiter", SOON, () -> value(registry, "weir.limiter", limiter) == 1);

            stranger.abortTransaction();
            awaitAllRead();
            ConsumerLedger.await("over", SOON, () -> paused(running, 0).isEmpty());
            ConsumerLedger.await("meter is 0", SOON, () -> value(registry, "weir.consumer.paused", reason) == 0);
            ConsumerLedger.await(
                    "said so",
                    SOON,
                    () -> around.lines()
                            .contains("INFO held-0 continues: the transaction that was open at offset 2 has ended"));
            assertThat(told(around)).hasSize(1);
            assertThat(running.completion()).isNotDone();
        }
    }

    private static double value(SimpleMeterRegistry registry, String name, String... tags) {
        Gauge gauge = registry.find(name).tags(tags).gauge();
        return gauge == null ? -1 : gauge.value();
    }

    /** Aborts the transaction like {@code kafka-transactions.sh abort --start-offset 2}. */
    private static void abortByHand(TopicPartition id) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            ProducerState open =
                    admin.describeProducers(List.of(id)).partitionResult(id).get().activeProducers().stream()
                            .filter(producer ->
                                    producer.currentTransactionStartOffset().equals(OptionalLong.of(2)))
                            .findFirst()
                            .orElseThrow();
            var aborted = new AbortTransactionSpec(
                    id,
                    open.producerId(),
                    (short) open.producerEpoch(),
                    open.coordinatorEpoch().orElse(0));
            admin.abortTransaction(aborted).all().get();
        }
    }

    @Test
    void transactionOfWhichNoBrokerTells_isToldWithoutItsProducer_untilItIsAbortedByHand() throws Exception {
        UnaryOperator<Lookup> untold = lookup -> FastKafka.answering(
                lookup,
                (method, args) -> method.equals("openTransaction")
                        ? CompletableFuture.failedStage(new TopicAuthorizationException("no right to READ"))
                        : null);
        try (FastKafka around = FastKafka.at(KAFKA.bootstrapServers(), untold);
                var stranger = leaveOpen("untold");
                RunningPipeline running = run("untold")) {
            ConsumerLedger.await("told", SOON, () -> paused(running, 0).equals(Set.of(Paused.OPEN_TRANSACTION)));
            assertThat(told(around)).singleElement().asString().contains("; its producer is not known: no right");
            abortByHand(new TopicPartition("untold", 0));
            stranger.close(Duration.ZERO);
            awaitAllRead();
            assertThat(running.completion()).isNotDone();
        }
    }

    // A quota also delays records. This must not be reported as an open transaction.
    @Test
    void standstillBeforeTheLastStableOffset_isNotTold() {
        AtomicInteger asked = new AtomicInteger();
        UnaryOperator<Lookup> stable = lookup -> FastKafka.answering(lookup, (method, args) -> {
            if (method.equals("openTransaction")) {
                asked.incrementAndGet();
            }
            return asked.get() > 0 && method.equals("offsets")
                    ? Map.of(new TopicPartition("slow", 0), CompletableFuture.completedStage(3L))
                    : null;
        });
        try (FastKafka around = FastKafka.at(KAFKA.bootstrapServers(), stable);
                var stranger = leaveOpen("slow");
                RunningPipeline running = run("slow")) {
            ConsumerLedger.await("looked twice", SOON, () -> asked.get() > 1);
            assertThat(paused(running, 0)).isEmpty();
            assertThat(told(around)).isEmpty();
            stranger.abortTransaction();
            awaitAllRead();
        }
    }
}
