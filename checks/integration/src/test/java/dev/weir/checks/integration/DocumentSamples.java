package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.console.ConsoleServer;
import dev.weir.console.profile.Profile;
import dev.weir.console.profile.Profiler;
import dev.weir.console.tune.TuneReport;
import dev.weir.console.tune.Tuner;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.HandledFlow;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.view.ViewEncoder;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.RareAnswer;
import dev.weir.testkit.Records;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Samples of several documents, word for word. {@code SamplesTest} compares them. They are compiled but not run. */
final class DocumentSamples {

    private DocumentSamples() {}

    record Order(String customer, long total) {}

    record Invoice(String customer, long total) {}

    interface Shop {
        void insertAll(List<ConsumerRecord<String, Order>> orders);
    }

    static final class MalformedOrder extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final class AlreadyBooked extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final class AccountLocked extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static Invoice price(Order order) {
        return new Invoice(order.customer(), order.total());
    }

    /** Sample of {@code docs/guide/failures-kafka.md}. */
    static void failures(
            ConsumerSettings<String, Order> orders,
            ProducerSettings<String, Invoice> invoices,
            Shop shop,
            Backoff backoff) {
        KafkaFlow.from(orders, "orders")
                .handle(64, RecordOrdering.byKey(), order -> price(order.value())) // blocks; a customer's in order
                .retry(RetryPolicy.of(3, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5))))
                .timeout(Duration.ofSeconds(5))
                .deadLetter("orders-dead")
                .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice))
                .run();

        KafkaFlow.from(orders, "orders")
                .handleBatch(
                        500,
                        Duration.ofMillis(100),
                        RecordOrdering.byKey(),
                        batch -> { // 500, or 100 ms
                            shop.insertAll(batch);
                            return BatchOutcome.allDone(batch);
                        })
                .retry(RetryPolicy.of(3, backoff))
                .deadLetter("orders-dead")
                .run();
    }

    static void rules(HandledFlow<String, Order, Invoice> flow, Backoff backoff) {
        flow.on(MalformedOrder.class, FailureAction.DEAD_LETTER)
                .on(AlreadyBooked.class, FailureAction.SKIP)
                .on(AccountLocked.class, FailureAction.FAIL)
                .run();

        flow.retry(RetryPolicy.of(3, backoff)) // first in place
                .retryTopics(RetryTopics.of("orders-retry-1m", Duration.ofMinutes(1)) // then in a minute
                        .then("orders-retry-10m", Duration.ofMinutes(10))) // then in ten, then never
                .deadLetter("orders-dead")
                .run();

        CircuitBreaker payments = CircuitBreaker.failureRate(0.5, 100, Duration.ofSeconds(10)); // half of 100 calls
        flow.breaker(payments).run();
    }

    static Source<ConsumerRecord<String, Order>> diverted(ConsumerSettings<String, Order> settings) {
        Source<Decoded<String, Order>> decoded =
                KafkaSource.from(settings, "orders").decoded(); // a refusal is a value
        Source<ConsumerRecord<String, Order>> orders =
                DeadLetterTopic.of("orders-dead", settings).divert(decoded);
        return orders;
    }

    /** Sample of {@code docs/guide/exactly-once.md}. */
    static Pipeline exactlyOnce(ConsumerSettings<String, Order> orders, ProducerSettings<String, Invoice> invoices) {
        Pipeline pricing = KafkaSource.from(orders, "orders")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(100))
                .produceTo(
                        invoices,
                        records -> records.mapBlocking(64, RecordOrdering.byKey(), order -> price(order.value()))
                                .map(invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice)));
        return pricing;
    }

    static Pipeline exactlyOnceUnderARule(
            ConsumerSettings<String, Order> orders,
            ProducerSettings<String, Invoice> invoices,
            DeadLetterTopic deadLetterTopic) {
        Pipeline pricing = KafkaSource.from(orders, "orders")
                .exactlyOnce()
                .onFailure(WriteFailures.deadLetter(deadLetterTopic))
                .produceTo(
                        invoices,
                        records -> records.map(order -> price(order.value()))
                                .map(invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice)));
        return pricing;
    }

    /** Sample of {@code docs/guide/share-groups.md}. */
    static void shared() {
        var orders = ShareSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers("localhost:9092")
                .groupId("pricing")
                .startAt(ShareSettings.Start.EARLIEST)
                .build();
        KafkaFlow.shared(orders, "orders")
                .forEach(300, Ordering.unordered(), order -> price(order.value()))
                .reject(MalformedOrder.class) // the group never delivers it again
                .deadLetter("orders-dead")
                .run();
    }

    static long price(String order) {
        return order.length();
    }

    /** Sample of {@code docs/reference/configuration.md}. */
    static ConsumerSettings<byte[], byte[]> configured() throws IOException {
        return ConsumerSettings.builder()
                .from(Path.of("orders.properties")) // what is set later wins
                .fromEnvironment("ORDERS_")
                .build();
    }

    /** Sample of {@code docs/guide/console.md}. */
    static void profile() throws IOException, InterruptedException {
        Profile profile = Profiler.create().time(Duration.ofSeconds(10)).recordThisProcess();
        Files.writeString(Path.of("profile.html"), profile.toHtml());
    }

    /** Sample of {@code docs/guide/console.md}. */
    static void console(RunningPipeline running) throws IOException {
        ConsoleServer console = ConsoleServer.builder().port(9500).start(running);
        console.close();
    }

    /** Sample of {@code docs/guide/console.md}. */
    static void limiter(RunningPipeline running) {
        LimiterProbe probe = LimiterProbe.start(running);
        Limiter now = probe.limiter();
        System.out.println(now.kind().id() + " " + now.name() + ": " + now.sentence() + "; " + now.advice());
        probe.close();
    }

    /** Sample of {@code docs/guide/tuning.md}. */
    static void tuned(RunningPipeline running) throws InterruptedException {
        TuneReport report =
                Tuner.builder().maxLatency(Duration.ofSeconds(1)).build().run(running, System.out::println);
        report.lasting().forEach(System.out::println);
    }

    /** Sample of {@code docs/guide/operations.md}. */
    static void meters(RunningPipeline running, MeterRegistry registry) {
        PipelineMetrics metrics = PipelineMetrics.of(running).withPartitionTags();
        metrics.bindTo(registry);
    }

    /** Samples of {@code docs/reference/lean.md}. */
    static final class Lean {

        private Lean() {}

        record Click(long number) {}

        static void count(Object click) {}

        static void read() {
            ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .groupId("clicks")
                    .fetch(FetchPath.LEAN)
                    .build();
            KafkaSource.from(settings, "clicks")
                    .atLeastOnce()
                    .to(Sink.forEach(record -> count(record)))
                    .run();
        }

        static void views(ConsumerSettings<byte[], byte[]> settings) {
            KafkaSource.from(settings, "clicks")
                    .decodedBy(record -> new Click(record.value().getLong(0)))
                    .atLeastOnce()
                    .to(Sink.forEach(click -> count(click)))
                    .run();
        }

        static void copy(ConsumerSettings<byte[], byte[]> consumer) {
            ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .produce(ProducePath.LEAN)
                    .build();
            KafkaSource.from(consumer, "clicks")
                    .atLeastOnce()
                    .map(record -> new ProducerRecord<>("copy", record.key(), record.value()))
                    .to(KafkaSink.with(settings).records())
                    .run();
        }

        static void encode() {
            ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .groupId("large")
                    .fetch(FetchPath.LEAN)
                    .build();
            ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .produce(ProducePath.LEAN)
                    .build();
            ViewEncoder largeOnes = (record, out) -> {
                if (record.value().getLong(8) > 100) {
                    out.send(out.record("large").content(record));
                }
            };
            KafkaSource.from(consumer, "clicks")
                    .views()
                    .mapParallel(2, views -> views.encode(largeOnes))
                    .to(KafkaSink.with(producer).encoded())
                    .run();
        }
    }

    /** Samples of {@code docs/guide/testkit.md}. */
    static final class Testkit {

        private Testkit() {}

        static void faults() {
            try (KafkaCluster cluster =
                    KafkaCluster.builder().brokers(3).forked().start()) {
                cluster.createTopic("orders", 6); // 3 replicas, 2 of them must be in sync
                cluster.broker(1).kill(); // SIGKILL
                cluster.broker(1).start(); // same id, port and data
                cluster.awaitInSync("orders");
                cluster.broker(2).freeze(); // SIGSTOP: connections stay open, nobody answers
                cluster.broker(2).thaw();
                cluster.broker(3).stop(); // in order: leaderships move away first
            }
        }

        static void network(KafkaCluster cluster, ConsumerSettings.Builder<byte[], byte[]> settings) {
            try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
                settings.bootstrapServers(network.bootstrapServers()); // of one client; the others go straight there
                network.delay(Duration.ofMillis(50)); // each message, in either direction
                network.halfOpen(); // connections stay open, nothing passes: a lost route
                network.swallowWrites(); // drops the writes of the clients so far: a stuck producer
                network.cut(); // connections are reset, new ones too
                network.restore(); // all of this ends; what was held back passes
            }
        }

        static void rareAnswers(KafkaCluster cluster) {
            try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
                network.answerRarely(7); // all kinds; or name them: RareAnswer.REBALANCE, ...
                // run your pipeline at network.bootstrapServers(), check its results, then:
                assertThat(network.rareAnswers().get(RareAnswer.EMPTY_FETCH)).isPositive();
            }
        }

        /** Nested, so that JUnit does not run it as a test. */
        static final class Sample {

            private Sample() {}

            static final class OrdersTest {
                @RegisterExtension
                static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

                @Test
                void orders_flow() {
                    KAFKA.cluster().createTopic("orders", 6);
                    Records.produce(KAFKA.bootstrapServers(), "orders", 0, 1_000);
                    // run what you test, then:
                    var out = Records.readAll(KAFKA.bootstrapServers(), "invoices", IsolationLevel.READ_COMMITTED);
                    assertThat(Records.numbers(out)).doesNotHaveDuplicates().hasSize(1_000);
                }
            }
        }
    }
}
