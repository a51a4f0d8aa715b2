package dev.weir.lean.internal.batch;

import dev.weir.lean.internal.wire.FailureText;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Decompresses LZ4 frames with independent blocks, the only kind allowed by Kafka. Does not verify a frame's checksums:
 * the batch's own checksum covers the compressed bytes. Confined to one thread.
 *
 * <pre>
 *   little-endian
 *   +-------------+-----+----+--------------+----+--------+------ ... ----+----------+- ... -+---+---------+
 *   | 04 22 4d 18 | FLG | BD | content size | HC | length | block         | checksum |       | 0 | checksum|
 *   |             |     |    | 8, by FLG    |    | 4      |               | by FLG   |       | 4 | by FLG  |
 *   +-------------+-----+----+--------------+----+--------+------ ... ----+----------+- ... -+---+---------+
 *   FLG: version 01, block independence, block checksums, content size, content checksum, 0, dictionary
 *   BD: bits 4 to 6: the largest block is 64 KB (4), 256 KB (5), 1 MB (6), 4 MB (7)
 *   length: the highest bit is set if the block is not compressed
 * </pre>
 */
final class Lz4Frame implements CompressionCodec {

    private static final int MAGIC = 0x184d2204;
    private static final int FIXED_BYTES = 7;
    private static final int RAW_BLOCK = 1 << 31;

    private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();

    @Override
    public void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException {
        int at = input.position();
        int end = input.limit();
        if (end - at < FIXED_BYTES || Integer.reverseBytes(input.getInt(at)) != MAGIC) {
            throw new CodecException("lz4: no frame");
        }
        int flags = input.get(at + 4);
        int maxBlock = 1 << (8 + 2 * ((input.get(at + 5) >> 4) & 7));
        if (((flags >> 6) & 3) != 1 || (flags & 0x20) == 0 || (flags & 1) != 0) {
            throw new CodecException("lz4: flags " + Integer.toHexString(flags & 0xff) + " are not Kafka's");
        }
        int checksumBytes = (flags & 0x10) == 0 ? 0 : Integer.BYTES;
        at += FIXED_BYTES + ((flags & 0x08) == 0 ? 0 : Long.BYTES);
        while (true) {
            if (end - at < Integer.BYTES) {
                throw new CodecException("lz4: cut off");
            }
            int header = Integer.reverseBytes(input.getInt(at));
            int length = header & ~RAW_BLOCK;
            at += Integer.BYTES;
            if (length == 0) {
                return;
            }
            if (length > end - at - checksumBytes) {
                throw new CodecException("lz4: a block of " + length + " bytes in " + (end - at));
            }
            if ((header & RAW_BLOCK) == 0) {
                block(input, at, length, maxBlock, output);
            } else {
                ByteBuffer to = output.room(length);
                to.put(to.position(), input, at, length).position(to.position() + length);
            }
            at += length + checksumBytes;
        }
    }

    private void block(ByteBuffer input, int at, int length, int maxBlock, DecompressionBuffer output)
            throws CodecException, TooLargeException {
        ByteBuffer to = output.room();
        try {
            to.position(to.position() + decompress(input, at, length, to, maxBlock));
        } catch (LZ4Exception e) {
            if (to.remaining() >= maxBlock) {
                throw new CodecException("lz4: " + FailureText.of(e));
            }
            // The output may have too little space left. Retry with space for the largest possible block.
            ByteBuffer larger = output.room(Math.min(maxBlock, output.limitBytes() - to.position()));
            try {
                larger.position(larger.position() + decompress(input, at, length, larger, maxBlock));
            } catch (LZ4Exception again) {
                if (larger.remaining() < maxBlock) {
                    throw new TooLargeException();
                }
                throw new CodecException("lz4: " + FailureText.of(again));
            }
        }
    }

    private int decompress(ByteBuffer input, int at, int length, ByteBuffer to, int maxBlock) {
        return lz4.decompress(input, at, length, to, to.position(), Math.min(maxBlock, to.remaining()));
    }
}
