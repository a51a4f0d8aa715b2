package dev.weir.stream.internal.interop;

import dev.weir.stream.Claim;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Gives each element an additional pending acknowledgement, which the recipient of the element ends manually. Confined
 * to its segment's thread.
 */
final class ClaimStage<T> implements Stage<Claim<T>> {

    private final Stage<T> upstream;
    private final StageMeter meter;

    private ClaimStage(Stage<T> upstream, StageMeter meter) {
        this.upstream = upstream;
        this.meter = meter;
    }

    static <T> BlueprintNode<Claim<T>> node(BlueprintNode<T> above) {
        return new BlueprintNode<>("withClaim", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new ClaimStage<>(upstream, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<Claim<T>> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch == null) {
            return null;
        }
        long start = System.nanoTime();
        int size = batch.size();
        for (int i = 0; i < size; i++) {
            AckTarget target = batch.target(i);
            long token = batch.token(i);
            target.retain(token, 1);
            batch.set(i, new Held<>(batch.get(i), target, token));
        }
        meter.worked(size, size, start);
        return batch.retyped();
    }

    @Override
    public void close() {
        upstream.close();
    }

    private static final class Held<T> implements Claim<T> {

        private final T value;
        private final AtomicReference<@Nullable AckTarget> target;
        private final long token;

        Held(T value, AckTarget target, long token) {
            this.value = value;
            this.target = new AtomicReference<>(target);
            this.token = token;
        }

        @Override
        public T value() {
            return value;
        }

        @Override
        public void ack() {
            AckTarget open = target.getAndSet(null);
            if (open != null) {
                open.ack(token);
            }
        }

        @Override
        public String toString() {
            return "Claim[" + value + (target.get() == null ? ", acknowledged]" : "]");
        }
    }
}
