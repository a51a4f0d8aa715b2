package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;

/**
 * The limits of the buffer of a running consumer, to be read and changed. Found by {@link RunningPipeline#handles}, one
 * for each Kafka consumer; share groups have none. Thread-safe, valid for as long as the pipeline; a change after its
 * end does nothing.
 *
 * <pre>{@code
 * for (BufferControl buffer : running.handles(BufferControl.class)) {
 *     buffer.maxOutstandingRecords(Math.min(2 * buffer.maxOutstandingRecords(), buffer.mostOutstandingRecords()));
 * }
 * }</pre>
 *
 * <p>A lower limit stops nothing that was fetched: partitions above it pause until they are down to half of it. What a
 * fetch brings at most stays as it was when the consumer started.
 */
public interface BufferControl {

    /** The lowest number that {@link #bufferBytes(long)} takes, in bytes. */
    long LEAST_BUFFER_BYTES = 1 << 20;

    /** Unfinished records of a partition at which it pauses now. */
    int maxOutstandingRecords();

    /**
     * The highest number that {@link #maxOutstandingRecords(int)} takes: 8 times that of the start, but at most
     * 1,000,000.
     */
    int mostOutstandingRecords();

    /**
     * Changes the unfinished records of a partition at which it pauses.
     *
     * @param records 1 to {@link #mostOutstandingRecords}
     * @throws IllegalArgumentException if it is out of these bounds
     */
    void maxOutstandingRecords(int records);

    /** Memory for fetched and unfinished records now, in bytes. */
    long bufferBytes();

    /** The highest number that {@link #bufferBytes(long)} takes: a quarter of the heap, or that of the start. */
    long mostBufferBytes();

    /**
     * Changes the memory for fetched and unfinished records.
     *
     * @param bytes {@link #LEAST_BUFFER_BYTES} to {@link #mostBufferBytes}
     * @throws IllegalArgumentException if it is out of these bounds
     */
    void bufferBytes(long bytes);
}
