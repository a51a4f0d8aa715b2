package dev.weir.kafka.internal.handler;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.OfRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A record that passes through the handler's stage. Confined to the thread that currently works on it. */
public final class HandlerJob<K, V> implements OfRecord {

    private final Decoded<K, V> decoded;

    private static final long NOT_LET_IN = CircuitBreaker.NO_PERMIT - 1;

    /** The breaker's permit for the next handler call, taken by the thread that makes the call. */
    private long permit = NOT_LET_IN;

    /** Number of handler calls. The stage makes it visible when it passes the job to another thread. */
    private int attempts;

    public HandlerJob(Decoded<K, V> decoded) {
        this.decoded = decoded;
    }

    public Decoded<K, V> decoded() {
        return decoded;
    }

    @Override
    public ConsumerRecord<byte[], byte[]> raw() {
        return decoded.raw();
    }

    void letIn(long withPermit) {
        permit = withPermit;
    }

    boolean isLetIn() {
        return permit != NOT_LET_IN;
    }

    long takePermit() {
        long taken = permit;
        permit = NOT_LET_IN;
        return taken;
    }

    int attempts() {
        return attempts;
    }

    void countAttempt() {
        attempts++;
    }
}
