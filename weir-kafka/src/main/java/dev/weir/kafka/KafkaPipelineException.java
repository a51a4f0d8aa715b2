package dev.weir.kafka;

/** Thrown when a Kafka pipeline fails and a retry would not help. The message says what to do. */
public class KafkaPipelineException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public KafkaPipelineException(String message) {
        super(message);
    }

    public KafkaPipelineException(String message, Throwable cause) {
        super(message, cause);
    }
}
