package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * The environment of a lean client: broker connections, waits for them, time, and randomness. Confined to one thread,
 * except {@link #wakeup} and {@link #nanoTime}.
 */
public interface Transports extends AutoCloseable {

    /**
     * Sockets with the properties' security protocol, or the simulated network of their bootstrap address.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid, naming it, or if the client on the class
     *     path is older than the one at compile time
     */
    static Transports of(Map<String, String> properties, int receiveBufferBytes) throws IOException {
        BrokerNetwork simulated = BrokerNetworks.find(properties.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
        return simulated == null
                ? new SocketTransports(properties, receiveBufferBytes)
                : new NetworkTransports(simulated);
    }

    /**
     * Opens a connection.
     *
     * @param whenReady called by {@link #await} when there are bytes or the connection has ended
     */
    Transport open(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits until a connection has something to do, or until the timeout; 0 does not wait. */
    void await(long millis) throws IOException;

    /** Ends the wait. Any thread. */
    void wakeup();

    /** The time, as of {@link System#nanoTime}. Any thread. */
    long nanoTime();

    /** A random source for pauses and turns. */
    SplittableRandom newRandom();

    @Override
    void close();
}
