package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * The environment of a lean client: connections to brokers, waiting for them, time, and random numbers. Confined to one
 * thread, except {@link #wakeup} and {@link #nanoTime}.
 */
public interface Transports extends AutoCloseable {

    /**
     * Returns socket connections with the configured security protocol, or simulated connections if a network is
     * registered for the bootstrap address.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid, in which case the message names it; or
     * if the Kafka client on the class path is older than the one Weir was compiled with
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
     * @param whenReady called by {@link #await} when there are bytes to read or the connection is closed
     */
    Transport open(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits until a connection is ready or the timeout expires. Does not wait if the timeout is 0. */
    void await(long millis) throws IOException;

    /**
     * Ends the current {@link #await}. If no thread is waiting, ends the next {@code await}. May be called from any
     * thread.
     */
    void wakeup();

    /** Current time in nanoseconds, as defined by {@link System#nanoTime}. May be called from any thread. */
    long nanoTime();

    /** Returns a new source of random numbers, for example for backoffs. */
    SplittableRandom newRandom();

    @Override
    void close();
}
