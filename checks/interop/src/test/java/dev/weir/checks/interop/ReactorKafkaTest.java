package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.kafka.receiver.ReceiverOptions;
import reactor.kafka.sender.SenderOptions;

/**
 * Checks that each pattern of {@code docs/guide/reactor-kafka.md} sees the same records with reactor-kafka and with
 * Weir.
 */
@Timeout(300)
class ReactorKafkaTest {

    private static final int COUNT = 600;
    private static final Duration LONG = Duration.ofMinutes(2);

    private static KafkaCluster cluster;
    private static Set<String> expected;

    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
        cluster.createTopic("orders", 3);
        cluster.createTopic("sent", 3);
        cluster.createTopic("bills", 3);
        Records.produce(cluster.bootstrapServers(), "orders", 0, COUNT, 50);
        expected = new HashSet<>(numbers());
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static List<String> numbers() {
        return IntStream.range(0, COUNT).mapToObj(Integer::toString).toList();
    }

    private static ReceiverOptions<String, String> theirs(String group) {
        return ReceiverOptions.<String, String>create(Map.of(
                        "bootstrap.servers",
                        cluster.bootstrapServers(),
                        "group.id",
                        group,
                        "auto.offset.reset",
                        "earliest",
                        "key.deserializer",
                        StringDeserializer.class,
                        "value.deserializer",
                        StringDeserializer.class))
                .subscription(List.of("orders"));
    }

    private static ConsumerSettings<String, String> ours(String group) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(group)
                .property("auto.offset.reset", "earliest")
                .build();
    }

    private static ProducerSettings<String, String> output() {
        return ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(cluster.bootstrapServers())
                .build();
    }

    private static Subscription orders() {
        return Subscription.topics("orders").untilEnd();
    }

    /** Runs the reactor-kafka variant until it has seen all records, then Weir's to its end. Compares the results. */
    private void assertBothSeeAll(Flux<?> theirs, String group, Pipeline ours) throws Exception {
        theirs.take(COUNT).blockLast(LONG);
        assertThat(seen).hasSize(COUNT).containsExactlyInAnyOrderElementsOf(expected);
        seen.clear();
        ours.run().await();
        assertThat(seen).hasSize(COUNT).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(cluster.committedOffsets(group)).isEqualTo(cluster.endOffsets("orders"));
    }

    @Test
    void receive_becomesAtLeastOnce() throws Exception {
        assertBothSeeAll(
                ReactorKafka.receive(theirs("receive-theirs"), order -> {
                    seen.add(order);
                    return ReactorKafka.answer(order);
                }),
                "receive-ours",
                ReactorKafka.atLeastOnce(ours("receive-ours"), orders(), order -> {
                    seen.add(order);
                    return ReactorKafka.answer(order);
                }));
    }

    @Test
    void receiveAutoAck_becomesAtLeastOnce() throws Exception {
        assertBothSeeAll(
                ReactorKafka.receiveAutoAck(theirs("auto-theirs"), seen::add),
                "auto-ours",
                ReactorKafka.oneByOne(ours("auto-ours"), orders(), seen::add));
    }

    @Test
    void receiveAtmostOnce_becomesAtMostOnce() throws Exception {
        assertBothSeeAll(
                ReactorKafka.receiveAtmostOnce(theirs("most-theirs"), seen::add),
                "most-ours",
                ReactorKafka.atMostOnce(ours("most-ours"), orders(), seen::add));
    }

    @Test
    void groupByPartition_becomesAnOrdering() throws Exception {
        Map<Integer, Integer> last = new ConcurrentHashMap<>();
        assertBothSeeAll(
                ReactorKafka.groupByPartition(theirs("part-theirs"), (partition, order) -> seen.add(order)),
                "part-ours",
                ReactorKafka.byPartition(ours("part-ours"), orders(), (partition, order) -> {
                    Integer before = last.put(partition, Integer.parseInt(order));
                    assertThat(Integer.parseInt(order)).isGreaterThan(before == null ? -1 : before);
                    seen.add(order);
                }));
    }

    @Test
    void receiveExactlyOnce_becomesExactlyOnce() throws Exception {
        ReactorKafka.exactlyOnce(
                        ours("exactly-ours"),
                        orders(),
                        output(),
                        order -> new ProducerRecord<>("bills", order.key(), order.value()))
                .run()
                .await();
        assertThat(Records.numbers(Records.readAll(cluster.bootstrapServers(), "bills", IsolationLevel.READ_COMMITTED)))
                .hasSize(COUNT)
                .doesNotHaveDuplicates();
        assertThat(cluster.committedOffsets("exactly-ours")).isEqualTo(cluster.endOffsets("orders"));
    }

    @Test
    void senderRecord_becomesAMessage() throws Exception {
        SenderOptions<String, String> options = SenderOptions.create(Map.of(
                "bootstrap.servers", cluster.bootstrapServers(),
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class));
        ReactorKafka.send(options, numbers(), (order, offset) -> seen.add(order + (offset < 0 ? "?" : "")))
                .blockLast(LONG);
        ReactorKafka.producing(output(), numbers(), (order, offset) -> seen.add(order + (offset < 0 ? "?" : "")))
                .run()
                .await();
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(numbers().stream(), numbers().stream()).toList());
    }
}
