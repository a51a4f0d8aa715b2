package dev.weir.examples.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.examples.formats.proto.Invoice;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import io.apicurio.registry.serde.protobuf.ProtobufKafkaDeserializer;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the pipelines of this example with a real broker and a real registry. */
@Timeout(120)
class FormatsTest {

    private static final List<String> TOPICS = List.of("orders", "orders-dead", "orders-checked", "invoices");
    private static final Subscription ORDERS = Subscription.topics("orders").untilEnd();

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @RegisterExtension
    static final Registry REGISTRY = new Registry();

    private final Map<String, byte[]> sent = new HashMap<>();

    @BeforeEach
    void makeTopics() {
        TOPICS.forEach(topic -> KAFKA.cluster().createTopic(topic, 3));
    }

    @AfterEach
    void deleteTopics() {
        TOPICS.forEach(topic -> KAFKA.cluster().deleteTopic(topic));
    }

    @Test
    @Tag("long")
    void avroOrders_ofAnOlderAndANewerWriter_becomeInvoicesInProtobuf_andWhatIsNoOrderALetter() throws Exception {
        try (Writer older = Writer.of("order.avsc");
                Writer newer = Writer.of("order-2.avsc")) {
            for (int i = 0; i < 100; i++) {
                sent.put("old-" + i, older.order(Map.of("product", "weir", "pieces", i)));
                sent.put("new-" + i, newer.order(Map.of("product", "weir", "pieces", i, "currency", "SEK")));
            }
        }
        byte[] order = Objects.requireNonNull(sent.get("old-1"));
        Map<String, byte[]> noOrders = Map.of(
                "text", "no Avro".getBytes(UTF_8),
                "empty", new byte[0],
                "cut", Arrays.copyOf(order, order.length - 1),
                "unknown-schema", unknownSchema(order));
        sent.putAll(noOrders);
        send();

        drain(AvroToProtobuf.pipeline(KAFKA.bootstrapServers(), REGISTRY.address(), ORDERS));

        assertThat(reasons()).containsOnlyKeys(noOrders.keySet());
        Map<String, Invoice> invoices = invoices();
        assertThat(invoices).hasSize(200);
        assertThat(invoices.get("old-7")).isEqualTo(invoice("old-7", 1750, "EUR"));
        assertThat(invoices.get("new-7")).isEqualTo(invoice("new-7", 1750, "SEK"));
        read("orders-dead")
                .forEach((key, deadLetter) ->
                        assertThat(deadLetter.value()).as(key).isEqualTo(noOrders.get(key)));
        assertThat(KAFKA.cluster().committedOffsets("invoicing"))
                .isEqualTo(KAFKA.cluster().endOffsets("orders"));
    }

    @Test
    @Tag("long")
    void registryThatIsAway_isWaitedFor_andNoOrderBecomesALetter() throws Exception {
        try (Writer writer = Writer.of("order.avsc")) {
            for (int i = 0; i < 100; i++) {
                sent.put("order-" + i, writer.order(Map.of("product", "weir", "pieces", i)));
            }
        }
        send();

        try (Gate gate = new Gate(REGISTRY.address());
                RunningPipeline running = AvroToProtobuf.pipeline(KAFKA.bootstrapServers(), gate.address(), ORDERS)
                        .run()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> gate.turnedAway() >= 50);
            assertThat(reasons()).isEmpty();
            assertThat(read("invoices")).isEmpty();
            gate.open();
            assertThat(running.await().drained()).isTrue();
        }

        assertThat(reasons()).isEmpty();
        assertThat(invoices()).hasSize(100);
    }

    @Test
    void json_thatObeysItsSchema_isHandedOn_andAllElseBecomesALetterThatSaysWhy() throws Exception {
        Map<String, String> wrong = Map.of(
                "{\"product\":\"weir\"}", "required property 'pieces' not found",
                "{\"product\":\"weir\",\"pieces\":0}", "must have a minimum value of 1",
                "{\"product\":\"\",\"pieces\":\"2\"}", "string found, integer expected",
                "{\"product\":", "Invalid input",
                "2", "integer found, object expected");
        for (int i = 1; i <= 100; i++) {
            sent.put("order-" + i, ("{\"product\":\"weir\",\"pieces\":" + i + "}").getBytes(UTF_8));
        }
        wrong.keySet().forEach(text -> sent.put(text, text.getBytes(UTF_8)));
        send();

        drain(CheckedOrders.pipeline(KAFKA.bootstrapServers(), ORDERS));

        assertThat(read("orders-checked"))
                .hasSize(100)
                .allSatisfy((key, order) -> assertThat(order.value()).isEqualTo(sent.get(key)));
        Map<String, String> reasons = reasons();
        assertThat(reasons).containsOnlyKeys(wrong.keySet());
        reasons.forEach((text, reason) -> assertThat(reason).as(text).contains(wrong.get(text)));
    }

    private static void drain(Pipeline pipeline) throws InterruptedException {
        try (RunningPipeline running = pipeline.run()) {
            assertThat(running.await().drained()).isTrue();
        }
    }

    private static Invoice invoice(String customer, long cents, String currency) {
        return Invoice.newBuilder()
                .setCustomer(customer)
                .setCents(cents)
                .setCurrency(currency)
                .build();
    }

    /** Sends orders with one version of their schema, which is registered on first use. */
    private record Writer(Schema schema, AvroKafkaSerializer<GenericRecord> serde) implements AutoCloseable {

        static Writer of(String schemaFile) throws IOException {
            try (InputStream text = FormatsTest.class.getResourceAsStream(schemaFile)) {
                var serde = new AvroKafkaSerializer<GenericRecord>();
                serde.configure(AvroToProtobuf.settings(REGISTRY.address()), false);
                return new Writer(new Schema.Parser().parse(text), serde);
            }
        }

        byte[] order(Map<String, Object> fields) {
            GenericRecord order = new GenericData.Record(schema);
            fields.forEach(order::put);
            return serde.serialize("orders", order);
        }

        @Override
        public void close() {
            serde.close();
        }
    }

    /** Returns the order with a schema number that the registry does not know. */
    private static byte[] unknownSchema(byte[] order) {
        byte[] other = order.clone();
        other[3] = 99;
        return other;
    }

    private void send() throws Exception {
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new ByteArraySerializer())) {
            sent.forEach((key, value) -> answers.add(producer.send(new ProducerRecord<>("orders", key, value))));
        }
        for (Future<RecordMetadata> answer : answers) {
            answer.get();
        }
    }

    private static Map<String, ConsumerRecord<byte[], byte[]>> read(String topic) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED).stream()
                .collect(toMap(each -> new String(each.key(), UTF_8), identity()));
    }

    /** Returns the reason for each dead-letter record. */
    private static Map<String, String> reasons() {
        Map<String, String> reasons = new HashMap<>();
        read("orders-dead").forEach((key, each) -> {
            DeadLetterRecord deadLetter = DeadLetterRecord.read(each);
            reasons.put(
                    key,
                    deadLetter.header(DeadLetterHeaders.CAUSE) + ": " + deadLetter.header(DeadLetterHeaders.MESSAGE));
        });
        return reasons;
    }

    private static Map<String, Invoice> invoices() {
        try (var serde = new ProtobufKafkaDeserializer<Invoice>()) {
            Map<String, Object> settings = new HashMap<>(AvroToProtobuf.settings(REGISTRY.address()));
            settings.put("apicurio.registry.deserializer.value.return-class", Invoice.class.getName());
            serde.configure(settings, false);
            Map<String, Invoice> invoices = new HashMap<>();
            read("invoices").forEach((key, each) -> invoices.put(key, serde.deserialize("invoices", each.value())));
            return invoices;
        }
    }
}
