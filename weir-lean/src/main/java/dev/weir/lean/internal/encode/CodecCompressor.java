package dev.weir.lean.internal.encode;

import java.nio.ByteBuffer;

/** A compressor for one codec. Confined to one thread; reuses its native state for the next batch. */
interface CodecCompressor extends AutoCloseable {

    /** The codec's id in the attributes of a batch. */
    int codec();

    /** An upper bound of the compressed size. */
    int maxBytes(int inputBytes);

    /**
     * Compresses the bytes from the input's position to its limit, and writes the result to the output, starting at
     * index 0. The input's position and limit may change.
     *
     * @param input a direct buffer
     * @param output a direct buffer with a capacity of at least {@link #maxBytes}; its position and limit are changed
     * @return the number of bytes written
     */
    int compress(ByteBuffer input, ByteBuffer output);

    @Override
    default void close() {}
}
