package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * A case of {@link WriteMatrixTest}: an event, a way to write, a produce path, and the presence of a rule. Its input
 * has {@value #COUNT} records in one partition, so a record's number is its offset. Thread-safe.
 *
 * @param skips whether records that cannot be written are left out
 * @param isSerialisable whether the serializer accepts the record at fault
 * @param network the broker connections that the event disturbs, or null
 * @param shared the producer of several pipelines, or null
 */
record WriteCase(
        KafkaCluster cluster,
        WriteEvent event,
        WriteWay way,
        ProducePath path,
        boolean skips,
        AtomicBoolean isSerialisable,
        @Nullable FaultProxy network,
        @Nullable Sender<byte[], byte[]> shared,
        Set<Long> seen,
        Map<Long, CompletableFuture<RecordMetadata>> sent) {

    static final int COUNT = 30;

    /** The number of the record at fault. Other events occur before this record. */
    static final int FAULT = 15;

    /** Header with the number of the input. */
    private static final String NUMBER = "n";

    private static final int MAX_REQUEST_BYTES = 50_000;
    private static final int MAX_MESSAGE_BYTES = 20_000;

    /** Larger than a dead-letter record with its stack trace, and smaller than the batches of any way to write. */
    private static final int FEW_MESSAGE_BYTES = 6_000;

    /** Once armed, throws an error that kills the client's thread. */
    public static final class DeadlyInterceptor implements ProducerInterceptor<byte[], byte[]> {

        static final AtomicBoolean ARMED = new AtomicBoolean();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception exception) {
            if (ARMED.getAndSet(false)) {
                throw new StackOverflowError("planted");
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> config) {}
    }

    WriteCase(KafkaCluster cluster, WriteEvent event, WriteWay way, ProducePath path, boolean skips) {
        this(
                cluster,
                event,
                way,
                path,
                skips,
                new AtomicBoolean(event != WriteEvent.UNSERIALISABLE),
                event.isOfNetwork() ? FaultProxy.to(cluster.bootstrapServers()) : null,
                null,
                ConcurrentHashMap.newKeySet(),
                new ConcurrentSkipListMap<>());
    }

    WriteCase sharing(Sender<byte[], byte[]> sender) {
        return new WriteCase(cluster, event, way, path, skips, isSerialisable, network, sender, seen, sent);
    }

    /** Returns the name of the input topic, the group and the transactional id. */
    String name() {
        return (event + "-" + way + "-" + path + (skips ? "-skip" : ""))
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }

    String out() {
        return name() + "-out";
    }

    String topicAtFault() {
        return event.hasOwnTopic() && !way.isForwarding() ? name() + "-fault" : out();
    }

    String topic(long number) {
        seen.add(number);
        return number == FAULT ? topicAtFault() : out();
    }

    ProducerRecord<byte[], byte[]> made(ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic(record.offset()), null, null, record.key(), record.value(), record.headers());
    }

    ConsumerRecord<byte[], byte[]> handled(ConsumerRecord<byte[], byte[]> record) {
        seen.add(record.offset());
        return record;
    }

    void sendSingly(ConsumerRecord<byte[], byte[]> record) {
        Sender<byte[], byte[]> sender = shared;
        if (sender == null) {
            throw new IllegalStateException("a case of single sends has a sender");
        }
        sent.put(record.offset(), sender.send(made(record)));
    }

    WriteFailures rule() {
        return skips ? WriteFailures.skip() : WriteFailures.fail();
    }

    ConsumerSettings<byte[], byte[]> consumer() {
        return ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(name())
                .fetch(way == WriteWay.EXACTLY_ONCE && path == ProducePath.LEAN ? FetchPath.LEAN : FetchPath.CLIENT)
                .commitInterval(Duration.ofMillis(20))
                .property("metadata.max.age.ms", "1000")
                .build();
    }

    ProducerSettings<byte[], byte[]> producer() {
        Serializer<byte[]> values = (topic, value) -> {
            if (!isSerialisable.get() && value != null && number(value) == FAULT) {
                // Kafka's client throws this exception once it is closed.
                throw new IllegalStateException("not of this form");
            }
            return value;
        };
        ProducerSettings.Builder<byte[], byte[]> settings = ProducerSettings.builder(new ByteArraySerializer(), values)
                .bootstrapServers(network == null ? cluster.bootstrapServers() : network.bootstrapServers())
                .produce(way == WriteWay.EXACTLY_ONCE ? ProducePath.CLIENT : path);
        properties().forEach(settings::property);
        return settings.build();
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>(Map.of(
                "max.block.ms", "2000",
                "request.timeout.ms", "1000",
                "metadata.max.age.ms", "1000"));
        switch (event) {
            case TOO_LARGE_FOR_CLIENT -> properties.put("max.request.size", Integer.toString(MAX_REQUEST_BYTES));
            case TOO_LARGE_WITHIN_BATCH, TOO_LARGE_FOR_BATCH ->
                properties.putAll(Map.of("batch.size", "200000", "linger.ms", "200"));
            case NEIGHBOUR_REFUSED -> properties.put("linger.ms", "300");
            case TIMEOUT -> properties.put("delivery.timeout.ms", "1500");
            case CLIENT_DEAD -> properties.put("interceptor.classes", DeadlyInterceptor.class.getName());
            default -> {}
        }
        return properties;
    }

    /** Returns topic settings that make the topic refuse the record at fault. */
    Map<String, String> topicConfig() {
        return switch (event) {
            case RECORD_REFUSED, NEIGHBOUR_REFUSED -> Map.of("cleanup.policy", "compact");
            case TOO_LARGE_WITHIN_BATCH -> Map.of("max.message.bytes", Integer.toString(FEW_MESSAGE_BYTES));
            case TOO_LARGE_FOR_BROKER, TOO_LARGE_FOR_BATCH ->
                Map.of("max.message.bytes", Integer.toString(MAX_MESSAGE_BYTES));
            default -> Map.of();
        };
    }

    void produce(long from, long to) {
        FailureTopics.produceAll(
                cluster, LongStream.range(from, to).mapToObj(this::input).toList());
    }

    private ProducerRecord<byte[], byte[]> input(long number) {
        boolean isRefused = event == WriteEvent.RECORD_REFUSED && number == FAULT;
        byte[] text = Long.toString(number).getBytes(US_ASCII);
        ProducerRecord<byte[], byte[]> input = new ProducerRecord<>(name(), isRefused ? null : text, value(number));
        input.headers().add(NUMBER, text);
        return input;
    }

    private byte[] value(long number) {
        int bytes = switch (event) {
            case TOO_LARGE_FOR_CLIENT -> number == FAULT ? MAX_REQUEST_BYTES + 1 : 10;
            case TOO_LARGE_FOR_BROKER -> number == FAULT ? MAX_MESSAGE_BYTES + 1 : 10;
            case TOO_LARGE_WITHIN_BATCH -> number == FAULT ? FEW_MESSAGE_BYTES + 1 : 10;
            case TOO_LARGE_FOR_BATCH -> 2_000;
            default -> 10;
        };
        return (number + " ".repeat(bytes)).getBytes(US_ASCII);
    }

    private static long number(byte[] value) {
        return Long.parseLong(new String(value, US_ASCII).strip());
    }

    /** Returns the numbers in a topic, in the order of their first occurrences. */
    List<Long> written(String topic) {
        return read(topic).stream().map(WriteCase::number).distinct().toList();
    }

    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return Records.readAll(
                cluster.bootstrapServers(),
                topic,
                way.isTransactional() ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED);
    }

    static long number(ConsumerRecord<byte[], byte[]> record) {
        Header number = record.headers().lastHeader(NUMBER);
        return number == null
                ? DeadLetterRecord.read(record).offset()
                : Long.parseLong(new String(number.value(), US_ASCII));
    }

    /** Returns the number of finished inputs before the first gap. */
    long finished() {
        return switch (way) {
            case SENDER ->
                sent.values().stream().filter(CompletableFuture::isDone).count();
            case PARKED_COPY -> seen.size();
            default -> cluster.committedOffsets(name()).getOrDefault(new TopicPartition(name(), 0), 0L);
        };
    }

    void close() {
        if (network != null) {
            network.close();
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
