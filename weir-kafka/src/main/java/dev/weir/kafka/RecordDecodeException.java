package dev.weir.kafka;

import dev.weir.stream.spi.Thrown;

/** Thrown when a deserializer or decoder rejects a record. The record was not acknowledged and will be read again. */
public final class RecordDecodeException extends KafkaPipelineException {

    private static final long serialVersionUID = 1;

    private final String topic;
    private final int partition;
    private final long offset;

    /** Creates the exception for a record rejected by a deserializer. */
    public RecordDecodeException(String topic, int partition, long offset, Throwable cause) {
        this(topic, partition, offset, cause, "KafkaSource.decoded and KafkaFlow let such records be routed");
    }

    /**
     * Creates the exception with specific advice.
     *
     * @param wayOut advice to the user about such records
     */
    public RecordDecodeException(String topic, int partition, long offset, Throwable cause, String wayOut) {
        super(
                "cannot decode record " + topic + "-" + partition + "@" + offset + ": " + Thrown.reason(cause) + "; "
                        + wayOut,
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
