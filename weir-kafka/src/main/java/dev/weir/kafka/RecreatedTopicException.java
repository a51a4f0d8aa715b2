package dev.weir.kafka;

import org.apache.kafka.common.TopicPartition;

/**
 * A topic was deleted and made again under its name, so that the place to go on at is one in a log that is gone; see
 * {@link OutOfRangePolicy}.
 */
public final class RecreatedTopicException extends KafkaPipelineException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final long offset;

    /**
     * Describes the place.
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

    /** The offset at which reading was to go on in the topic that is gone; -1 if that was not known yet. */
    public long offset() {
        return offset;
    }
}
