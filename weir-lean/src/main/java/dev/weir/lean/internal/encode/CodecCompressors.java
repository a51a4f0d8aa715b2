package dev.weir.lean.internal.encode;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.weir.lean.internal.wire.FailureText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHashFactory;
import org.apache.kafka.common.record.internal.CompressionType;
import org.xerial.snappy.Snappy;

/** The compressors for all codecs. Package {@code batch} documents the formats. Stateless. */
final class CodecCompressors {

    /** The size of a Snappy or LZ4 block before compression. */
    private static final int BLOCK_BYTES = 64 * 1024;

    private CodecCompressors() {}

    /** Writes GZIP data with one member. Confined to one thread. */
    static final class Gzip implements CodecCompressor {

        private static final int HEADER_BYTES = 10;
        private static final int TRAILER_BYTES = 8;
        private static final short MAGIC = 0x1f8b;
        private static final int PER_BLOCK = 5;
        private static final int UNKNOWN_SYSTEM = 255;

        private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        private final CRC32 crc = new CRC32();

        @Override
        public int codec() {
            return CompressionType.GZIP.id;
        }

        @Override
        public int maxBytes(int inputBytes) {
            // In the worst case, deflate stores the data in blocks of 16 kB with five extra bytes each.
            return inputBytes + (inputBytes / (16 * 1024) + 2) * PER_BLOCK + HEADER_BYTES + TRAILER_BYTES;
        }

        @Override
        public int compress(ByteBuffer input, ByteBuffer output) {
            int size = input.remaining();
            int from = input.position();
            crc.reset();
            crc.update(input);
            deflater.reset();
            deflater.setInput(input.position(from));
            deflater.finish();
            output.clear()
                    .putShort(MAGIC)
                    .put((byte) Deflater.DEFLATED)
                    .putInt(0)
                    .putShort((short) 0)
                    .put((byte) UNKNOWN_SYSTEM);
            while (!deflater.finished()) {
                if (deflater.deflate(output) == 0 && !deflater.finished()) {
                    throw new IllegalStateException("gzip: no room in " + output.capacity() + " for " + size);
                }
            }
            return output.putInt(Integer.reverseBytes((int) crc.getValue()))
                    .putInt(Integer.reverseBytes(size))
                    .position();
        }

        @Override
        public void close() {
            deflater.end();
        }
    }

    /** Writes Snappy data in the block format of Java clients. Confined to one thread. */
    static final class SnappyBlocks implements CodecCompressor {

        private static final long MAGIC = 0x82534e4150505900L;
        private static final int HEADER_BYTES = 16;
        private static final int VERSION = 1;

        @Override
        public int codec() {
            return CompressionType.SNAPPY.id;
        }

        @Override
        public int maxBytes(int inputBytes) {
            return HEADER_BYTES
                    + (inputBytes / BLOCK_BYTES + 1) * (Integer.BYTES + Snappy.maxCompressedLength(BLOCK_BYTES));
        }

        @Override
        public int compress(ByteBuffer input, ByteBuffer output) {
            int end = input.limit();
            output.clear().putLong(MAGIC).putInt(VERSION).putInt(VERSION);
            int to = HEADER_BYTES;
            try {
                for (int at = input.position(); at < end; at += BLOCK_BYTES) {
                    input.limit(Math.min(end, at + BLOCK_BYTES)).position(at);
                    int size = Snappy.compress(input, output.clear().position(to + Integer.BYTES));
                    output.clear().putInt(to, size);
                    to += Integer.BYTES + size;
                }
            } catch (IOException e) {
                throw new UncheckedIOException("snappy: " + FailureText.of(e), e);
            }
            return to;
        }
    }

    /** Writes an LZ4 frame of independent 64 KB blocks without checksums of data. Confined to one thread. */
    static final class Lz4Frame implements CodecCompressor {

        private static final int MAGIC = 0x184d2204;
        private static final byte VERSION_1_INDEPENDENT = 0x60;
        private static final byte BLOCKS_OF_64_KB = 0x40;
        private static final int HEADER_BYTES = 7;
        private static final int RAW_BLOCK = 1 << 31;

        private final LZ4Compressor lz4 = LZ4Factory.fastestInstance().fastCompressor();
        private final byte headerChecksum = headerChecksum();

        private static byte headerChecksum() {
            byte[] descriptor = {VERSION_1_INDEPENDENT, BLOCKS_OF_64_KB};
            return (byte) (XXHashFactory.fastestInstance().hash32().hash(descriptor, 0, descriptor.length, 0) >> 8);
        }

        @Override
        public int codec() {
            return CompressionType.LZ4.id;
        }

        @Override
        public int maxBytes(int inputBytes) {
            int block = Integer.BYTES + lz4.maxCompressedLength(BLOCK_BYTES);
            return HEADER_BYTES + (inputBytes / BLOCK_BYTES + 1) * block + Integer.BYTES;
        }

        @Override
        public int compress(ByteBuffer input, ByteBuffer output) {
            output.clear()
                    .putInt(0, Integer.reverseBytes(MAGIC))
                    .put(4, VERSION_1_INDEPENDENT)
                    .put(5, BLOCKS_OF_64_KB)
                    .put(6, headerChecksum);
            int to = HEADER_BYTES;
            int end = input.limit();
            for (int at = input.position(); at < end; at += BLOCK_BYTES) {
                int length = Math.min(BLOCK_BYTES, end - at);
                int start = to + Integer.BYTES;
                int size = lz4.compress(input, at, length, output, start, output.capacity() - start);
                if (size < length) {
                    output.putInt(to, Integer.reverseBytes(size));
                } else {
                    size = length;
                    output.putInt(to, Integer.reverseBytes(length | RAW_BLOCK)).put(start, input, at, length);
                }
                to = start + size;
            }
            output.putInt(to, 0);
            return to + Integer.BYTES;
        }
    }

    /** Writes a single Zstandard frame. Confined to one thread. */
    static final class ZstdFrame implements CodecCompressor {

        private final ZstdCompressCtx context = new ZstdCompressCtx();

        @Override
        public int codec() {
            return CompressionType.ZSTD.id;
        }

        @Override
        public int maxBytes(int inputBytes) {
            return (int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(inputBytes));
        }

        @Override
        public int compress(ByteBuffer input, ByteBuffer output) {
            return context.compressDirectByteBuffer(
                    output, 0, output.capacity(), input, input.position(), input.remaining());
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
