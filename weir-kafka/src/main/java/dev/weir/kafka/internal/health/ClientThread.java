package dev.weir.kafka.internal.health;

import org.jspecify.annotations.Nullable;

/** The thread of one client of Kafka's, as far as its answers have shown it. Thread-safe. */
public final class ClientThread {

    /** What Kafka's client calls it. */
    private static final String NAME = "kafka-producer-network-thread";

    private volatile @Nullable Thread thread;

    /** An answer has come, on the thread that calls this: the client's, or within a send the sender's. */
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
