package dev.weir.otel;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Samples of {@code docs/guide/tracing.md}, compiled here. {@link TracingFlowTest} runs pipelines like these.
 * Stateless.
 */
final class TracingSamples {

    private TracingSamples() {}

    record Order(String customer) {}

    record Invoice(String customer) {}

    static Invoice price(Order order) {
        return new Invoice(order.customer());
    }

    static Pipeline flow(
            ConsumerSettings<String, Order> orders,
            ProducerSettings<String, Invoice> invoices,
            Tracing tracing,
            Backoff backoff) {
        return KafkaFlow.from(orders, "orders")
                .handle(64, RecordOrdering.byKey(), order -> price(order.value()))
                .retry(RetryPolicy.of(3, backoff))
                .deadLetter("orders-dead")
                .with(tracing)
                .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice));
    }

    static Pipeline operators(
            ConsumerSettings<String, Order> orders, ProducerSettings<String, Invoice> invoices, Tracing tracing) {
        return KafkaSource.from(orders, "orders")
                .atLeastOnce()
                .via(tracing.inGroup("invoicing").records()) // directly after the source
                .filter(order -> order.value() != null)
                .via(tracing.beside()) // Traced<ConsumerRecord<...>>
                .mapBlocking(64, Ordering.unordered(), tracing.handler(order -> price(order.value())))
                .map(invoice -> new ProducerRecord<>("invoices", invoice.customer(), invoice))
                .via(tracing.inject()) // into the headers
                .to(KafkaSink.with(invoices).records());
    }
}
