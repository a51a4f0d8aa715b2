package dev.weir.kafka.spi;

import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Maps each broker address to the cluster that serves it: a simulated cluster if a test registered one, otherwise real
 * brokers. Thread-safe.
 */
public final class SurroundingsRegistry {

    private static final Map<String, Surroundings> PLACES = new ConcurrentHashMap<>();

    private static final ThreadLocal<@Nullable Surroundings> CURRENT = new ThreadLocal<>();

    private SurroundingsRegistry() {}

    /**
     * Registers a substitute for consumers started later with this address.
     *
     * @param bootstrapServers the complete value of {@code bootstrap.servers}, which must not be a real address
     */
    public static void put(String bootstrapServers, Surroundings surroundings) {
        if (PLACES.putIfAbsent(bootstrapServers, Objects.requireNonNull(surroundings, "surroundings")) != null) {
            throw new IllegalStateException(bootstrapServers + " is taken");
        }
    }

    /** Removes the substitute for the address. Running consumers keep it. */
    public static void remove(String bootstrapServers) {
        PLACES.remove(bootstrapServers);
    }

    /** Runs {@code body} on this thread, and passes the thread's consumer log lines to {@link Surroundings#logged}. */
    public static void within(Surroundings surroundings, Runnable body) {
        Surroundings before = CURRENT.get();
        CURRENT.set(surroundings);
        try {
            body.run();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** Returns the surroundings of the running {@link #within} on this thread, or null. */
    public static @Nullable Surroundings current() {
        return CURRENT.get();
    }

    /** Returns the surroundings of a client with the given configuration. */
    public static Surroundings of(Map<String, ?> clientConfig) {
        String address = String.valueOf(clientConfig.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
        return PLACES.getOrDefault(address, KafkaSurroundings.INSTANCE);
    }
}
