package dev.weir.kafka;

/** A record that could not be written and that a retry would not help. Its input was not acknowledged. */
public final class ProduceException extends KafkaPipelineException {

    private static final long serialVersionUID = 1;

    private final String topic;

    public ProduceException(String topic, Throwable cause) {
        super("cannot write to topic " + topic + ": " + cause.getMessage(), cause);
        this.topic = topic;
    }

    public String topic() {
        return topic;
    }
}
