package dev.weir.kafka.internal.out.client;

import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Translates the interrupt exceptions of Kafka's client. Stateless. */
public final class ClientInterrupts {

    private ClientInterrupts() {}

    /**
     * Converts the client's exception into an {@link InterruptedException} for the caller to throw, and clears the
     * thread's interrupt flag, which the client has set again. Otherwise an operator would treat Kafka's exception as a
     * failure of the stage.
     */
    public static InterruptedException unwrapped(InterruptException interrupted) {
        return unwrapped(interrupted, interrupted.getMessage());
    }

    /** Converts the exception like {@link #unwrapped(InterruptException)}, but with the given message. */
    public static InterruptedException unwrapped(InterruptException interrupted, @Nullable String message) {
        boolean ignored = Thread.interrupted();
        InterruptedException unwrapped = new InterruptedException(message);
        unwrapped.initCause(interrupted);
        return unwrapped;
    }
}
