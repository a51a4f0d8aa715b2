package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Thrown;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Translates the interrupt exceptions of Kafka's client. Stateless. */
public final class ClientInterrupts {

    private ClientInterrupts() {}

    /**
     * Returns an {@link InterruptedException} for the caller to throw, with the client's exception as its cause. Clears
     * the thread's interrupt flag, which the client has set.
     */
    public static InterruptedException unwrapped(InterruptException interrupted) {
        return unwrapped(interrupted, Thrown.reason(interrupted));
    }

    /** Like {@link #unwrapped(InterruptException)}, with another message. */
    public static InterruptedException unwrapped(InterruptException interrupted, @Nullable String message) {
        boolean ignored = Thread.interrupted();
        InterruptedException unwrapped = new InterruptedException(message);
        unwrapped.initCause(interrupted);
        return unwrapped;
    }
}
