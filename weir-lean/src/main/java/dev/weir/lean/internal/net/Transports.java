package dev.weir.lean.internal.net;

import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * All that a lean client meets outside its process: connections to brokers, waiting for them, the time, and chance.
 * Confined to one thread but {@link #wakeup} and {@link #nanoTime}.
 */
public interface Transports extends AutoCloseable {

    /**
     * Sockets with the properties' security protocol, or the simulated network of their bootstrap address.
     *
     * @throws org.apache.kafka.common.KafkaException if the properties do not fit, with the name of the one; if the
     *     client on the class path is older than the one that this was compiled with
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
     * @param whenReady called by {@link #await} when bytes are there or the end is
     */
    Transport open(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits until some connection has something to do, for so long at most; 0 does not wait. */
    void await(long millis) throws IOException;

    /** Ends the wait. Any thread. */
    void wakeup();

    /** The time, as of {@link System#nanoTime}. Any thread. */
    long nanoTime();

    /** Chance for pauses and turns. */
    SplittableRandom newRandom();

    @Override
    void close();
}
