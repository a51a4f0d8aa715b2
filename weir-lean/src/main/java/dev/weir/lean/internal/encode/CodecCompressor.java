package dev.weir.lean.internal.encode;

import java.nio.ByteBuffer;

/** One way to compress records. Confined to one thread; keeps its native state for the next batch. */
interface CodecCompressor extends AutoCloseable {

    /** Its number in the attributes of a batch. */
    int codec();

    /** Upper bound of the compressed bytes. */
    int maxBytes(int inputBytes);

    /**
     * Compresses the input from its position to its limit, both of which may move, to the output's beginning.
     *
     * @param input direct
     * @param output direct, has room for {@link #maxBytes}; its position and limit are lost
     * @return how many bytes came out
     */
    int compress(ByteBuffer input, ByteBuffer output);

    /** Frees the native state. */
    @Override
    default void close() {}
}
