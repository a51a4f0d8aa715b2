package dev.weir.testkit;

import org.jspecify.annotations.Nullable;

/** A cluster that could not do what was asked; the message says what is in the way and what to do about it. */
public final class KafkaClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KafkaClusterException(String message) {
        super(message);
    }

    public KafkaClusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
