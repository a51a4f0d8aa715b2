package dev.weir.lean.spi;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A registry of simulated networks by bootstrap address. Clients use sockets unless their address is registered.
 * Thread-safe.
 */
public final class BrokerNetworks {

    private static final Map<String, BrokerNetwork> NETWORKS = new ConcurrentHashMap<>();

    private BrokerNetworks() {}

    /**
     * Registers a network for every lean client that is opened with this address from now on.
     *
     * @param bootstrapServers the complete value of {@code bootstrap.servers}
     * @throws IllegalStateException if the address already has a network
     */
    public static void put(String bootstrapServers, BrokerNetwork network) {
        Objects.requireNonNull(bootstrapServers, "bootstrapServers");
        if (NETWORKS.putIfAbsent(bootstrapServers, Objects.requireNonNull(network, "network")) != null) {
            throw new IllegalStateException(bootstrapServers + " is taken");
        }
    }

    /** Removes the network of an address. Open clients continue to use it. */
    public static void remove(String bootstrapServers) {
        NETWORKS.remove(Objects.requireNonNull(bootstrapServers, "bootstrapServers"));
    }

    /** The network of an address, or null if clients use sockets. */
    public static @Nullable BrokerNetwork find(@Nullable String bootstrapServers) {
        return bootstrapServers == null ? null : NETWORKS.get(bootstrapServers);
    }
}
