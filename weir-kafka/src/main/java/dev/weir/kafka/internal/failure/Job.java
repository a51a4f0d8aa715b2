package dev.weir.kafka.internal.failure;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.OfRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A record on its way through a handler's stage. Belongs to the thread that works on it. */
public final class Job<K, V> implements OfRecord {

    private final Decoded<K, V> decoded;

    /** How often the handler was called. One call at a time, each handed on by the stage. */
    private int attempts;

    public Job(Decoded<K, V> decoded) {
        this.decoded = decoded;
    }

    public Decoded<K, V> decoded() {
        return decoded;
    }

    @Override
    public ConsumerRecord<byte[], byte[]> raw() {
        return decoded.raw();
    }

    int attempts() {
        return attempts;
    }

    void countAttempt() {
        attempts++;
    }
}
