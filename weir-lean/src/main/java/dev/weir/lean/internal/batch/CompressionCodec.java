package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * A compression codec. Confined to one thread; keeps its native state for the next batch. It detects invalid input
 * before it writes past the output's capacity or reads past the input's limit.
 */
interface CompressionCodec extends AutoCloseable {

    /** Codes in the lowest bits of a batch's attributes. */
    int NONE = 0;

    int GZIP = 1;
    int SNAPPY = 2;
    int LZ4 = 3;
    int ZSTD = 4;

    /** Decompresses the input from its position to its limit; both may move. */
    void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException;

    /** Frees the native state, because the garbage collector would miss part of it. */
    @Override
    default void close() {}
}
