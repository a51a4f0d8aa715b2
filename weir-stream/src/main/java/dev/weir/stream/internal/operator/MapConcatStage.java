package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element, the parent, with its children. The parent is acknowledged when its last child is, or
 * immediately if it has no children. Confined to the stage's thread.
 */
final class MapConcatStage<T, R> implements Stage<R> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new ExpandLoop<>());

    /** Collections up to this size are added in one step, even if the batch then exceeds its default size. */
    private static final int FEW_CHILDREN = 64;

    private final Stage<T> upstream;
    private final BatchLoop<T, MapConcatStage<T, R>> loop;
    private final Function<? super T, ? extends Iterable<? extends R>> function;
    private final StageMeter meter;
    private final SupervisedCall supervised;
    private final Clock clock;
    private final BatchPool pool = new BatchPool(Batch.DEFAULT_CAPACITY + FEW_CHILDREN);

    private final HeldElements inside;

    private Batch<R> childrenGoTo = new Batch<>(0);

    private @Nullable Throwable failure;
    private @Nullable Batch<T> parents;
    private int nextParent;
    private Iterator<? extends R> children = Collections.emptyIterator();
    private boolean openParent;
    private int openIndex;
    private AckTarget parentTarget = AckTarget.NONE;
    private long parentToken;

    private MapConcatStage(StageWiring<T> wiring, Function<? super T, ? extends Iterable<? extends R>> function) {
        this.upstream = wiring.upstream();
        this.loop = BatchLoop.of(LOOPS, function);
        this.function = function;
        this.meter = wiring.meter();
        this.supervised = wiring.supervised();
        this.clock = wiring.clock();
        this.inside = new HeldElements(meter);
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, Function<? super T, ? extends Iterable<? extends R>> function) {
        return StageWiring.node("mapConcat", above, wiring -> new MapConcatStage<T, R>(wiring, function));
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            if (Thread.interrupted()) {
                // Check for an interrupt. With an endless iterator, this stage never pulls, so no upstream stage
                // notices a cancellation.
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
                inside.set(current.size());
            }
            long start = System.nanoTime();
            Batch<R> out = pool.take();
            // This counts no elements, because the parents were counted when they arrived.
            meter.beginWork(start);
            try {
                expand(current, out);
            } catch (InterruptedException interrupted) {
                // Closing the stage abandons the parents.
                out.abandonAll();
                throw interrupted;
            }
            meter.endPass();
            meter.worked(0, out.size(), start);
            // A parent with remaining children counts as held.
            inside.set(parents == null ? 0 : current.size() - nextParent + (openParent ? 1 : 0));
            if (!out.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return out;
            }
            out.release();
        }
        throw FailureTransfer.rethrowFromAbove(failure);
    }

    /** Fills {@code out} with children until it is full, there are no more parents, or the stream must fail. */
    private void expand(Batch<T> from, Batch<R> out) throws InterruptedException {
        while (out.size() < Batch.DEFAULT_CAPACITY && failure == null) {
            if (openParent) {
                takeChildren(out);
            } else if (nextParent < from.size()) {
                childrenGoTo = out;
                nextParent = loop.run(from, this);
            } else {
                parents = null;
                from.release();
                return;
            }
        }
    }

    /** Passes an exception of the function to the supervision, which may retry the call for the same parent. */
    private void afterFailure(Batch<T> from, int index, Throwable thrown) throws InterruptedException {
        Object outcome = supervised.after(
                thrown, parent -> function.apply(parent).iterator(), from.get(index), () -> from.isRevoked(index));
        supervised.note(outcome, from, index);
        openParent(from, index, iteratorOr(outcome));
        if (outcome instanceof FailureVerdict verdict) {
            giveUp(verdict);
        }
    }

    @SuppressWarnings("unchecked") // any outcome other than a verdict is the function's result
    private Iterator<? extends R> iteratorOr(Object outcome) {
        return outcome instanceof FailureVerdict ? Collections.emptyIterator() : (Iterator<? extends R>) outcome;
    }

    private void openParent(Batch<T> from, int index, Iterator<? extends R> iterator) {
        parentTarget = from.target(index);
        parentToken = from.token(index);
        children = iterator;
        openIndex = index;
        openParent = true;
    }

    private void takeChildren(Batch<R> out) {
        int before = out.size();
        boolean more = true;
        Throwable broken = null;
        try {
            more = out.addAll(children, Batch.DEFAULT_CAPACITY, () -> false, parentTarget, parentToken);
        } catch (Throwable thrown) {
            broken = thrown;
        }
        tookChildren(out.size() - before, more, broken);
    }

    /**
     * Updates the current parent's pending acknowledgements after children were added to the batch.
     *
     * @param more whether the parent has further children
     * @param broken the failure of the parent's iterator, or null
     */
    private void tookChildren(int taken, boolean more, @Nullable Throwable broken) {
        // Add the acknowledgements before a downstream stage sees the children. The last child takes over the parent's
        // own.
        int count = more || taken == 0 ? taken : taken - 1;
        if (count > 0) {
            parentTarget.retain(parentToken, count);
        }
        if (broken != null) {
            // No retry, because children may have been emitted already.
            FailureVerdict verdict = supervised.decide(broken);
            supervised.note(verdict, Objects.requireNonNull(parents), openIndex);
            giveUp(verdict);
        } else if (!more) {
            openParent = false;
            if (taken == 0) {
                parentTarget.ack(parentToken);
            }
        }
    }

    /** Applies a verdict on the current parent: skips its remaining children, or fails the stream. */
    private void giveUp(FailureVerdict verdict) {
        openParent = false;
        if (verdict.fails()) {
            failure = verdict.failure();
            parentTarget.abandon(parentToken);
        } else if (verdict == FailureVerdict.REVOKED) {
            boolean ignored = parentTarget.dropIfRevoked(parentToken);
        } else {
            verdict.settle(parentTarget, parentToken);
        }
    }

    @Override
    public void close() {
        inside.set(0);
        if (openParent) {
            openParent = false;
            parentTarget.abandon(parentToken);
        }
        Batch<T> left = parents;
        if (left != null) {
            parents = null;
            left.abandonFrom(nextParent);
        }
        upstream.close();
    }

    /** Expands parents with few children, and returns at a parent that needs the slow path. */
    private static final class ExpandLoop<T, R> implements BatchLoop<T, MapConcatStage<T, R>> {

        @Override
        public int run(Batch<T> parents, MapConcatStage<T, R> stage) throws InterruptedException {
            Function<? super T, ? extends Iterable<? extends R>> function = stage.function;
            Batch<R> out = stage.childrenGoTo;
            int index = stage.nextParent;
            while (index < parents.size() && out.size() < Batch.DEFAULT_CAPACITY) {
                Iterator<? extends R> children;
                boolean few;
                try {
                    Iterable<? extends R> all = Objects.requireNonNull(
                            function.apply(parents.get(index)), "the function of mapConcat returned null");
                    few = all instanceof Collection<?> counted && counted.size() <= FEW_CHILDREN;
                    children = all.iterator();
                } catch (Throwable thrown) {
                    stage.nextParent = index;
                    stage.afterFailure(parents, index, thrown);
                    return index + 1;
                }
                if (!few) {
                    stage.openParent(parents, index, children);
                    return index + 1;
                }
                int before = out.size();
                int end = before;
                boolean more = true;
                Throwable broken = null;
                try {
                    while ((more = children.hasNext()) && end - before < FEW_CHILDREN) {
                        out.set(end, Objects.requireNonNull(children.next(), "a child of mapConcat is null"));
                        end++;
                    }
                } catch (Throwable thrown) {
                    broken = thrown;
                }
                AckTarget target = parents.target(index);
                long token = parents.token(index);
                out.extend(end, target, token);
                int taken = end - before;
                if (more) {
                    stage.openParent(parents, index, children);
                    stage.tookChildren(taken, true, broken);
                    return index + 1;
                }
                if (taken == 0) {
                    target.ack(token);
                } else if (taken > 1) {
                    target.retain(token, taken - 1);
                }
                index++;
            }
            return index;
        }
    }
}
