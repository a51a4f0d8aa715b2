package dev.weir.examples.spring;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.stereotype.Component;

/** Prices orders. Thread-safe, because up to 64 orders are priced concurrently. */
@Component
public class Pricing {

    private static final long CENTS_PER_PIECE = 250;

    /**
     * Returns the invoice for an order. The order's value is the number of pieces.
     *
     * @throws NumberFormatException if the value is not a number; the order then becomes a dead-letter record
     */
    public Invoice invoice(ConsumerRecord<String, String> order) {
        long pieces = Long.parseLong(order.value());
        return new Invoice(order.key(), pieces + " pieces, " + pieces * CENTS_PER_PIECE + " cents");
    }
}
