package dev.weir.examples.formats;

import dev.weir.examples.formats.proto.Invoice;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import io.apicurio.registry.rest.client.exception.NotFoundException;
import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.protobuf.ProtobufKafkaSerializer;
import io.apicurio.rest.client.error.ApicurioRestClientException;
import java.time.Duration;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads orders in Avro and writes a Protobuf invoice for each order. The schemas of both are in a registry. A record
 * that is not an order becomes a dead-letter record. While the registry is unavailable, orders wait.
 */
public final class AvroToProtobuf {

    private static final long CENTS_A_PIECE = 250;

    private final Pool<AvroKafkaDeserializer<GenericRecord>> orders;
    private final Pool<ProtobufKafkaSerializer<Invoice>> invoices;

    private AvroToProtobuf(String registry) {
        Map<String, Object> settings = settings(registry);
        orders = new Pool<>(() -> {
            var serde = new AvroKafkaDeserializer<GenericRecord>();
            serde.configure(settings, false);
            return serde;
        });
        invoices = new Pool<>(() -> {
            var serde = new ProtobufKafkaSerializer<Invoice>();
            serde.configure(settings, false);
            return serde;
        });
    }

    /** Runs until it is stopped; the arguments are the addresses of a broker and a registry. */
    public static void main(String[] args) throws InterruptedException {
        Usage.check(
                args.length == 2 && Usage.isAddress(args[0]) && args[1].matches("https?://.+"),
                "AvroToProtobuf HOST:PORT REGISTRY-URL");
        pipeline(args[0], args[1], Subscription.topics("orders"))
                .run()
                .drainOnShutdown()
                .await();
    }

    /** Returns the settings of the serdes. As in Confluent's format, the schema's id precedes the value. */
    static Map<String, Object> settings(String registry) {
        return Map.of(
                "apicurio.registry.url", registry + "/apis/registry/v2",
                "apicurio.registry.auto-register", true,
                "apicurio.registry.headers.enabled", false,
                "apicurio.registry.as-confluent", true,
                "apicurio.registry.use-id", "contentId");
    }

    static Pipeline pipeline(String brokers, String registry, Subscription subscription) {
        var bytes = ConsumerSettings.builder(new StringDeserializer(), new ByteArrayDeserializer())
                .bootstrapServers(brokers)
                .groupId("invoicing")
                .build();
        var results = ProducerSettings.builder(new StringSerializer(), new ByteArraySerializer())
                .bootstrapServers(brokers)
                .build();
        var formats = new AvroToProtobuf(registry);

        return KafkaFlow.from(bytes, subscription)
                .handle(16, RecordOrdering.byKey(), formats::invoice) // queries the registry, which may block and fail
                .on(NotFoundException.class, FailureAction.DEAD_LETTER) // the registry has no such schema
                .retry(RetryPolicy.of(Integer.MAX_VALUE, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5)))
                        .on(ApicurioRestClientException.class)) // retries until the registry is back
                .deadLetter("orders-dead") // also takes records that are not orders
                .produceTo(results, invoice -> invoice);
    }

    private ProducerRecord<String, byte[]> invoice(ConsumerRecord<String, byte[]> record) {
        GenericRecord order = orders.with(serde -> serde.deserialize(record.topic(), record.value()));
        Invoice invoice = Invoice.newBuilder()
                .setCustomer(record.key())
                .setCents(CENTS_A_PIECE * (int) order.get("pieces"))
                .setCurrency(order.hasField("currency") ? order.get("currency").toString() : "EUR")
                .build();
        byte[] value = invoices.with(serde -> serde.serialize("invoices", invoice));
        return new ProducerRecord<>("invoices", record.key(), value);
    }
}
