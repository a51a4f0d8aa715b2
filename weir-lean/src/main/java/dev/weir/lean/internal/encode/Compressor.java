package dev.weir.lean.internal.encode;

import dev.weir.lean.LeanCompression;
import dev.weir.lean.internal.batch.BatchLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Compresses batches in place. Confined to one thread. Its buffers grow to the size of the largest batch so far. */
public final class Compressor implements AutoCloseable {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final @Nullable CodecCompressor squeezer;
    private ByteBuffer input = NOTHING;
    private ByteBuffer output = NOTHING;

    public Compressor(LeanCompression compression) {
        squeezer = switch (compression) {
            case NONE -> null;
            case GZIP -> new CodecCompressors.Gzip();
            case SNAPPY -> new CodecCompressors.SnappyBlocks();
            case LZ4 -> new CodecCompressors.Lz4Frame();
            case ZSTD -> new CodecCompressors.ZstdFrame();
        };
    }

    /** Compresses the records of a batch if this makes them smaller. Must be called at most once per batch. */
    public void compress(BatchWriter batch) {
        int size = batch.recordBytes();
        if (squeezer == null || size == 0) {
            return;
        }
        output = atLeast(output, squeezer.maxBytes(size));
        ByteBuffer bytes = batch.bytes();
        int compressed;
        if (bytes.isDirect()) {
            bytes.limit(batch.sizeBytes()).position(BatchLayout.HEADER_BYTES);
            compressed = squeezer.compress(bytes, output);
            bytes.clear();
        } else {
            input = atLeast(input, size);
            input.clear().put(0, bytes, BatchLayout.HEADER_BYTES, size).limit(size);
            compressed = squeezer.compress(input, output);
        }
        if (compressed < size) {
            batch.replaceRecords(squeezer.codec(), output, compressed);
        }
    }

    private static ByteBuffer atLeast(ByteBuffer buffer, int bytes) {
        return buffer.capacity() >= bytes ? buffer : ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public void close() {
        if (squeezer != null) {
            squeezer.close();
        }
    }
}
