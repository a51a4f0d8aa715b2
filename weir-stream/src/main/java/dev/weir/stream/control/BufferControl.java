package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;

/**
 * Reads and changes the buffer limits of a running consumer. Found by {@link RunningPipeline#handles}, one for each
 * Kafka consumer; share groups have none. Thread-safe, valid for as long as the pipeline; a change after its end does
 * nothing.
 *
 * <pre>{@code
 * for (BufferControl buffer : running.handles(BufferControl.class)) {
 *     buffer.maxOutstandingRecords(Math.min(2 * buffer.maxOutstandingRecords(), buffer.mostOutstandingRecords()));
 * }
 * }</pre>
 *
 * <p>A lower limit drops nothing that was fetched: partitions above it pause until they are down to half of it. The
 * largest size of a fetch stays as it was when the consumer started.
 */
public interface BufferControl {

    /** The lowest value that {@link #bufferBytes(long)} accepts, in bytes. */
    long LEAST_BUFFER_BYTES = 1 << 20;

    /** The current limit of unfinished records at which a partition pauses. */
    int maxOutstandingRecords();

    /**
     * The highest value that {@link #maxOutstandingRecords(int)} accepts: 8 times the starting value, at most
     * 1,000,000.
     */
    int mostOutstandingRecords();

    /**
     * Changes the number of unfinished records at which a partition pauses.
     *
     * @param records 1 to {@link #mostOutstandingRecords}
     * @throws IllegalArgumentException if it is out of these bounds
     */
    void maxOutstandingRecords(int records);

    /** The current memory limit for fetched and unfinished records, in bytes. */
    long bufferBytes();

    /**
     * The highest value that {@link #bufferBytes(long)} accepts: a quarter of the heap, or the starting value if that
     * is higher.
     */
    long mostBufferBytes();

    /**
     * Changes the memory limit for fetched and unfinished records.
     *
     * @param bytes {@link #LEAST_BUFFER_BYTES} to {@link #mostBufferBytes}
     * @throws IllegalArgumentException if it is out of these bounds
     */
    void bufferBytes(long bytes);
}
