package dev.weir.examples.plain;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads orders and writes an invoice for each order. An order is committed after the brokers have acknowledged its
 * invoice.
 */
public final class Invoicing {

    private Invoicing() {}

    /** Runs until it is stopped. The optional argument is a broker address; the default is {@code localhost:9092}. */
    public static void main(String[] args) throws InterruptedException {
        String brokers = args.length == 0 ? "localhost:9092" : args[0];
        if (args.length > 1 || !brokers.matches("\\S+:[0-9]{1,5}")) {
            System.err.println("usage: Invoicing [HOST:PORT]");
            System.exit(2);
        }
        pipeline(brokers, Subscription.topics("orders")).run().drainOnShutdown().await();
    }

    static Pipeline pipeline(String brokers, Subscription subscription) {
        var orders = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(brokers)
                .groupId("invoicing")
                .build();
        var invoices = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(brokers)
                .build();
        return KafkaSource.from(orders, subscription)
                .atLeastOnce()
                // Process up to 64 orders concurrently, but each customer's orders one after another.
                .mapBlocking(64, RecordOrdering.byKey(), Invoicing::invoice)
                .to(KafkaSink.with(invoices).records());
    }

    private static ProducerRecord<String, String> invoice(ConsumerRecord<String, String> order) {
        return new ProducerRecord<>("invoices", order.key(), "to be paid: " + order.value());
    }
}
