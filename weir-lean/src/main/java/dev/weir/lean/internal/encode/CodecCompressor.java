package dev.weir.lean.internal.encode;

import java.nio.ByteBuffer;

/** A compressor for one codec. Confined to one thread; keeps its native state for the next batch. */
interface CodecCompressor extends AutoCloseable {

    /** The codec's number in the attributes of a batch. */
    int codec();

    /** Upper bound of the compressed bytes. */
    int maxBytes(int inputBytes);

    /**
     * Compresses the input between its position and limit to the start of the output; both input bounds may move.
     *
     * @param input direct
     * @param output direct, with space for {@link #maxBytes}; its position and limit are changed
     * @return the number of output bytes
     */
    int compress(ByteBuffer input, ByteBuffer output);

    /** Frees the native state. */
    @Override
    default void close() {}
}
