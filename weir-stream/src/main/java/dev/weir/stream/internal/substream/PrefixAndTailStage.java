package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Passes the first elements (the prefix) and the remaining stream (the tail) to a function, and emits the elements of
 * the stream that it returns. Confined to the stage's thread, except for the tail, which is confined to the stream that
 * uses it.
 *
 * <p>The prefix is the parent of the emitted elements. The prefix is finished when the returned stream has ended and
 * all elements of that stream are finished.
 */
final class PrefixAndTailStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final int prefixSize;
    private final BiFunction<? super List<T>, ? super BlueprintNode<T>, BlueprintNode<R>> function;
    private final NestedStreams nested;
    private final StageMeter meter;

    private final List<T> prefix = new ArrayList<>();
    private final JointAck prefixAcks = new JointAck(8);
    private final HeldElements inside;

    private boolean prefixWaitedFor;
    private Batch<T> rest = new Batch<>(0);
    /** Number of elements available without a pull. */
    private final AtomicInteger atHand = new AtomicInteger();

    private boolean upstreamEnded;
    private final AtomicBoolean tailUsed = new AtomicBoolean();
    private ParentAcknowledgement parent = ParentAcknowledgement.NONE;
    private NestedStreams.@Nullable Child<R> child;

    private PrefixAndTailStage(
            Stage<T> upstream,
            int prefixSize,
            BiFunction<? super List<T>, ? super BlueprintNode<T>, BlueprintNode<R>> function,
            NestedStreams nested,
            StageMeter meter) {
        this.upstream = upstream;
        this.prefixSize = prefixSize;
        this.function = function;
        this.nested = nested;
        this.meter = meter;
        this.inside = new HeldElements(meter);
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above,
            int prefixSize,
            BiFunction<? super List<T>, ? super BlueprintNode<T>, BlueprintNode<R>> function) {
        if (prefixSize < 0) {
            throw new IllegalArgumentException("the prefix must have at least 0 elements: n=" + prefixSize);
        }
        return new BlueprintNode<>("prefixAndTail", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            NestedStreams nested = assembly.nested();
            // Report that the stage may wait: the probe cannot see the stream that uses the tail.
            assembly.noteWaits();
            PrefixAndTailStage<T, R> stage =
                    new PrefixAndTailStage<>(upstream, prefixSize, function, nested, entry.meter());
            entry.depth(stage.atHand::get);
            return stage;
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        NestedStreams.Child<R> stream = child;
        if (stream == null) {
            if (!isPrefixThere(deadlineNanos)) {
                return new Batch<>(0);
            }
            stream = begin();
        }
        Batch<R> batch = stream.pull(deadlineNanos);
        if (batch == null) {
            stream.close();
            parent.ended(stream);
            parent = ParentAcknowledgement.NONE;
            inside.set(0);
            return null;
        }
        meter.out(batch.size());
        return parent.over(batch);
    }

    private boolean isPrefixThere(long deadlineNanos) throws InterruptedException {
        while (prefix.size() < prefixSize && !upstreamEnded) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                upstreamEnded = true;
            } else if (batch.isEmpty()) {
                return false;
            } else {
                meter.in(batch.size());
                takePrefix(batch);
            }
        }
        return true;
    }

    private void takePrefix(Batch<T> batch) {
        int taken = Math.min(prefixSize - prefix.size(), batch.size());
        for (int i = 0; i < taken; i++) {
            prefix.add(batch.get(i));
            prefixWaitedFor |= batch.target(i) != AckTarget.NONE;
            prefixAcks.add(batch.target(i), batch.token(i));
        }
        inside.set(prefix.size());
        batch.removeFirst(taken);
        rest = batch;
        atHand.lazySet(batch.size());
    }

    private NestedStreams.Child<R> begin() {
        BlueprintNode<T> tail = new BlueprintNode<>("tail", (assembly, attributes) -> {
            if (!tailUsed.compareAndSet(false, true)) {
                throw new IllegalStateException("the tail of prefixAndTail can be used once");
            }
            // Register the tail: if the assembly fails later, no stage closes it.
            return assembly.source(new Tail());
        });
        BlueprintNode<R> stream = Objects.requireNonNull(
                function.apply(List.copyOf(prefix), tail), "the function of prefixAndTail returned null");
        parent = new ParentAcknowledgement(prefixWaitedFor ? prefixAcks : AckTarget.NONE, 0, prefix.size(), null);
        prefix.clear();
        NestedStreams.Child<R> started = nested.start(stream);
        child = started;
        return started;
    }

    /** Closes the upstream stage, unless a stream uses the tail and will close it. */
    @Override
    public void close() {
        inside.set(0);
        atHand.lazySet(0);
        FailureTransfer.runAll(List.of(this::closeStages, this::leavePrefix, () -> rest.abandonAll()));
    }

    private void closeStages() {
        try {
            if (child != null) {
                child.close();
            }
        } finally {
            if (!tailUsed.get()) {
                upstream.close();
            }
        }
    }

    private void leavePrefix() {
        if (child == null) {
            prefixAcks.abandon(0);
        } else {
            parent.left();
        }
    }

    /** Emits the elements after the prefix. Confined to the stream that uses it. */
    private final class Tail implements Stage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            if (!rest.isEmpty()) {
                Batch<T> batch = rest;
                rest = new Batch<>(0);
                atHand.lazySet(0);
                return batch;
            }
            if (upstreamEnded) {
                return null;
            }
            Batch<T> batch = upstream.pull(deadlineNanos);
            upstreamEnded = batch == null;
            if (batch != null) {
                meter.in(batch.size());
            }
            return batch;
        }

        @Override
        public void close() {
            upstream.close();
        }
    }
}
