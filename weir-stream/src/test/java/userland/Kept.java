package userland;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An operator on whole batches in a user's package: keeps some elements and acknowledges the others. */
public record Kept<T>(Stage<T> upstream, StageContext context, Predicate<T> wanted) implements Stage<T> {

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch == null || batch.isEmpty()) {
            return batch;
        }
        long start = System.nanoTime();
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            try {
                if (wanted.test(batch.get(i))) {
                    batch.move(i, kept++);
                } else {
                    batch.ack(i);
                }
            } catch (Throwable failure) {
                batch.abandonAllBut(kept, i);
                throw failure;
            }
        }
        batch.truncate(kept);
        context.meter().worked(size, kept, start);
        return batch;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
