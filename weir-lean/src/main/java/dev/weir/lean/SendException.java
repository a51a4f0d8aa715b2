package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition that were given up. Immutable. Its cause is an exception of Kafka's client: the brokers'
 * refusal, or {@code TimeoutException} after the delivery timeout. If the producer failed, the cause is that failure.
 * It is null if the producer was closed, and for the neighbours of a record at fault.
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
     * @param what the message without the partition, which precedes it
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

    /** Returns whether it may be in the log anyway: it was sent, and no broker reported its outcome. */
    public boolean mayBeWritten() {
        return mayBeWritten;
    }
}
