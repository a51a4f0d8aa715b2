package dev.weir.kafka;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Thrown when a handler exceeds its timeout for a record. */
public final class HandlerTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String topic;
    private final int partition;
    private final long offset;
    private final Duration timeout;

    /**
     * Creates the exception with a message that names the record and the timeout.
     *
     * @param cause the exception that the handler threw when it was interrupted, or null
     */
    public HandlerTimeoutException(ConsumerRecord<?, ?> record, Duration timeout, @Nullable Throwable cause) {
        super(
                "the handler took longer than " + timeout + " for " + record.topic() + "-" + record.partition() + "@"
                        + record.offset(),
                cause);
        this.topic = record.topic();
        this.partition = record.partition();
        this.offset = record.offset();
        this.timeout = timeout;
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

    /** The exceeded timeout. */
    public Duration timeout() {
        return timeout;
    }
}
