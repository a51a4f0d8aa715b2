package dev.weir.lean.internal.batch;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.weir.lean.internal.wire.FailureText;
import java.nio.ByteBuffer;

/**
 * Decompresses Zstandard data, which may have several frames. The header of a frame may omit the decompressed size.
 * Confined to one thread.
 *
 * <p>Decompresses all input in one call. A stream would allocate a window of the size that the frame requests. If the
 * output buffer is too small, the call is repeated with a buffer of at least twice the size, up to the limit.
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
                    throw new CodecException("zstd: " + FailureText.of(e));
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
