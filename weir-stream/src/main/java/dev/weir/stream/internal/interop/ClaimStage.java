package dev.weir.stream.internal.interop;

import dev.weir.stream.Claim;
import dev.weir.stream.internal.ack.DerivedTarget;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Holds one pending acknowledgement of each element until the element's recipient ends it. The acknowledgement also
 * ends when the downstream stages have lost all copies. Confined to the stage's thread.
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
        Batch<Claim<T>> out = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            AckTarget target = batch.target(i);
            long token = batch.token(i);
            target.retain(token, 1);
            Held<T> held = new Held<>(batch.get(i), target, token);
            out.add(held, target == AckTarget.NONE ? target : held, 0);
        }
        batch.release();
        meter.worked(size, size, start);
        return out;
    }

    @Override
    public void close() {
        upstream.close();
    }

    /** A {@link Claim} and, at the same time, the acknowledgement target of its element downstream. Thread-safe. */
    private static final class Held<T> extends DerivedTarget implements Claim<T> {

        private final T value;
        private final AckTarget target;
        private final long token;
        private final AtomicBoolean claimed = new AtomicBoolean(true);
        /** Number of copies of the element that downstream stages hold, each with a pending acknowledgement. */
        private final AtomicInteger copies = new AtomicInteger(1);
        /** True once a downstream stage has acknowledged the element: a recipient may have it. */
        private volatile boolean delivered;

        Held(T value, AckTarget target, long token) {
            this.value = value;
            this.target = target;
            this.token = token;
        }

        private boolean endClaim() {
            return claimed.getAndSet(false);
        }

        /**
         * Counts a copy that a downstream stage has given up. Returns true if it was the last copy and no recipient has
         * the element.
         */
        private boolean isLost() {
            return copies.decrementAndGet() == 0 && !delivered && endClaim();
        }

        @Override
        public T value() {
            return value;
        }

        @Override
        public void ack() {
            if (endClaim()) {
                target.ack(token);
            }
        }

        @Override
        public void ack(long ignored) {
            delivered = true;
            copies.decrementAndGet();
            target.ack(token);
        }

        @Override
        public void forgo(long ignored) {
            if (isLost()) {
                target.forgo(token);
            }
            target.forgo(token);
        }

        @Override
        public void abandon(long ignored) {
            if (isLost()) {
                target.abandon(token);
            }
            target.abandon(token);
        }

        @Override
        public void retain(long ignored, int count) {
            copies.addAndGet(count);
            target.retain(token, count);
        }

        @Override
        protected AckTarget original(long ignored) {
            return target;
        }

        @Override
        protected long originalToken(long ignored) {
            return token;
        }

        @Override
        public String toString() {
            return "Claim[" + value + (claimed.get() ? "]" : ", ended]");
        }
    }
}
