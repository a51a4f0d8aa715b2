package dev.weir.lean.spi;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/**
 * The network, the clock and the randomness of a lean client, to be replaced by a simulation. Only the client's thread
 * calls it, except for {@link #wakeup}, which any thread may call.
 */
public interface BrokerNetwork {

    /**
     * Opens a non-blocking channel: a read returns 0 while no bytes are there and -1 at the end, and a write may accept
     * only a part.
     *
     * @param whenReady run by {@link #await} when the channel has bytes to read or has ended
     * @throws IOException if nothing listens at the address
     */
    ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits for up to {@code millis} milliseconds, and returns as soon as a channel has something to read. */
    void await(long millis);

    /** Ends the current {@link #await}, or the next one. Thread-safe. */
    void wakeup();

    /** The current time in nanoseconds, from an arbitrary origin. */
    long nanoTime();

    /** Returns a new seed for random choices such as the length of a pause. */
    long nextSeed();
}
