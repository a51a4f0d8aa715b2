package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RestartingPipeline;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The samples of {@code docs/guide/consuming.md}, word for word. */
class ConsumingSamplesTest {

    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void samples_ofTheDocument_areCompiledHere() throws IOException {
        Path root = Path.of(System.getProperty("weir.root"));
        String here = withoutSpace(Files.readString(root.resolve("checks/integration/src/test/java")
                .resolve(getClass().getName().replace('.', '/') + ".java")));
        List<String> samples = SAMPLE.matcher(Files.readString(root.resolve("docs/guide/consuming.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(here).as(sample).contains(withoutSpace(sample)));
    }

    /** Removes white space and comments, which the formatter moves. */
    private static String withoutSpace(String code) {
        return code.replaceAll("//.*", "").replaceAll("\\s+", "");
    }

    @Test
    @SuppressWarnings("CheckReturnValue") // samples
    void subscriptions() {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        Subscription.topics("orders", "returns"); // what the group gives to this member
        Subscription.pattern("orders-.*"); // also topics that are created later
        Subscription.partitions(new TopicPartition("orders", 0)); // exactly these, not assigned by a group

        var orders0 = new TopicPartition("orders", 0);
        Subscription.topics("orders").startingAt(Position.end()); // a new group starts with new records
        Subscription.partitions(orders0)
                .startingAt(Position.time(yesterday)) // the first record as young as that
                .until(orders0, Position.offset(1_000)); // up to 999
        Subscription.topics("orders").untilEnd(); // up to where it ends when the source starts

        Subscription.topics("orders", "alerts").priority("alerts", 1); // alerts before orders

        Subscription.topics("reminders")
                .dueAt(record -> Instant.ofEpochMilli(record.timestamp())
                        .plus(Duration.ofHours(1))); // an hour after it was written
    }

    private static Object book(ConsumerRecord<byte[], byte[]> order) {
        return order;
    }

    private static String customer(ConsumerRecord<byte[], byte[]> order) {
        return order.topic();
    }

    private static void call(ConsumerRecord<byte[], byte[]> alert) {
        assertThat(alert).isNotNull();
    }

    private static void cache(ConsumerRecord<byte[], byte[]> price) {
        assertThat(price).isNotNull();
    }

    private static void insertWithPosition(ConsumerRecord<byte[], byte[]> order) {
        assertThat(order).isNotNull();
    }

    private static Map<TopicPartition, Position> selectPositions(Set<TopicPartition> partitions) {
        return partitions.stream().collect(Collectors.toMap(id -> id, id -> Position.beginning()));
    }

    @Test
    @SuppressWarnings("CheckReturnValue") // samples
    void sources() {
        var builder = ConsumerSettings.builder().bootstrapServers("localhost:9092");
        var groupless = builder.build();
        var settings = builder.groupId("shop").build();
        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .mapBlocking(64, RecordOrdering.byKey(), order -> book(order))
                .to(Sink.ignore());

        KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .throttlePerKey(10, Duration.ofSeconds(1), 10, order -> customer(order)) // 10 a second each
                .mapBlocking(64, RecordOrdering.byKey(), order -> book(order))
                .to(Sink.ignore());

        KafkaSource.from(settings, Subscription.topics("orders"))
                .partitioned()
                .flatMapMerge(
                        Integer.MAX_VALUE, partition -> partition.records().map(order -> book(order)))
                .to(Sink.ignore());

        KafkaSource.from(groupless, Subscription.topics("prices").untilEnd())
                .plain() // the whole topic as it is now
                .to(Sink.forEach(price -> cache(price)));

        ExternalOffsets offsets = partitions -> CompletableFuture.supplyAsync(() -> selectPositions(partitions));
        KafkaSource.from(settings, Subscription.topics("orders"))
                .plain(offsets)
                .to(Sink.forEach(order -> insertWithPosition(order)));

        KafkaSource.from(settings, Subscription.topics("alerts"))
                .atMostOnce(1_000)
                .to(Sink.forEach(alert -> call(alert)));
    }

    /** Compiled only: there is no such pipeline. */
    @SuppressWarnings({"CheckReturnValue", "FutureReturnValueIgnored", "unused"}) // samples
    private static void steering(RunningPipeline running, TopicPartition orders0, Instant yesterday) {
        ConsumerHandle consumer = ConsumerHandle.of(running);
        consumer.pause("orders"); // until resume("orders")
        consumer.seek(Map.of(orders0, Position.time(yesterday))); // reads again from there
    }

    /** A handler that steers. */
    private static final class Desk {

        void book(ConsumerRecord<byte[], byte[]> order) {
            assertThat(order).isNotNull();
        }

        void steer(ConsumerHandle consumer) {
            assertThat(consumer).isNotNull();
        }
    }

    /** Compiled only: there are no such brokers. */
    @SuppressWarnings("unused") // samples
    private static void steeringHandler(ConsumerSettings<byte[], byte[]> settings, Desk desk) {
        Pipeline booking = KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .to(Sink.forEach(order -> desk.book(order)))
                .onStart(running -> desk.steer(ConsumerHandle.of(running)));
    }

    private static void untilTold() {}

    /** Compiled only: there are no such brokers. */
    @SuppressWarnings({"try", "unused"}) // samples
    private static void sharing(ConsumerSettings<byte[], byte[]> settings) {
        try (var consumer = ReusableConsumer.start(settings, Subscription.topics("orders", "returns"))) {
            Pipeline booking = consumer.records("orders").to(Sink.forEach(order -> call(order)));
            Pipeline refunding = consumer.records("returns").to(Sink.forEach(order -> call(order)));
            var backoff = RestartSettings.of(Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(30)));
            try (var orders = RestartingPipeline.run(booking, backoff);
                    var returns = RestartingPipeline.run(refunding, backoff)) {
                untilTold();
            }
        }
    }
}
