package dev.weir.lean.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

/** Tests every form of compressed data that clients may write, and data that is cut off. */
class DecompressorTest {

    /** Larger than the first buffer. */
    private static final int LIMIT_BYTES = 300_000;

    private static final byte[] FIRST = content(1, 700);
    private static final byte[] SECOND = content(2, 90);
    private static final byte[] BOTH = joined(FIRST, SECOND);

    private final Decompressor decompressor = new Decompressor(LIMIT_BYTES);

    @AfterEach
    void close() {
        decompressor.close();
    }

    /** Returns bytes, half of them random. */
    private static byte[] content(int seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < size; i += 2) {
            bytes[i] = 'x';
        }
        return bytes;
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] littleEndian(int number) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(number)
                .array();
    }

    /** Decompresses an input that has other bytes before and after it. */
    private byte[] decompress(int codec, byte[] input) throws CodecException, TooLargeException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(input.length + 20);
        bytes.put(0, content(3, bytes.capacity())).put(3, input).limit(input.length + 15);
        try {
            ByteBuffer plain = decompressor.decompress(codec, bytes, 3, 3 + input.length);
            byte[] result = new byte[plain.remaining()];
            plain.get(result);
            return result;
        } finally {
            assertThat(bytes.position()).isZero();
            assertThat(bytes.limit()).isEqualTo(input.length + 15);
        }
    }

    private void assertRefused(int codec, byte[] input, String message) {
        assertThatExceptionOfType(CodecException.class)
                .as("%d bytes", input.length)
                .isThrownBy(() -> decompress(codec, input))
                .withMessageContaining(message);
    }

    private void assertRefusedWhereverItIsCut(int codec, byte[] input, String message) {
        for (int length = 0; length < input.length; length++) {
            assertRefused(codec, Arrays.copyOf(input, length), message);
        }
    }

    // ---- GZIP ------------------------------------------------------------------------------------------------------

    private static byte[] gzip(int flags, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, (byte) flags, 1, 2, 3, 4, 0, 3});
        if ((flags & 4) != 0) {
            out.writeBytes(new byte[] {0x2c, 1}); // 300 bytes
            out.writeBytes(content(4, 300));
        }
        if ((flags & 8) != 0) {
            out.writeBytes(new byte[] {'n', 'a', 'm', 'e', 0});
        }
        if ((flags & 16) != 0) {
            out.write(0);
        }
        if ((flags & 2) != 0) {
            out.writeBytes(new byte[] {9, 9});
        }
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        byte[] deflated = new byte[content.length + 100];
        deflater.setInput(content);
        deflater.finish();
        out.write(deflated, 0, deflater.deflate(deflated));
        deflater.end();
        out.writeBytes(new byte[8]);
        return out.toByteArray();
    }

    @Test
    void gzip_withAnyFieldsInItsHeader_isRead() throws Exception {
        for (int flags = 0; flags < 32; flags++) {
            byte[] input = joined(gzip(flags, FIRST), gzip(31 - flags, SECOND));
            assertThat(decompress(CompressionCodec.GZIP, input))
                    .as("flags %d", flags)
                    .isEqualTo(BOTH);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8, 16, 2, 31})
    void gzip_cutOffAnywhere_isRefused(int flags) {
        assertRefusedWhereverItIsCut(CompressionCodec.GZIP, gzip(flags, SECOND), "gzip: ");
    }

    /** Bytes behind the last member are padding if they are too few for another one. */
    @Test
    void gzip_withAFewBytesBehindIt_isRead() throws Exception {
        assertThat(decompress(CompressionCodec.GZIP, joined(gzip(0, FIRST), new byte[10])))
                .isEqualTo(FIRST);
        assertRefused(CompressionCodec.GZIP, joined(gzip(0, FIRST), new byte[11]), "gzip: no header");
    }

    @Test
    void gzip_withAnotherHeader_orInvalidData_isRefused() {
        for (int at : new int[] {0, 1, 2}) {
            byte[] input = gzip(0, FIRST);
            input[at]++;
            assertRefused(CompressionCodec.GZIP, input, "gzip: no header");
        }
        byte[] input = gzip(0, FIRST);
        input[10] = 7; // the third kind of block, which does not exist
        assertRefused(CompressionCodec.GZIP, input, "gzip: invalid block type");
    }

    // ---- LZ4 -------------------------------------------------------------------------------------------------------

    private static final int RAW_BLOCK = 1 << 31;
    private static final int INDEPENDENT = 0x60;
    private static final int MAX_64_KB = 4;

    /** Returns a frame of two blocks, the second one not compressed. Its checksums are wrong. */
    private static byte[] lz4(int flags, int sizeCode) {
        byte[] compressed = LZ4Factory.fastestInstance().fastCompressor().compress(FIRST);
        byte[] blockChecksum = new byte[(flags & 0x10) == 0 ? 0 : 4];
        return joined(
                littleEndian(0x184d2204),
                new byte[] {(byte) flags, (byte) (sizeCode << 4)},
                new byte[(flags & 0x08) == 0 ? 0 : 8],
                new byte[1],
                littleEndian(compressed.length),
                compressed,
                blockChecksum,
                littleEndian(SECOND.length | RAW_BLOCK),
                SECOND,
                blockChecksum,
                littleEndian(0),
                new byte[(flags & 0x04) == 0 ? 0 : 4]);
    }

    @Test
    void lz4_withAnyFields_andBlocksOfBothKinds_isRead() throws Exception {
        for (int fields : new int[] {0, 0x04, 0x08, 0x10, 0x14, 0x18, 0x1c}) {
            for (int sizeCode = MAX_64_KB; sizeCode < 8; sizeCode++) {
                assertThat(decompress(CompressionCodec.LZ4, lz4(INDEPENDENT | fields, sizeCode)))
                        .as("fields %x, size %d", fields, sizeCode)
                        .isEqualTo(BOTH);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x08, 0x10, 0x18})
    void lz4_cutOffAnywhere_isRefused(int fields) {
        assertRefusedWhereverItIsCut(CompressionCodec.LZ4, lz4(INDEPENDENT | fields, MAX_64_KB), "lz4: ");
    }

    @Test
    void lz4_ofAKindThatKafkaForbids_isRefused() {
        for (int flags : new int[] {0x20, 0xa0, 0xe0, 0x40, INDEPENDENT | 1}) {
            assertRefused(
                    CompressionCodec.LZ4,
                    lz4(flags, MAX_64_KB),
                    "lz4: flags " + Integer.toHexString(flags) + " are not Kafka's");
        }
        byte[] input = lz4(INDEPENDENT, MAX_64_KB);
        input[0]++;
        assertRefused(CompressionCodec.LZ4, input, "lz4: no frame");
    }

    @Test
    void lz4Block_beyondTheInput_isRefusedWithItsSize() {
        byte[] input = joined(
                littleEndian(0x184d2204), new byte[] {INDEPENDENT, MAX_64_KB << 4, 0}, littleEndian(9), new byte[5]);
        assertRefused(CompressionCodec.LZ4, input, "lz4: a block of 9 bytes in 5");
    }

    @Test
    void lz4_withAnInvalidBlock_isRefused() {
        byte[] block = {0, 0, 0}; // a match that begins before the output
        byte[] input = joined(
                littleEndian(0x184d2204),
                new byte[] {INDEPENDENT, MAX_64_KB << 4, 0},
                littleEndian(block.length),
                block,
                littleEndian(0));
        assertRefused(CompressionCodec.LZ4, input, "lz4: ");
    }

    /** Returns a frame of an uncompressed and a compressed block, with blocks of up to 64 KB when decompressed. */
    private static byte[] lz4(byte[] raw, byte[] compressed) {
        return joined(
                littleEndian(0x184d2204),
                new byte[] {INDEPENDENT, MAX_64_KB << 4, 0},
                littleEndian(raw.length | RAW_BLOCK),
                raw,
                littleEndian(compressed.length),
                compressed,
                littleEndian(0));
    }

    /** The buffer has space for a part of the second block, and may grow by less than the largest block. */
    @Test
    void lz4Block_thatTheBufferCanJustGrowFor_isRead() throws Exception {
        byte[] raw = content(9, 250_000);
        byte[] last = content(10, LIMIT_BYTES - raw.length);
        byte[] compressed = LZ4Factory.fastestInstance().fastCompressor().compress(last);
        assertThat(decompress(CompressionCodec.LZ4, lz4(raw, compressed))).isEqualTo(joined(raw, last));
    }

    @Test
    void lz4_withAnInvalidBlock_thatHasSpaceForTheLargestOne_isRefused() {
        assertRefused(CompressionCodec.LZ4, lz4(new byte[LIMIT_BYTES - (1 << 16)], new byte[3]), "lz4: ");
    }

    // ---- Snappy ----------------------------------------------------------------------------------------------------

    private static final byte[] SNAPPY_HEADER = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};

    /** A block of one byte. */
    private static final byte[] SNAPPY_ONE = {1, 0, 'x'};

    private static byte[] bigEndian(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    @Test
    void snappy_inBlocks_isRead() throws Exception {
        byte[] first = Snappy.compress(FIRST);
        byte[] second = Snappy.compress(SECOND);
        byte[] input = joined(SNAPPY_HEADER, bigEndian(first.length), first, bigEndian(second.length), second);
        assertThat(decompress(CompressionCodec.SNAPPY, input)).isEqualTo(BOTH);
        assertThat(decompress(CompressionCodec.SNAPPY, SNAPPY_HEADER)).isEmpty();
        assertThat(decompress(CompressionCodec.SNAPPY, joined(SNAPPY_HEADER, bigEndian(1), new byte[1])))
                .as("a block without content")
                .isEmpty();
        for (int length = SNAPPY_HEADER.length + 1; length < input.length; length++) {
            if (length != SNAPPY_HEADER.length + Integer.BYTES + first.length) {
                assertRefused(CompressionCodec.SNAPPY, Arrays.copyOf(input, length), "snappy: ");
            }
        }
    }

    @Test
    void snappy_withoutBlocks_isRead() throws Exception {
        for (int size : new int[] {0, 1, 12, 13, 14, 700}) {
            byte[] content = content(5, size);
            byte[] input = Snappy.compress(content);
            assertThat(decompress(CompressionCodec.SNAPPY, input)).isEqualTo(content);
            assertRefusedWhereverItIsCut(CompressionCodec.SNAPPY, input, "snappy: ");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 4, Integer.MAX_VALUE})
    void snappyBlock_withAnImpossibleLength_isRefused(int length) {
        byte[] input = joined(SNAPPY_HEADER, bigEndian(length), SNAPPY_ONE);
        assertRefused(CompressionCodec.SNAPPY, input, "snappy: a block of " + length + " bytes in 3");
    }

    /** No input of that size becomes so large. The reader must not get memory for it. */
    @Test
    void snappy_thatAnnouncesMoreThanItCanHave_isRefused() throws Exception {
        byte[] dense = Snappy.compress(new byte[60 * 1_000]);
        assertThat(decompress(CompressionCodec.SNAPPY, dense)).hasSize(60 * 1_000);
        byte[] announced = {(byte) 0xc1, 1, 0}; // 193 bytes from three
        assertRefused(CompressionCodec.SNAPPY, announced, "snappy: 3 bytes would become 193");
        announced[0]--;
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> decompress(CompressionCodec.SNAPPY, announced))
                .withMessageNotContaining("would become");
    }

    // ---- Zstandard -------------------------------------------------------------------------------------------------

    private static byte[] withoutSize(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream zstd = new ZstdOutputStream(out)) {
            zstd.write(content);
        }
        return out.toByteArray();
    }

    @Test
    void zstd_ofSeveralFrames_withAndWithoutTheirSizes_isRead() throws Exception {
        assertThat(decompress(CompressionCodec.ZSTD, joined(Zstd.compress(FIRST), withoutSize(SECOND))))
                .isEqualTo(BOTH);
        byte[] large = content(6, LIMIT_BYTES - 10);
        assertThat(decompress(CompressionCodec.ZSTD, withoutSize(large))).isEqualTo(large);
    }

    @Test
    void zstd_cutOffAnywhere_isRefused() {
        byte[] input = Zstd.compress(SECOND);
        for (int length = 1; length < input.length; length++) {
            assertRefused(CompressionCodec.ZSTD, Arrays.copyOf(input, length), "zstd: ");
        }
    }

    // ---- The limit -------------------------------------------------------------------------------------------------

    private static byte[] compressed(int codec, byte[] content) throws IOException {
        return switch (codec) {
            case CompressionCodec.GZIP -> gzip(0, content);
            case CompressionCodec.SNAPPY -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (OutputStream snappy = new SnappyOutputStream(out)) {
                    snappy.write(content);
                }
                yield out.toByteArray();
            }
            case CompressionCodec.LZ4 -> {
                byte[] block = LZ4Factory.fastestInstance().fastCompressor().compress(content);
                yield joined(
                        littleEndian(0x184d2204),
                        new byte[] {INDEPENDENT, 7 << 4, 0},
                        littleEndian(block.length),
                        block,
                        littleEndian(0));
            }
            default -> Zstd.compress(content);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {CompressionCodec.GZIP, CompressionCodec.SNAPPY, CompressionCodec.LZ4, CompressionCodec.ZSTD})
    void data_upToTheLimit_isRead_andALargerOneIsNot(int codec) throws Exception {
        byte[] largest = content(7, LIMIT_BYTES);
        assertThat(decompress(codec, compressed(codec, largest))).isEqualTo(largest);
        byte[] input = compressed(codec, content(8, LIMIT_BYTES + 1));
        assertThatExceptionOfType(TooLargeException.class)
                .isThrownBy(() -> decompress(codec, input))
                .satisfies(fault -> assertThat(fault.missingBytes()).isZero());
        try (Decompressor small = new Decompressor(FIRST.length)) {
            byte[] first = compressed(codec, FIRST);
            ByteBuffer bytes = ByteBuffer.allocateDirect(first.length).put(0, first);
            assertThat(small.decompress(codec, bytes, 0, first.length).remaining())
                    .isEqualTo(FIRST.length);
        }
        assertThat(decompress(codec, compressed(codec, FIRST))).isEqualTo(FIRST);
    }

    @Test
    void codecs_areKnownByTheirIds() {
        for (int codec = 0; codec < 8; codec++) {
            assertThat(Decompressor.knows(codec)).as("codec %d", codec).isEqualTo(codec <= 4);
        }
    }
}
