package dev.weir.examples.formats;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Passes on orders in JSON that obey {@code order.schema.json}. Every other record becomes a dead-letter record with
 * headers that describe the problem.
 */
public final class CheckedOrders {

    private static final Schema ORDER = schema("order.schema.json");

    private CheckedOrders() {}

    /** Runs until it is stopped. The only argument is the address of a broker. */
    public static void main(String[] args) throws InterruptedException {
        Usage.check(args.length == 1 && Usage.isAddress(args[0]), "CheckedOrders HOST:PORT");
        pipeline(args[0], Subscription.topics("orders")).run().drainOnShutdown().await();
    }

    static Pipeline pipeline(String brokers, Subscription subscription) {
        var texts = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(brokers)
                .groupId("checking")
                .build();
        var results = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(brokers)
                .build();

        return KafkaFlow.from(texts, subscription)
                .handle(4, RecordOrdering.byKey(), CheckedOrders::checked)
                .deadLetter("orders-dead")
                .produceTo(results, order -> new ProducerRecord<>("orders-checked", order.key(), order.value()));
    }

    private static ConsumerRecord<String, String> checked(ConsumerRecord<String, String> order) {
        String wrong = ORDER.validate(order.value(), InputFormat.JSON).stream()
                .map(Error::toString)
                .collect(Collectors.joining("; "));
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(wrong);
        }
        return order;
    }

    private static Schema schema(String name) {
        // By default, the messages in dead-letter records would be in the language of the user who runs this program.
        var english = SchemaRegistryConfig.builder().locale(Locale.ENGLISH).build();
        try (InputStream text = Objects.requireNonNull(CheckedOrders.class.getResourceAsStream(name), name)) {
            return SchemaRegistry.withDefaultDialect(
                            SpecificationVersion.DRAFT_2020_12, registry -> registry.schemaRegistryConfig(english))
                    .getSchema(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
