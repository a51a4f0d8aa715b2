package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Emits the items of each element's expansion until a newer element arrives. The first item carries the element's
 * acknowledgement. A failure is passed on after the preceding items. Confined to the stage's thread.
 */
final class ExpandStage<T, R> implements Stage<R> {

    private static final Object NOTHING = new Object();

    private final Stage<T> upstream;
    private final Function<? super T, ? extends Iterator<? extends R>> expander;
    private final SupervisedCall supervised;
    private final StageMeter meter;
    private final Clock clock;

    private Iterator<? extends R> more = Collections.emptyIterator();
    private @Nullable Throwable failure;

    private ExpandStage(
            Stage<T> upstream,
            Function<? super T, ? extends Iterator<? extends R>> expander,
            SupervisedCall supervised,
            StageMeter meter,
            Clock clock) {
        this.upstream = upstream;
        this.expander = expander;
        this.supervised = supervised;
        this.meter = meter;
        this.clock = clock;
    }

    static <T, R> BlueprintNode<R> node(
            String name, BlueprintNode<T> above, Function<? super T, ? extends Iterator<? extends R>> expander) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            // With a capacity of one element, the boundary holds a single batch.
            BlueprintNode<T> boundary = AsyncBoundary.node(above, attributes.dispatcherOr(Dispatcher.virtual()), 1)
                    .with(Attributes.named(attributes.name() + "-input"));
            Stage<T> upstream = boundary.build(assembly);
            return new ExpandStage<>(
                    upstream,
                    expander,
                    SupervisedCall.by(attributes, assembly.clock()),
                    assembly.fused(attributes).meter(),
                    assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            boolean canRepeat = hasMore();
            Batch<T> batch = upstream.pull(canRepeat ? clock.nanoTime() : deadlineNanos);
            if (batch == null) {
                return null;
            }
            long start = System.nanoTime();
            Batch<R> out = new Batch<>(Math.max(1, batch.size()));
            if (batch.isEmpty()) {
                if (canRepeat) {
                    repeat(out);
                }
            } else {
                expand(batch, out);
            }
            meter.worked(batch.size(), out.size(), start);
            boolean nothingHere = batch.isEmpty() && !canRepeat;
            if (!out.isEmpty() || (failure == null && (nothingHere || clock.hasPassed(deadlineNanos)))) {
                return out;
            }
        }
        throw FailureTransfer.rethrow(failure);
    }

    private void expand(Batch<T> batch, Batch<R> out) throws InterruptedException {
        for (int i = 0; i < batch.size(); i++) {
            more = Collections.emptyIterator();
            AckTarget target = batch.target(i);
            long token = batch.token(i);
            Object first;
            try {
                first = begin(batch.get(i));
            } catch (Throwable thrown) {
                first = afterFailure(thrown, batch, i, out);
            }
            if (first instanceof FailureVerdict verdict) {
                if (verdict.fails()) {
                    failure = verdict.failure();
                    return;
                }
                verdict.settle(target, token);
            } else if (first == NOTHING) {
                target.ack(token);
            } else {
                out.add(first, target, token);
            }
        }
    }

    private Object afterFailure(Throwable thrown, Batch<T> batch, int index, Batch<R> out) throws InterruptedException {
        try {
            return supervised.after(thrown, this::begin, batch, 0, index);
        } catch (InterruptedException interrupted) {
            out.abandonAll();
            throw interrupted;
        }
    }

    private Object begin(T element) {
        Iterator<? extends R> results =
                Objects.requireNonNull(expander.apply(element), "the function of expand returned null");
        if (!results.hasNext()) {
            return NOTHING;
        }
        R first = nonNull(results.next());
        more = results;
        return first;
    }

    private boolean hasMore() {
        try {
            return more.hasNext();
        } catch (Throwable failure) {
            giveUp(failure);
            return false;
        }
    }

    private void repeat(Batch<R> out) {
        try {
            out.add(nonNull(more.next()), AckTarget.NONE, 0);
        } catch (Throwable failure) {
            giveUp(failure);
        }
    }

    /**
     * Handles a failure of an expansion after its first item. Drops the remaining items, and throws the failure if the
     * supervision decides so.
     */
    private void giveUp(Throwable failure) {
        more = Collections.emptyIterator();
        supervised.decide(failure).throwIfFails();
    }

    private R nonNull(R result) {
        return Objects.requireNonNull(result, "an expanded element is null");
    }

    @Override
    public void close() {
        upstream.close();
    }
}
