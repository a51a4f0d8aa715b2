package dev.weir.lean.spi;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/**
 * The network, the clock and the chance under a lean client, for a simulation that replaces all three. One client's
 * thread calls it, except for {@link #wakeup}, which any thread may call.
 */
public interface BrokerNetwork {

    /**
     * Opens a channel that never blocks: a read returns 0 while nothing is there and -1 at the end, a write takes as
     * much as it likes.
     *
     * @param whenReady run by {@link #await} when the channel has bytes to read or has ended
     * @throws IOException if nothing listens at the address
     */
    ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Lets up to {@code millis} milliseconds pass, and returns as soon as a channel has something to read. */
    void await(long millis);

    /** Ends an {@link #await}, or the next one. Thread-safe. */
    void wakeup();

    /** The current time in nanoseconds, from any origin. */
    long nanoTime();

    /** A new seed for choices such as the length of a pause. */
    long nextSeed();
}
