package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element by its children. The parent is acknowledged when its last child is, or at once if it has none:
 * the stage keeps the parent's own claim while it iterates and gives each child one more.
 */
final class MapConcatStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Function<? super T, ? extends Iterable<? extends R>> function;
    private final StageMeter meter;
    private final Supervised supervised;
    private final Clock clock;
    private final BatchPool pool = new BatchPool();

    private @Nullable Throwable failure;
    private @Nullable Batch<T> parents;
    private int nextParent;
    private Iterator<? extends R> children = Collections.emptyIterator();
    private boolean openParent;
    private AckTarget parentTarget = AckTarget.NONE;
    private long parentToken;

    private MapConcatStage(
            Stage<T> upstream,
            Function<? super T, ? extends Iterable<? extends R>> function,
            StageMeter meter,
            Supervised supervised,
            Clock clock) {
        this.upstream = upstream;
        this.function = function;
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, ? extends Iterable<? extends R>> function) {
        return new Node<>("mapConcat", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new MapConcatStage<>(
                    upstream, function, assembly.fused(attributes).meter(), Supervised.by(attributes, clock), clock);
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            if (Thread.interrupted()) {
                // Children without end never pull, so nothing above would notice.
                throw new InterruptedException();
            }
            Batch<T> current = parents;
            if (current == null) {
                current = upstream.pull(deadlineNanos);
                if (current == null) {
                    return null;
                }
                if (current.isEmpty()) {
                    return current.retyped();
                }
                parents = current;
                nextParent = 0;
                meter.in(current.size());
            }
            long start = System.nanoTime();
            Batch<R> out = pool.take();
            expand(current, out);
            meter.worked(0, out.size(), start);
            if (!out.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return out;
            }
            out.release();
        }
        throw Failures.rethrowFromAbove(failure);
    }

    /** Fills {@code out} with children until it is full, the parents are used up, or the stream is to fail. */
    private void expand(Batch<T> from, Batch<R> out) throws InterruptedException {
        while (out.size() < Batch.DEFAULT_CAPACITY && failure == null) {
            if (openParent) {
                takeChildren(out);
            } else if (nextParent < from.size()) {
                open(from, nextParent++);
            } else {
                parents = null;
                from.release();
                return;
            }
        }
    }

    private void open(Batch<T> from, int index) throws InterruptedException {
        parentTarget = from.target(index);
        parentToken = from.token(index);
        T parent = from.get(index);
        Object iterator;
        try {
            iterator = childrenOf(parent);
        } catch (Throwable thrown) {
            iterator = supervised.after(thrown, this::childrenOf, parent);
            if (iterator instanceof Verdict verdict) {
                giveUp(verdict);
                return;
            }
        }
        children = iteratorOfChildren(iterator);
        openParent = true;
    }

    private Iterator<? extends R> childrenOf(T parent) {
        return function.apply(parent).iterator();
    }

    @SuppressWarnings("unchecked") // what childrenOf returned
    private Iterator<? extends R> iteratorOfChildren(Object iterator) {
        return (Iterator<? extends R>) iterator;
    }

    private void takeChildren(Batch<R> out) {
        int room = Batch.DEFAULT_CAPACITY - out.size();
        int taken = 0;
        boolean more = true;
        Verdict verdict = null;
        try {
            while ((more = children.hasNext()) && taken < room) {
                R child = Objects.requireNonNull(children.next(), "a child of mapConcat is null");
                out.add(child, parentTarget, parentToken);
                taken++;
            }
        } catch (Throwable thrown) {
            // Children have gone out: there is no calling again.
            verdict = supervised.decide(thrown);
        }
        // The claims must exist before anybody below sees the children; the parent's own one goes to the last child.
        int claims = more || taken == 0 ? taken : taken - 1;
        if (claims > 0) {
            parentTarget.retain(parentToken, claims);
        }
        if (verdict != null) {
            giveUp(verdict);
        } else if (!more) {
            openParent = false;
            if (taken == 0) {
                parentTarget.ack(parentToken);
            }
        }
    }

    /** Goes on without the rest of the current parent's children, or fails. */
    private void giveUp(Verdict verdict) {
        openParent = false;
        if (verdict.fails()) {
            failure = verdict.failure();
        } else {
            verdict.settle(parentTarget, parentToken);
        }
    }

    @Override
    public void close() {
        upstream.close();
    }
}
