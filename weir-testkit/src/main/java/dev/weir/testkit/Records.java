package dev.weir.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes numbered records to a topic and reads them back, so that a test can detect lost, duplicated and reordered
 * records. Thread-safe; each call uses its own client.
 *
 * <p>The value of record {@code n} is the decimal text of {@code n}, its key the decimal text of {@code n % keys}.
 */
public final class Records {
    private Records() {}

    /**
     * Writes the records from {@code first} to {@code first + count - 1}. Returns when all replicas have acknowledged
     * all of them.
     */
    public static void produce(String bootstrapServers, String topic, long first, long count, long keys) {
        Objects.requireNonNull(topic, "topic");
        if (keys < 1) {
            throw new IllegalArgumentException("keys must be at least 1: keys=" + keys);
        }
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(bootstrapServers, "bootstrapServers"),
                // A frozen broker does not respond; try another broker soon.
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000,
                // A new leader may reject a producer's first batch, accept its second, and then never accept the first.
                // One batch in flight prevents this.
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1,
                ProducerConfig.LINGER_MS_CONFIG, 5,
                ProducerConfig.BATCH_SIZE_CONFIG, 131_072);
        Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long n = first; n < first + count && failures.isEmpty(); n++) {
                var unused = producer.send(new ProducerRecord<>(topic, text(n % keys), text(n)), (metadata, e) -> {
                    if (e != null) {
                        failures.add(e);
                    }
                });
            }
            producer.flush();
        }
        if (!failures.isEmpty()) {
            throw new KafkaClusterException(
                    "records could not be written to topic " + topic + ": " + failures.element(), failures.element());
        }
    }

    /** Writes records like {@link #produce(String, String, long, long, long)}, each with its own key. */
    public static void produce(String bootstrapServers, String topic, long first, long count) {
        produce(bootstrapServers, topic, first, count, Long.MAX_VALUE);
    }

    /**
     * Reads a topic from its beginning to its current end, in order within each partition. Use only for topics that fit
     * into memory.
     *
     * <p>A producer learns of a commit or abort before the brokers have written the transaction markers. With
     * {@link IsolationLevel#READ_COMMITTED} this method first waits for the markers, so that the result includes
     * everything committed before the call. It does not wait for transactions that are still open.
     *
     * @throws KafkaClusterException if the topic does not exist, if no record arrives for 30 s before the end is
     *     reached, or if the brokers have not written a transaction's markers after 30 s
     */
    public static List<ConsumerRecord<byte[], byte[]>> readAll(
            String bootstrapServers, String topic, IsolationLevel isolation) {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(isolation, "isolation");
        Objects.requireNonNull(bootstrapServers, "bootstrapServers");
        if (isolation == IsolationLevel.READ_COMMITTED) {
            awaitDecidedTransactions(bootstrapServers);
        }
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                isolation.name().toLowerCase(Locale.ROOT),
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                // The first record may be deleted during the read.
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                10_000);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            if (partitions.isEmpty()) {
                throw new KafkaClusterException("topic " + topic + " does not exist: create it first");
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return readTo(consumer, topic, consumer.endOffsets(partitions));
        }
    }

    private static void awaitDecidedTransactions(String bootstrapServers) {
        Map<String, Object> config = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000);
        ListTransactionsOptions decided = new ListTransactionsOptions()
                .filterStates(List.of(TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT));
        try (Admin admin = Admin.create(config)) {
            Await.until("the end of each transaction is noted in its topics", () -> {
                // Considers only brokers that respond.
                var brokers = Await.get(
                        "list transactions", admin.listTransactions(decided).byBrokerId());
                List<TransactionListing> left = brokers.values().stream()
                        .flatMap(broker -> answer(broker).stream())
                        .toList();
                return left.isEmpty() ? null : "decided, and not noted yet: " + left;
            });
        }
    }

    private static <T> Collection<T> answer(KafkaFuture<Collection<T>> broker) {
        try {
            return Await.get("list transactions", broker);
        } catch (KafkaClusterException ignored) {
            return List.of();
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> readTo(
            KafkaConsumer<byte[], byte[]> consumer, String topic, Map<TopicPartition, Long> ends) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long lastProgressNanos = System.nanoTime();
        // The last offsets may be transaction markers, so compare positions.
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            int before = records.size();
            consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                if (record.offset() < ends.getOrDefault(new TopicPartition(topic, record.partition()), 0L)) {
                    records.add(record);
                }
            });
            if (records.size() > before) {
                lastProgressNanos = System.nanoTime();
            } else if (System.nanoTime() - lastProgressNanos > Await.DEADLINE.toNanos()) {
                throw new KafkaClusterException("topic " + topic + " gave " + records.size()
                        + " records, then none for " + Await.DEADLINE.toSeconds() + " s before its end " + ends);
            }
        }
        return records;
    }

    /** Returns the numbers of records written by {@link #produce}, in the given order. */
    public static List<Long> numbers(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(record -> Long.valueOf(new String(record.value(), StandardCharsets.US_ASCII)))
                .toList();
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
