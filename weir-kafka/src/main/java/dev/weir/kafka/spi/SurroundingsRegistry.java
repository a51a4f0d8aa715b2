package dev.weir.kafka.spi;

import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of each address: Kafka, but for the addresses in this process at which something else was put.
 * Thread-safe.
 */
public final class SurroundingsRegistry {

    private static final Map<String, Surroundings> PLACES = new ConcurrentHashMap<>();

    private static final ThreadLocal<@Nullable Surroundings> CURRENT = new ThreadLocal<>();

    private SurroundingsRegistry() {}

    /**
     * Lets each consumer that starts with this address meet {@code surroundings}.
     *
     * @param bootstrapServers the whole text of {@code bootstrap.servers}, at which nobody could be by accident
     */
    public static void put(String bootstrapServers, Surroundings surroundings) {
        if (PLACES.putIfAbsent(bootstrapServers, Objects.requireNonNull(surroundings, "surroundings")) != null) {
            throw new IllegalStateException(bootstrapServers + " is taken");
        }
    }

    /** Makes the address one like any other again; consumers that run keep what they have. */
    public static void remove(String bootstrapServers) {
        PLACES.remove(bootstrapServers);
    }

    /** Runs {@code body} on this thread; what consumers log meanwhile goes to {@link Surroundings#logged}. */
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

    /** The surroundings this thread is {@link #within}, or null. */
    public static @Nullable Surroundings current() {
        return CURRENT.get();
    }

    /** Returns the surroundings of a client with this configuration. */
    public static Surroundings of(Map<String, ?> clientConfig) {
        String address = String.valueOf(clientConfig.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
        return PLACES.getOrDefault(address, KafkaSurroundings.INSTANCE);
    }
}
