package dev.weir.kafka.spi;

import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Maps addresses to their surroundings: Kafka, unless a substitute is registered for the address in this process.
 * Thread-safe.
 */
public final class SurroundingsRegistry {

    private static final Map<String, Surroundings> PLACES = new ConcurrentHashMap<>();

    private static final ThreadLocal<@Nullable Surroundings> CURRENT = new ThreadLocal<>();

    private SurroundingsRegistry() {}

    /**
     * Registers a substitute, which is used by every consumer that is later started with this address.
     *
     * @param bootstrapServers the complete value of {@code bootstrap.servers}, which must not be a real address
     */
    public static void put(String bootstrapServers, Surroundings surroundings) {
        if (PLACES.putIfAbsent(bootstrapServers, Objects.requireNonNull(surroundings, "surroundings")) != null) {
            throw new IllegalStateException(bootstrapServers + " is taken");
        }
    }

    /** Removes the substitute for the address. Consumers that are already running keep it. */
    public static void remove(String bootstrapServers) {
        PLACES.remove(bootstrapServers);
    }

    /**
     * Runs {@code body} on this thread. While it is running, this thread's consumer log lines are passed to
     * {@link Surroundings#logged}.
     */
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

    /** Returns the surroundings that this thread is running {@link #within}, or null if there are none. */
    public static @Nullable Surroundings current() {
        return CURRENT.get();
    }

    /** Returns the surroundings of a client with the given configuration. */
    public static Surroundings of(Map<String, ?> clientConfig) {
        String address = String.valueOf(clientConfig.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
        return PLACES.getOrDefault(address, KafkaSurroundings.INSTANCE);
    }
}
