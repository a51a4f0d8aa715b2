package dev.weir.examples.spring;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.stereotype.Component;

/** Puts a price on orders. Thread-safe: 64 orders are priced at a time. */
@Component
public class Pricing {

    private static final long CENTS_PER_PIECE = 250;

    /**
     * The invoice for an order, whose value is a number of pieces.
     *
     * @throws NumberFormatException if it is something else; the order becomes a dead-letter record
     */
    public Invoice invoice(ConsumerRecord<String, String> order) {
        long pieces = Long.parseLong(order.value());
        return new Invoice(order.key(), pieces + " pieces, " + pieces * CENTS_PER_PIECE + " cents");
    }
}
