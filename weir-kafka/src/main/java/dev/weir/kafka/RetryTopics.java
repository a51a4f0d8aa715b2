package dev.weir.kafka;

/** Headers of records that wait in a retry topic. Constants only. */
public final class RetryTopics {

    /** What the names of all headers begin with that a record has in a retry topic beside its own. */
    public static final String PREFIX = "weir-retry-";

    /** Header: the topic that the record came from first. */
    public static final String TOPIC = PREFIX + "topic";

    /** Header: the partition that the record came from first. */
    public static final String PARTITION = PREFIX + "partition";

    /** Header: the record's offset there. */
    public static final String OFFSET = PREFIX + "offset";

    /** Header: the record's timestamp, in milliseconds; absent if it had none. */
    public static final String TIMESTAMP = PREFIX + "timestamp";

    /** Header: how often the handler has been called for the record so far. */
    public static final String ATTEMPTS = PREFIX + "attempts";

    private RetryTopics() {}
}
