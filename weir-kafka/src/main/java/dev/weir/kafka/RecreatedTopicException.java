package dev.weir.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * A topic was deleted and recreated, so the position to continue at belongs to a log that no longer exists; see
 * {@link OutOfRangePolicy}.
 */
public final class RecreatedTopicException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;

    /**
     * Creates the exception for a partition and the position to continue at.
     *
     * @param proof the evidence that it is another topic
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

    /** The offset in the deleted topic at which reading would have continued; -1 if it was not known yet. */
    public long offset() {
        return offset;
    }
}
