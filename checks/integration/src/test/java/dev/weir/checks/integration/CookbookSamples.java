package dev.weir.checks.integration;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RestartingPipeline;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Backoff;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The recipes of {@code docs/guide/cookbook.md}, word for word. They are only compiled. */
@SuppressWarnings({"CheckReturnValue", "FutureReturnValueIgnored", "unused", "try"}) // samples
abstract class CookbookSamples {

    /** The application's own code. */
    interface Shop {
        void book(ConsumerRecord<String, String> order);

        void archive(ConsumerRecord<String, String> order);

        String price(ConsumerRecord<String, String> order);

        String customer(ConsumerRecord<String, String> order);

        List<String> lines(ConsumerRecord<String, String> order);

        String sum(List<ConsumerRecord<String, String>> orders);

        void migrate();

        void untilTold();
    }

    private final ConsumerSettings<String, String> settings;
    private final ConsumerSettings<String, String> groupless;
    private final ProducerSettings<String, String> output;
    private final Shop shop;
    private final DataSource database;

    CookbookSamples(
            ConsumerSettings<String, String> settings,
            ConsumerSettings<String, String> groupless,
            ProducerSettings<String, String> output,
            Shop shop,
            DataSource database) {
        this.settings = settings;
        this.groupless = groupless;
        this.output = output;
        this.shop = shop;
        this.database = database;
    }

    void aTopicIntoADatabaseIn() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .groupedWithin(500, Duration.ofSeconds(1))
                .to(Sink.forEach(orders -> {
                    try (Connection connection = database.getConnection();
                            PreparedStatement insert = connection.prepareStatement(
                                    "INSERT INTO orders (id, customer) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
                        for (ConsumerRecord<String, String> order : orders) {
                            insert.setString(1, order.partition() + "-" + order.offset());
                            insert.setString(2, order.key());
                            insert.addBatch();
                        }
                        insert.executeBatch(); // its SQLException fails the pipeline, and the batch is redelivered
                    }
                }));
    }

    void callAServiceForEachRecord() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .mapBlocking(
                        64,
                        RecordOrdering.byKey(),
                        order -> new ProducerRecord<>("invoices", order.key(), shop.price(order)))
                .to(KafkaSink.with(output).records());
    }

    void aCallThatMayFailTimeout() {
        KafkaFlow.from(settings, "orders")
                .handle(64, RecordOrdering.byKey(), order -> shop.price(order))
                .timeout(Duration.ofSeconds(5))
                .retry(RetryPolicy.of(3, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5))))
                .deadLetter("orders-dead")
                .produceTo(output, price -> new ProducerRecord<>("invoices", price));
    }

    void tryAgainInAMinuteThen() {
        KafkaFlow.from(settings, "orders")
                .forEach(64, RecordOrdering.byKey(), order -> shop.book(order))
                .retryTopics(RetryTopics.of("orders-retry-1m", Duration.ofMinutes(1))
                        .then("orders-retry-10m", Duration.ofMinutes(10)))
                .deadLetter("orders-dead")
                .run();
    }

    void stopTakingRecordsWhileAService() {
        KafkaFlow.from(settings, "orders")
                .forEach(16, RecordOrdering.byKey(), order -> shop.book(order))
                .breaker(CircuitBreaker.consecutive(5, Duration.ofSeconds(30)))
                .run();
    }

    void recordsThatCannotBeDecoded() {
        Source<ConsumerRecord<String, String>> orders = DeadLetterTopic.of("orders-dead", settings)
                .divert(KafkaSource.from(settings, "orders").decoded());
    }

    void soManyCallsASecondFor() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .throttlePerKey(10, Duration.ofSeconds(1), 10, order -> shop.customer(order))
                .mapBlocking(64, RecordOrdering.byKey(), order -> shop.price(order))
                .to(Sink.ignore());
    }

    void urgentTopicsFirst() {
        KafkaSource.from(settings, Subscription.topics("orders", "alerts").priority("alerts", 1))
                .atLeastOnce()
                .mapBlocking(16, RecordOrdering.byKey(), record -> shop.price(record))
                .to(Sink.ignore());
    }

    void oneRecordIntoSeveralToSeveral() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .mapConcat(order -> shop.lines(order))
                .map(line -> new ProducerRecord<String, String>(line.startsWith("!") ? "urgent-lines" : "lines", line))
                .to(KafkaSink.with(output).records());
    }

    void theSameRecordsToTwoPlaces() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .alsoTo(Sink.forEachBlocking(4, order -> shop.archive(order)))
                .map(order -> new ProducerRecord<>("orders-copy", order.key(), order.value()))
                .to(KafkaSink.with(output).records());
    }

    void sumsPerKeyAndMinute() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .groupBy(
                        order -> order.key(),
                        100_000,
                        Duration.ofMinutes(5),
                        customer -> customer.groupedWithin(10_000, Duration.ofMinutes(1))
                                .map(orders -> new ProducerRecord<>(
                                        "sums", orders.get(0).key(), shop.sum(orders))))
                .to(KafkaSink.with(output).records());
    }

    void readAgainFromYesterday(RunningPipeline running, Instant yesterday) {
        Subscription fromYesterday = Subscription.topics("orders").startingAt(Position.time(yesterday));

        ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
        consumer.seek(Map.of(new TopicPartition("orders", 0), Position.time(yesterday)));
    }

    void letWeirFindTheConcurrency() {
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .mapBlocking(Parallelism.adaptive(4, 256), RecordOrdering.byKey(), order -> shop.price(order))
                .to(Sink.ignore());
    }

    void load(Map<String, String> table) throws InterruptedException {
        KafkaSource.from(groupless, Subscription.topics("prices").untilEnd())
                .plain()
                .runTo(Sink.forEach(price -> table.put(price.key(), price.value())));
    }

    void bookSome() throws InterruptedException {
        KafkaSource.from(settings, "orders").atLeastOnce().take(1_000).runTo(Sink.forEach(shop::book));
    }

    void maintain(RunningPipeline running) {
        ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
        consumer.pause("orders").toCompletableFuture().join();
        shop.migrate();
        consumer.resume("orders");
    }

    void restarting() {
        var backoff = RestartSettings.of(Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(30)));
        try (var consumer = ReusableConsumer.start(settings, Subscription.topics("orders"));
                var booking =
                        RestartingPipeline.run(consumer.records("orders").to(Sink.forEach(shop::book)), backoff)) {
            shop.untilTold();
        }
    }

    String probe(RunningPipeline running) {
        ConsumerHealth health = running.handles(ConsumerHandle.class).get(0).health();
        return health.live() ? health.ready() ? "UP " + health.reason() : "STARTING " + health.reason() : "DOWN";
    }

    boolean publish(SourceQueue<String> queue, String event) throws InterruptedException {
        return queue.offer(event, Duration.ofSeconds(1)) instanceof SourceQueue.Enqueued;
    }

    RunningPipeline publishing(SourceQueue<String> queue) {
        return Source.queue(queue)
                .map(event -> new ProducerRecord<String, String>("events", event))
                .to(KafkaSink.with(output).records())
                .run();
    }
}
