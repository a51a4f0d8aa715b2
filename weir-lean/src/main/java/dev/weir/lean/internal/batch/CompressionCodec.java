package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;

/**
 * A compression codec. Confined to one thread; reuses its native state for the next batch. Detects invalid input before
 * it writes beyond the output's capacity or reads beyond the input's limit.
 */
interface CompressionCodec extends AutoCloseable {

    /** The codec id of uncompressed batches. A batch stores its codec id in the lowest three bits of its attributes. */
    int NONE = 0;

    int GZIP = 1;
    int SNAPPY = 2;
    int LZ4 = 3;
    int ZSTD = 4;

    /** Decompresses the bytes from the input's position to its limit. The input's position and limit may change. */
    void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException;

    /** Frees the native memory. */
    @Override
    default void close() {}
}
