package dev.weir.stream.internal.source;

import dev.weir.stream.Action;
import dev.weir.stream.Handler;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.Batch;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Emits the elements read from a resource, which it opens at the first pull and closes once, however the stream ends.
 * Confined to the stage's thread.
 */
final class ResourceSource<R, T> extends ReadingSource<T> {

    private final Callable<? extends R> open;
    private final Handler<? super R, Optional<T>> read;
    private final Action<? super R> close;

    private @Nullable R resource;

    private ResourceSource(
            Callable<? extends R> open,
            Handler<? super R, Optional<T>> read,
            Action<? super R> close,
            StageAttributes attributes) {
        super(attributes);
        this.open = open;
        this.read = read;
        this.close = close;
    }

    static <R, T> BlueprintNode<T> node(
            Callable<? extends R> open, Handler<? super R, Optional<T>> read, Action<? super R> close) {
        return reading("resource", attributes -> new ResourceSource<>(open, read, close, attributes));
    }

    @Override
    boolean fill(Batch<T> batch, int limit) throws Exception {
        R from = resource;
        if (from == null) {
            from = Objects.requireNonNull(open.call(), "open of resource returned null");
            resource = from;
        }
        while (batch.size() < limit && !isStopped()) {
            Optional<T> element = Objects.requireNonNull(read.handle(from), "read of resource returned null");
            if (element.isEmpty()) {
                closeResource();
                return false;
            }
            batch.add(element.get());
        }
        return true;
    }

    private void closeResource() throws Exception {
        R closing = resource;
        if (closing != null) {
            resource = null;
            close.accept(closing);
        }
    }

    @Override
    public void close() {
        try {
            closeResource();
        } catch (RuntimeException unchecked) {
            throw unchecked;
        } catch (Exception failure) {
            throw FailureTransfer.rethrow(failure);
        }
    }
}
