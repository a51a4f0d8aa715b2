package shop;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Source;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Turns orders into invoices. */
final class Invoicing {

    private Invoicing() {}

    public static void main(String[] args) throws InterruptedException {
        pipeline(args[0], Subscription.topics("orders"), Invoicing::invoice)
                .run()
                .drainOnShutdown()
                .await();
    }

    /** From topic to topic. */
    static Pipeline pipeline(
            String brokers,
            Subscription subscription,
            Function<ConsumerRecord<String, String>, ProducerRecord<String, String>> work) {
        var orders = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(brokers)
                .groupId("invoicing")
                .build();
        var invoices = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(brokers)
                .build();
        return invoices(KafkaSource.from(orders, subscription).atLeastOnce(), work)
                .to(KafkaSink.with(invoices).records());
    }

    /** The part between source and sink, which the tests connect to their own source and sink. */
    static Source<ProducerRecord<String, String>> invoices(
            Source<ConsumerRecord<String, String>> orders,
            Function<ConsumerRecord<String, String>, ProducerRecord<String, String>> work) {
        return orders.filter(order -> !order.value().isBlank()) // nothing was ordered
                .mapBlocking(64, RecordOrdering.byKey(), work::apply); // 64 at a time, a customer's in their order
    }

    /** Stands for a call of another service. It may block. */
    static ProducerRecord<String, String> invoice(ConsumerRecord<String, String> order) {
        return new ProducerRecord<>("invoices", order.key(), "to be paid: " + order.value());
    }
}
