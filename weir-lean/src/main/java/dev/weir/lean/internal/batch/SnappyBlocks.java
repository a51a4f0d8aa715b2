package dev.weir.lean.internal.batch;

import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/**
 * Decompresses Snappy data, either in the block format of the Java clients, or as a single raw block without a header,
 * as written by other clients. Confined to one thread.
 *
 * <pre>
 *   +----+-----------+---+---------+------------+--------+-------- ... ---+--------+--- ...
 *   | 82 | S N A P P Y | 0 | version | compatible | length | block          | length | block
 *   |    |             |   | 4       | from, 4    | 4      |                | 4      |
 *   +----+-----------+---+---------+------------+--------+-------- ... ---+--------+--- ...
 * </pre>
 */
final class SnappyBlocks implements CompressionCodec {

    /** The first eight bytes of the block format. */
    private static final long MAGIC = 0x82534e4150505900L;

    private static final int HEADER_BYTES = 16;

    /** Upper bound of a block's compression ratio. A copy element expands to at most 64 bytes. */
    private static final int MOST_DENSE = 64;

    @Override
    public void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException {
        int end = input.limit();
        if (input.remaining() < HEADER_BYTES || input.getLong(input.position()) != MAGIC) {
            block(input, output);
            return;
        }
        int at = input.position() + HEADER_BYTES;
        while (at < end) {
            if (end - at < Integer.BYTES) {
                throw new CodecException("snappy: cut off");
            }
            int length = input.getInt(at);
            at += Integer.BYTES;
            if (length < 1 || length > end - at) {
                throw new CodecException("snappy: a block of " + length + " bytes in " + (end - at));
            }
            block(input.limit(at + length).position(at), output);
            input.limit(end);
            at += length;
        }
    }

    private static void block(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException {
        try {
            long length = Snappy.uncompressedLength(input);
            if (length < 0 || length > (long) MOST_DENSE * input.remaining()) {
                throw new CodecException("snappy: " + input.remaining() + " bytes would become " + length);
            }
            ByteBuffer to = output.room(length);
            int from = to.position();
            Snappy.uncompress(input, to);
            to.limit(to.capacity()).position(from + (int) length);
        } catch (IOException e) {
            throw new CodecException("snappy: " + FailureText.of(e));
        }
    }
}
