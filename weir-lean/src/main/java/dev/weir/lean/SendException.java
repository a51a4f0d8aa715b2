package dev.weir.lean;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition that were given up. Immutable. Its cause is an exception of Kafka's client: as the brokers
 * refused it, or its {@code TimeoutException} after the delivery timeout. It is the producer's own fault if that
 * failed, and null if the producer was closed, or for the neighbours of a record that is at fault.
 */
public final class SendException extends LeanException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int partition;
    private final boolean mayBeWritten;

    /**
     * An exception for a record that a producer gives up.
     *
     * @param what without the partition, which comes first in the message
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

    /** Returns whether it may be in the log all the same: it was sent, and no broker said what became of it. */
    public boolean mayBeWritten() {
        return mayBeWritten;
    }
}
