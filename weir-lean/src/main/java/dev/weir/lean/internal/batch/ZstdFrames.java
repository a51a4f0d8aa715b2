package dev.weir.lean.internal.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/**
 * Zstandard, one or more frames, with or without their size. Confined to one thread.
 *
 * <p>Decompresses all at once rather than as a stream, which would allocate a window of whatever size the frame
 * requests. If the output space is too small it starts again with twice as much, so that the output never exceeds its
 * limit.
 */
final class ZstdFrames implements CompressionCodec {

    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public void decompress(ByteBuffer input, DecompressionBuffer output) throws CodecException, TooLargeException {
        ByteBuffer to = output.room();
        while (true) {
            try {
                int size = context.decompressDirectByteBuffer(
                        to, 0, to.limit(), input, input.position(), input.remaining());
                to.position(size);
                return;
            } catch (ZstdException e) {
                if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
                    throw new CodecException("zstd: " + e.getMessage());
                }
                to = output.room(to.limit() + 1L);
            }
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
