package dev.weir.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * Thrown when a topic was recreated and the consumer's position belongs to the deleted topic; see
 * {@link OutOfRangePolicy}.
 */
public final class RecreatedTopicException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;

    /**
     * Creates the exception for a partition and the consumer's position in the deleted topic.
     *
     * @param proof the evidence that the topic was recreated
     */
    public RecreatedTopicException(TopicPartition id, long offset, String proof, String wayOut) {
        super(id + "@" + offset + " is a place in a topic that is gone: " + id.topic() + " was recreated (" + proof
                + "); " + wayOut);
        this.topic = id.topic();
        this.partition = id.partition();
        this.offset = offset;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** The consumer's position in the deleted topic, or -1 if it was not yet known. */
    public long offset() {
        return offset;
    }
}
