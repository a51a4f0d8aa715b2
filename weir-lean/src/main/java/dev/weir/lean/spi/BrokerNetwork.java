package dev.weir.lean.spi;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;

/**
 * A lean client's network, clock and source of randomness, which a simulation can replace. Called only by the client's
 * thread, except for {@link #wakeup}, which any thread may call.
 */
public interface BrokerNetwork {

    /**
     * Opens a non-blocking channel. A read returns 0 if no bytes are available and -1 at the end of the stream. A write
     * may accept only some of the bytes.
     *
     * @param whenReady run by {@link #await} when the channel has bytes to read or has reached its end
     * @throws IOException if nothing listens at the address
     */
    ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException;

    /** Waits for up to {@code millis} milliseconds, and returns as soon as a channel has something to read. */
    void await(long millis);

    /** Ends the current {@link #await}. If no thread is waiting, ends the next {@code await}. Thread-safe. */
    void wakeup();

    /** The current time in nanoseconds, from an arbitrary origin. */
    long nanoTime();

    /** Returns a new seed for random choices, such as the length of a backoff. */
    long nextSeed();
}
