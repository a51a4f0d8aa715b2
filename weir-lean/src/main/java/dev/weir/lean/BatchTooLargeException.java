package dev.weir.lean;

import java.io.Serial;

/**
 * Thrown if a batch exceeds the size that the settings allow, or does not fit into the JVM's direct memory. Immutable.
 */
public final class BatchTooLargeException extends PartitionException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final long sizeBytes;
    private final int limitBytes;

    /**
     * Creates the exception for a batch at {@code offset}.
     *
     * @param sizeBytes the batch's size; -1 if it is only known to exceed the limit
     * @param setting the name of the setting that limits the size
     */
    public BatchTooLargeException(
            String topic, int partition, long offset, long sizeBytes, int limitBytes, String setting) {
        super(
                topic,
                partition,
                offset,
                "a batch " + (sizeBytes < 0 ? "of more" : "of " + sizeBytes + " bytes, more") + " than " + setting + "="
                        + limitBytes + " bytes; raise " + setting + " or skip the batch");
        this.sizeBytes = sizeBytes;
        this.limitBytes = limitBytes;
    }

    private BatchTooLargeException(String topic, int partition, long offset, long missingBytes) {
        super(
                topic,
                partition,
                offset,
                "a batch for which there is no memory outside the heap: " + missingBytes
                        + " bytes were refused; raise -XX:MaxDirectMemorySize or skip the batch");
        this.sizeBytes = -1;
        this.limitBytes = (int) Math.min(missingBytes, Integer.MAX_VALUE);
    }

    /**
     * Creates the exception for a batch at {@code offset} for which the JVM could not allocate direct memory.
     *
     * @param missingBytes the number of bytes that could not be allocated
     */
    public static BatchTooLargeException noMemory(String topic, int partition, long offset, long missingBytes) {
        return new BatchTooLargeException(topic, partition, offset, missingBytes);
    }

    /** The batch's size in bytes; -1 if it is only known to exceed the limit. */
    public long sizeBytes() {
        return sizeBytes;
    }

    public int limitBytes() {
        return limitBytes;
    }
}
