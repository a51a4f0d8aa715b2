package dev.weir.kafka;

/**
 * A fault that ends a pipeline on Kafka and that a retry of the same call would not cure. The message says what to do
 * about it.
 */
public class KafkaPipelineException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public KafkaPipelineException(String message) {
        super(message);
    }

    public KafkaPipelineException(String message, Throwable cause) {
        super(message, cause);
    }
}
