package dev.weir.kafka;

/** A fault that ends a Kafka pipeline and that a retry would not cure. The message says what to do. */
public class KafkaPipelineException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public KafkaPipelineException(String message) {
        super(message);
    }

    public KafkaPipelineException(String message, Throwable cause) {
        super(message, cause);
    }
}
