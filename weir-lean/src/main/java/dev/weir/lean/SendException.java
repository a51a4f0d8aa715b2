package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Reports that records of one partition were given up. Immutable. The cause is the Kafka client's exception for the
 * brokers' error, {@code TimeoutException} after the delivery timeout, {@code RecordTooLargeException} for a record
 * that is too large for a request, or the producer's failure. There is no cause if the producer was closed, or if only
 * another record of the same batch was at fault.
 */
public final class SendException extends LeanException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final boolean mayBeWritten;

    /**
     * Creates the exception for a record that a producer gives up.
     *
     * @param what the message without the partition; the constructor puts the partition in front of the message
     */
    public SendException(String topic, int partition, boolean mayBeWritten, String what, @Nullable Throwable cause) {
        super(
                topic + "-" + partition + ": " + what
                        + (mayBeWritten ? "; it may be written: an earlier attempt was not answered" : ""),
                cause);
        this.topic = topic;
        this.partition = partition;
        this.mayBeWritten = mayBeWritten;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    /** Returns whether the record may be in the log anyway, because it was sent and no broker reported its outcome. */
    public boolean mayBeWritten() {
        return mayBeWritten;
    }
}
