package dev.weir.testkit;

import org.jspecify.annotations.Nullable;

/** Thrown if a cluster could not do what was requested. The message gives the reason and the remedy. */
public final class KafkaClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KafkaClusterException(String message) {
        super(message);
    }

    public KafkaClusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
