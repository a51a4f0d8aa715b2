package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * The environment of a lean client. Opens connections to brokers and waits for them, and provides time and random
 * numbers. Confined to one thread, except {@link #wakeup} and {@link #nanoTime}.
 */
public interface Transports extends AutoCloseable {

    /**
     * Returns socket connections with the configured security protocol. If a simulated network is registered for the
     * bootstrap address, returns connections over this network instead.
     *
     * @throws org.apache.kafka.common.KafkaException if a property is invalid, which is then named in the message; or
     *     if the Kafka client on the class path is older than the version used at compile time
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
     * @param whenReady called by {@link #await} when there are bytes to read or the connection has been closed
     */
    Transport open(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits until a connection is ready or the timeout expires. Does not wait if the timeout is 0. */
    void await(long millis) throws IOException;

    /**
     * Ends the current {@link #await}. If none is running, makes the next call return immediately. May be called from
     * any thread.
     */
    void wakeup();

    /** The time in nanoseconds, with the semantics of {@link System#nanoTime}. May be called from any thread. */
    long nanoTime();

    /** Returns a new source of random numbers, for example for backoffs. */
    SplittableRandom newRandom();

    @Override
    void close();
}
