package dev.weir.kafka.deadletter;

import dev.weir.kafka.RetryTopics;

/**
 * Names of the headers that Weir adds to a dead-letter record, in addition to the original headers. Values are text in
 * UTF-8, numbers in decimal. {@link DeadLetterRecord} reads them.
 */
public final class DeadLetterHeaders {

    /** Prefix of all of them. */
    public static final String PREFIX = "weir-dlq-";

    /** The step that failed: a name of {@link FailedRecord.Reason}, or the text of another writer. */
    public static final String REASON = PREFIX + "reason";

    /** The class of the exception. */
    public static final String CAUSE = PREFIX + "cause";

    /** The exception's message, cut after 1,024 characters. */
    public static final String MESSAGE = PREFIX + "message";

    /** The stack trace, cut after 4,096 characters. */
    public static final String STACK = PREFIX + "stack";

    /** The number of calls of the handler for the record, over all deliveries. */
    public static final String ATTEMPTS = PREFIX + "attempts";

    /** The topic that the record came from. */
    public static final String TOPIC = PREFIX + "topic";

    /** The partition that the record came from. */
    public static final String PARTITION = PREFIX + "partition";

    /** The record's offset there. */
    public static final String OFFSET = PREFIX + "offset";

    /** The record's timestamp, in milliseconds; absent if it had none, or a negative one. */
    public static final String TIMESTAMP = PREFIX + "timestamp";

    /** The consumer group that gave the record up; absent if it is not known. */
    public static final String GROUP = PREFIX + "group";

    /** The time at which the record was given up, as ISO 8601 in UTC. */
    public static final String TIME = PREFIX + "time";

    /**
     * The sizes of the parts that were left out because the dead-letter record was too large for its topic; absent if
     * it is whole.
     */
    public static final String CUT = PREFIX + "cut";

    /**
     * The topic that the record was to be written to, if it is not the record that was consumed but one that was made
     * of it; absent otherwise.
     */
    public static final String OUTPUT = PREFIX + "output";

    /**
     * The first and the last offset of a batch that could not be read, as {@code 5-204}. The value is then the batch as
     * the broker had it, or null if it was too large for that, and cannot be sent again. Absent otherwise.
     */
    public static final String BATCH = PREFIX + "batch";

    private DeadLetterHeaders() {}

    /** Returns whether a header of this name was put in by Weir. */
    public static boolean isOurs(String header) {
        return header.startsWith(PREFIX) || header.startsWith(RetryTopics.PREFIX);
    }
}
