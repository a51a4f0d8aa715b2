package dev.weir.lean.internal.batch;

import dev.weir.lean.internal.wire.FailureText;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses GZIP data, which may have several members. Does not verify a member's checksum: the batch's own checksum
 * covers the compressed bytes. Confined to one thread.
 *
 * <pre>
 *   +----+----+---+------+-------+----+----+--------- ... --------+-------- ... ------+-------+-------+
 *   | 1f | 8b | 8 | flags| mtime | xfl| os | extra, name, comment, | deflated          | CRC32 | length|
 *   |    |    |   |      | 4     |    |    | header CRC, by flags  |                   | 4     | 4     |
 *   +----+----+---+------+-------+----+----+--------- ... --------+-------- ... ------+-------+-------+
 * </pre>
 */
final class GzipCodec implements CompressionCodec {

    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int MAGIC = 0x1f8b;
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;

    private final Inflater inflater = new Inflater(true);

    @Override
    public void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException {
        do {
            skipHeader(input);
            inflater.reset();
            inflater.setInput(input);
            inflate(output);
            if (input.remaining() < TRAILER_BYTES) {
                throw new CodecException("gzip: cut off");
            }
            input.position(input.position() + TRAILER_BYTES);
        } while (input.remaining() > HEADER_BYTES);
    }

    @Override
    public void close() {
        inflater.end();
    }

    private void inflate(DecompressionBuffer output) throws CodecException, TooLargeException {
        try {
            while (!inflater.finished()) {
                // The output has room, so no progress means that the input has ended.
                if (inflater.inflate(output.room()) == 0 && !inflater.finished()) {
                    throw new CodecException("gzip: cut off");
                }
            }
        } catch (DataFormatException e) {
            throw new CodecException("gzip: " + FailureText.of(e));
        }
    }

    private static void skipHeader(ByteBuffer input) throws CodecException {
        int at = input.position();
        if (input.remaining() < HEADER_BYTES || (input.getShort(at) & 0xffff) != MAGIC || input.get(at + 2) != 8) {
            throw new CodecException("gzip: no header");
        }
        int flags = input.get(at + 3);
        at += HEADER_BYTES;
        if ((flags & EXTRA) != 0 && input.limit() - at >= Short.BYTES) {
            at += Short.BYTES + (Short.reverseBytes(input.getShort(at)) & 0xffff);
        }
        if ((flags & NAME) != 0) {
            at = afterZero(input, at);
        }
        if ((flags & COMMENT) != 0) {
            at = afterZero(input, at);
        }
        if ((flags & HEADER_CRC) != 0) {
            at += Short.BYTES;
        }
        if (at > input.limit()) {
            throw new CodecException("gzip: cut off");
        }
        input.position(at);
    }

    private static int afterZero(ByteBuffer input, int from) {
        int at = from;
        while (at < input.limit() && input.get(at) != 0) {
            at++;
        }
        return at + 1;
    }
}
