package dev.weir.lean.internal.batch;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;

/** Zstandard, one or more frames, with or without their size. Confined to one thread. */
final class ZstdStream implements Codec {

    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public void decompress(ByteBuffer input, Output output) throws CodecException, TooLargeException {
        context.reset();
        boolean done = false;
        try {
            while (input.hasRemaining() || !done) {
                ByteBuffer to = output.room();
                int room = to.remaining();
                int left = input.remaining();
                done = context.decompressDirectByteBufferStream(to, input);
                if (!done && room == to.remaining() && left == input.remaining()) {
                    throw new CodecException("zstd: cut off");
                }
            }
        } catch (ZstdException e) {
            throw new CodecException("zstd: " + e.getMessage());
        }
    }
}
