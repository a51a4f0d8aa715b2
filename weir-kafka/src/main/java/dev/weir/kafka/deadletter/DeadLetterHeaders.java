package dev.weir.kafka.deadletter;

import dev.weir.kafka.RetryTopics;

/**
 * Names of the headers that Weir adds to a dead-letter record, in addition to the original's headers. All values are
 * UTF-8 text, and numbers are written in decimal. {@link DeadLetterRecord} reads these headers.
 */
public final class DeadLetterHeaders {

    /** The prefix of all names. */
    public static final String PREFIX = "weir-dlq-";

    /**
     * The step that failed: the name of a {@link FailedRecord.Reason}; any text if another application wrote the
     * header.
     */
    public static final String REASON = PREFIX + "reason";

    /** The class of the exception. */
    public static final String CAUSE = PREFIX + "cause";

    /** The exception's message, truncated to 1,024 characters. */
    public static final String MESSAGE = PREFIX + "message";

    /** The stack trace, truncated to 4,096 characters. */
    public static final String STACK = PREFIX + "stack";

    /** The number of handler calls for the record, including earlier deliveries. */
    public static final String ATTEMPTS = PREFIX + "attempts";

    /** The topic from which the record was consumed. */
    public static final String TOPIC = PREFIX + "topic";

    /** The partition from which the record was consumed. */
    public static final String PARTITION = PREFIX + "partition";

    /** The record's offset in the partition from which it was consumed. */
    public static final String OFFSET = PREFIX + "offset";

    /** The record's timestamp, in milliseconds; absent if the record had no timestamp, or a negative one. */
    public static final String TIMESTAMP = PREFIX + "timestamp";

    /** The consumer group that consumed the record; absent if unknown. */
    public static final String GROUP = PREFIX + "group";

    /** The time at which the record failed permanently, in UTC and ISO 8601 format. */
    public static final String TIME = PREFIX + "time";

    /**
     * The parts left out, because the record was too large for its topic or because they could not be serialized.
     * Absent if the record is complete.
     */
    public static final String CUT = PREFIX + "cut";

    /**
     * The topic to which the record could not be written. Absent if this is a consumed record, and not an output
     * record.
     */
    public static final String OUTPUT = PREFIX + "output";

    /**
     * The first and last offset of an unreadable batch, such as {@code 5-204}; otherwise absent. The dead-letter
     * record's value is the batch as stored by the broker, or null if it was too large. Such a dead-letter record
     * cannot be sent back.
     */
    public static final String BATCH = PREFIX + "batch";

    private DeadLetterHeaders() {}

    /** Returns whether a header with this name was added by Weir. */
    public static boolean isOurs(String header) {
        return header.startsWith(PREFIX) || header.startsWith(RetryTopics.PREFIX);
    }
}
