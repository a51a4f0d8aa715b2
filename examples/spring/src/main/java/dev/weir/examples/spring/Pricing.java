package dev.weir.examples.spring;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.stereotype.Component;

/** Prices orders. Thread-safe: 64 orders are priced at a time. */
@Component
public class Pricing {

    private static final long CENTS_PER_PIECE = 250;

    /**
     * Returns the invoice for an order with a number of pieces as its value.
     *
     * @throws NumberFormatException if the value is not a number; the order then becomes a dead-letter record
     */
    public Invoice invoice(ConsumerRecord<String, String> order) {
        long pieces = Long.parseLong(order.value());
        return new Invoice(order.key(), pieces + " pieces, " + pieces * CENTS_PER_PIECE + " cents");
    }
}
