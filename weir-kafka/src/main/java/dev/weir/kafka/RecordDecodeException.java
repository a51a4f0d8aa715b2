package dev.weir.kafka;

/** A record whose key or value the deserializer refused. Nothing was acknowledged: the record will come again. */
public final class RecordDecodeException extends KafkaPipelineException {

    private static final long serialVersionUID = 1;

    private final String topic;
    private final int partition;
    private final long offset;

    public RecordDecodeException(String topic, int partition, long offset, Throwable cause) {
        super(
                "cannot decode record " + topic + "-" + partition + "@" + offset + ": " + cause.getMessage()
                        + "; KafkaSource.decoded and KafkaFlow let such records be routed",
                cause);
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    public long offset() {
        return offset;
    }
}
