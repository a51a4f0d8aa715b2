package dev.weir.lean.internal.batch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses batches with any codec. Each codec is created when it is first needed. All codecs share one output
 * buffer. Confined to one thread.
 */
public final class Decompressor implements AutoCloseable {

    private final DecompressionBuffer output;
    private final @Nullable CompressionCodec[] codecs = new CompressionCodec[CompressionCodec.ZSTD + 1];

    /** @param limitBytes the largest size of a decompressed batch */
    public Decompressor(int limitBytes) {
        this.output = new DecompressionBuffer(limitBytes);
    }

    int limitBytes() {
        return output.limitBytes();
    }

    static boolean knows(int codec) {
        return codec >= CompressionCodec.NONE && codec <= CompressionCodec.ZSTD;
    }

    /**
     * Decompresses the bytes from index {@code from} to {@code to}. The decompressed bytes are in the returned buffer,
     * from index 0 to its limit, and stay valid until the next call.
     *
     * @param codec the codec id from a batch's attributes; must be one of the ids in {@link CompressionCodec}
     * @param bytes the input; its position is 0 afterwards and its limit is unchanged
     */
    public ByteBuffer decompress(int codec, ByteBuffer bytes, int from, int to)
            throws CodecException, TooLargeException {
        output.bytes().clear();
        int limit = bytes.limit();
        try {
            codec(codec).decompress(bytes.limit(to).position(from), output);
        } finally {
            bytes.limit(limit).position(0);
        }
        return output.bytes().flip();
    }

    /** Frees the codecs' native memory. The decompressor must not be used afterwards. */
    @Override
    public void close() {
        for (CompressionCodec codec : codecs) {
            if (codec != null) {
                codec.close();
            }
        }
    }

    private CompressionCodec codec(int number) {
        CompressionCodec codec = codecs[number];
        if (codec == null) {
            codec = switch (number) {
                case CompressionCodec.GZIP -> new GzipCodec();
                case CompressionCodec.SNAPPY -> new SnappyBlocks();
                case CompressionCodec.LZ4 -> new Lz4Frame();
                default -> new ZstdFrames();
            };
            codecs[number] = codec;
        }
        return codec;
    }
}
