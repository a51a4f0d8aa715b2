package dev.weir.checks.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The environment of the pipeline of {@code docs/guide/coming-from.md}: provides lines, and receives batches of priced
 * orders. Records violations of the pipeline's contract. Thread-safe.
 */
final class Shop {

    record Order(String customer, int number, int pieces) {}

    record Priced(Order order, long cents) {}

    /** A line that cannot be parsed. */
    static final class Malformed extends IllegalArgumentException {

        private static final long serialVersionUID = 1;

        Malformed(String line) {
            super("not an order: " + line);
        }
    }

    final Queue<String> rejected = new ConcurrentLinkedQueue<>();
    final Queue<String> breaches = new ConcurrentLinkedQueue<>();
    final List<List<Priced>> written = new ArrayList<>();
    private final AtomicInteger writing = new AtomicInteger();
    private final Map<String, AtomicInteger> pricing = new ConcurrentHashMap<>();

    /** Reads {@code customer,number,pieces}; throws {@link Malformed}. */
    Order parse(String line) {
        String[] parts = line.split(",", -1);
        try {
            return new Order(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        } catch (RuntimeException e) {
            throw new Malformed(line);
        }
    }

    /** Returns the order in the line, or nothing after calling {@link #reject}. */
    List<Order> parseOrReject(String line) {
        try {
            return List.of(parse(line));
        } catch (Malformed malformed) {
            reject(malformed);
            return List.of();
        }
    }

    void reject(Malformed malformed) {
        rejected.add(String.valueOf(malformed.getMessage()));
    }

    /** Blocks like a price service. Allows one call at a time per customer, in the order of the numbers. */
    Priced price(Order order) {
        AtomicInteger inside = pricing.computeIfAbsent(order.customer, customer -> new AtomicInteger());
        if (inside.incrementAndGet() != 1) {
            breaches.add("two orders of " + order.customer + " at once");
        }
        LockSupport.parkNanos(20_000);
        inside.decrementAndGet();
        return new Priced(order, order.pieces * 250L);
    }

    /** Blocks like a database. Allows one call at a time. */
    void write(List<Priced> batch) {
        if (writing.incrementAndGet() != 1) {
            breaches.add("two batches at once");
        }
        written.add(List.copyOf(batch));
        writing.decrementAndGet();
    }
}
