package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * One way in which records are compressed. Confined to one thread; keeps its native state for the next batch. What it
 * refuses, it refuses before it has written past the output's room or read past the input's limit.
 */
interface CompressionCodec extends AutoCloseable {

    /** Codes in the lowest bits of a batch's attributes. */
    int NONE = 0;

    int GZIP = 1;
    int SNAPPY = 2;
    int LZ4 = 3;
    int ZSTD = 4;

    /** Decompresses the input from its position to its limit, both of which may move. */
    void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException;

    /** Frees the native state: not all of it is found by the collector. */
    @Override
    default void close() {}
}
