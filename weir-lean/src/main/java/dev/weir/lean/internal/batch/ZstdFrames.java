package dev.weir.lean.internal.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/**
 * Decompresses Zstandard data, which may consist of several frames. A frame's header may omit the decompressed size.
 * Confined to one thread.
 *
 * <p>All input is decompressed in one call instead of as a stream, because a stream would allocate a window of the size
 * requested by the frame. If the output buffer is too small, decompression starts over with a buffer of at least twice
 * the size, up to the limit.
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
