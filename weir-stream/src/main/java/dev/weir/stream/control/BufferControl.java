package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;

/**
 * Reads and changes the buffer limits of a running consumer. {@link RunningPipeline#handles} returns one for each Kafka
 * consumer; share groups have none. Thread-safe. Valid while the pipeline runs; a change after its end has no effect.
 *
 * <pre>{@code
 * for (BufferControl buffer : running.handles(BufferControl.class)) {
 *     buffer.maxOutstandingRecords(Math.min(2 * buffer.maxOutstandingRecords(), buffer.mostOutstandingRecords()));
 * }
 * }</pre>
 *
 * <p>Lowering a limit does not drop fetched records. Partitions that exceed the new limit pause until the number of
 * their unfinished records has fallen to half the limit. The maximum fetch size is set when the consumer starts and
 * does not change with the limits.
 */
public interface BufferControl {

    /** The smallest value that {@link #bufferBytes(long)} accepts, in bytes. */
    long LEAST_BUFFER_BYTES = 1 << 20;

    /** Current number of unfinished records at which a partition pauses. */
    int maxOutstandingRecords();

    /** The largest value for {@link #maxOutstandingRecords(int)}: 8 times the initial value, at most 1,000,000. */
    int mostOutstandingRecords();

    /**
     * Changes the number of unfinished records at which a partition pauses.
     *
     * @param records 1 to {@link #mostOutstandingRecords}
     * @throws IllegalArgumentException if {@code records} is out of range
     */
    void maxOutstandingRecords(int records);

    /** Current memory limit for fetched and unfinished records, in bytes. */
    long bufferBytes();

    /**
     * The largest value for {@link #bufferBytes(long)}: a quarter of the heap, or the initial value if that is larger.
     */
    long mostBufferBytes();

    /**
     * Changes the memory limit for fetched and unfinished records.
     *
     * @param bytes {@link #LEAST_BUFFER_BYTES} to {@link #mostBufferBytes}
     * @throws IllegalArgumentException if {@code bytes} is out of range
     */
    void bufferBytes(long bytes);
}
