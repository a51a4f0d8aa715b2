package dev.weir.kafka.internal.health;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/** The thread of one client of Kafka's, as far as what it has called shows it. Thread-safe. */
public final class ClientThread {

    /** What Kafka's client calls it. */
    private static final String NAME = "kafka-producer-network-thread";

    private static final Map<Producer<?, ?>, ClientThread> OF_CLIENTS =
            Collections.synchronizedMap(new WeakHashMap<>());

    private volatile @Nullable Thread thread;

    /**
     * That of a client, the same for all that ask: known since the client has met the brokers, if Weir has opened it.
     */
    public static ClientThread of(Producer<?, ?> client) {
        return OF_CLIENTS.computeIfAbsent(client, notOpenedHere -> new ClientThread());
    }

    /** Is what {@link #of} gives for a client from now on. */
    public void isOf(Producer<?, ?> client) {
        OF_CLIENTS.put(client, this);
    }

    /** The client calls, on the thread that calls this: its own, or within a send the sender's. */
    public void heard() {
        Thread current = Thread.currentThread();
        if (current != thread && current.getName().startsWith(NAME)) {
            thread = current;
        }
    }

    /** Whether it has ended; false as long as it is not known. */
    public boolean isDead() {
        Thread known = thread;
        return known != null && !known.isAlive();
    }
}
