package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;

/** The two sides of a batch exchange, for jcstress actors to call. Stateless. */
public final class Crossing {

    private static final StageMeter METER = new StageMeter();

    private Crossing() {}

    /** Puts batches of one element each, and ends the exchange. */
    public static void putAll(BatchExchange<Integer, ?> exchange, PendingCount claims, int batches) {
        try {
            for (int i = 0; i < batches; i++) {
                if (!exchange.put(claims.batch(1), METER)) {
                    throw new AssertionError("cancelled");
                }
            }
            exchange.end(null);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes batches and acknowledges their elements, until the exchange ends. */
    public static void takeAll(BatchExchange<?, Integer> exchange) {
        try {
            Batch<Integer> batch;
            while ((batch = exchange.take(Stage.NEVER, METER)) != null) {
                batch.ackAll();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
