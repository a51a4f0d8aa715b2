package dev.weir.checks.integration.plants;

import dev.weir.stream.SourceQueue;
import java.util.function.LongConsumer;

/** A source of numbers that arrive at a steady rate until it is closed. Owns its thread. */
final class Arrivals implements AutoCloseable {

    private static final long TICK_NANOS = 5_000_000;

    private final Thread feeder;

    Arrivals(double perSecond, LongConsumer taker) {
        feeder = Thread.ofPlatform().daemon().name("arrivals").start(() -> feed(perSecond, taker));
    }

    /** Returns a queue that cannot become full within a trial. */
    static SourceQueue<Long> queue() {
        return SourceQueue.of(1_000_000);
    }

    private static void feed(double perSecond, LongConsumer taker) {
        long start = System.nanoTime();
        long sent = 0;
        while (!Thread.currentThread().isInterrupted()) {
            long due = (long) ((System.nanoTime() - start) * perSecond / 1e9);
            for (; sent < due; sent++) {
                taker.accept(sent);
            }
            Work.park(TICK_NANOS);
        }
    }

    @Override
    public void close() {
        feeder.interrupt();
        try {
            feeder.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
