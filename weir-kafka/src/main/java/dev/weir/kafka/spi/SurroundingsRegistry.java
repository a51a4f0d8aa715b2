package dev.weir.kafka.spi;

import dev.weir.kafka.internal.in.lookup.KafkaSurroundings;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/** The surroundings of each address: Kafka, except for addresses in this process with a substitute. Thread-safe. */
public final class SurroundingsRegistry {

    private static final Map<String, Surroundings> PLACES = new ConcurrentHashMap<>();

    private static final ThreadLocal<@Nullable Surroundings> CURRENT = new ThreadLocal<>();

    private SurroundingsRegistry() {}

    /**
     * Makes each consumer that starts with this address use {@code surroundings}.
     *
     * @param bootstrapServers the whole text of {@code bootstrap.servers}, which must not be a real address
     */
    public static void put(String bootstrapServers, Surroundings surroundings) {
        if (PLACES.putIfAbsent(bootstrapServers, Objects.requireNonNull(surroundings, "surroundings")) != null) {
            throw new IllegalStateException(bootstrapServers + " is taken");
        }
    }

    /** Removes the substitute of the address; running consumers keep it. */
    public static void remove(String bootstrapServers) {
        PLACES.remove(bootstrapServers);
    }

    /** Runs {@code body} on this thread; log lines of consumers go to {@link Surroundings#logged} meanwhile. */
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

    /** Returns the surroundings that this thread is {@link #within}, or null. */
    public static @Nullable Surroundings current() {
        return CURRENT.get();
    }

    /** Returns the surroundings of a client with this configuration. */
    public static Surroundings of(Map<String, ?> clientConfig) {
        String address = String.valueOf(clientConfig.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
        return PLACES.getOrDefault(address, KafkaSurroundings.INSTANCE);
    }
}
