package dev.weir.kafka;

import dev.weir.stream.spi.Thrown;
import java.util.Objects;

/** Thrown when a record cannot be written and a retry would not help. Its input was not acknowledged. */
public final class ProduceException extends KafkaPipelineException {

    private static final long serialVersionUID = 1;

    private final String topic;
    private final String input;

    public ProduceException(String topic, Throwable cause) {
        this(topic, "", cause);
    }

    /**
     * Creates the exception with the location of the input.
     *
     * @param input the consumed record, as {@code topic-partition@offset}, or an empty string
     */
    public ProduceException(String topic, String input, Throwable cause) {
        super(message(topic, input, cause), cause);
        this.topic = topic;
        this.input = input;
    }

    private static String message(String topic, String input, Throwable cause) {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(cause, "cause");
        return "cannot write to topic " + topic
                + (Objects.requireNonNull(input, "input").isEmpty() ? "" : " what was made of " + input) + ": "
                + Thrown.reason(cause);
    }

    public String topic() {
        return topic;
    }

    /** The consumed record from which the output was created, as {@code topic-partition@offset}; empty if unknown. */
    public String input() {
        return input;
    }
}
