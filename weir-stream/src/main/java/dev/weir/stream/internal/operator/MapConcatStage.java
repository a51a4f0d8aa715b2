package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
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
 * Replaces each element by its children. The parent is acknowledged when its last child is, or at once if it has none:
 * the stage keeps the parent's own claim while it iterates and gives each child one more.
 */
final class MapConcatStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Function<? super T, ? extends Iterable<? extends R>> function;
    private final StageMeter meter;
    private final Clock clock;

    private @Nullable Batch<T> parents;
    private int nextParent;
    private Iterator<? extends R> children = Collections.emptyIterator();
    private AckTarget parentTarget = AckTarget.NONE;
    private long parentToken;

    private MapConcatStage(
            Stage<T> upstream,
            Function<? super T, ? extends Iterable<? extends R>> function,
            StageMeter meter,
            Clock clock) {
        this.upstream = upstream;
        this.function = function;
        this.meter = meter;
        this.clock = clock;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, ? extends Iterable<? extends R>> function) {
        return new Node<>("mapConcat", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new MapConcatStage<>(
                    upstream, function, assembly.fused(attributes).meter(), assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
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
            Batch<R> out = new Batch<>(Batch.DEFAULT_CAPACITY);
            expand(current, out);
            meter.worked(0, out.size(), start);
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
        }
    }

    /** Fills {@code out} with children until it is full or the parents are used up. */
    private void expand(Batch<T> from, Batch<R> out) {
        while (out.size() < Batch.DEFAULT_CAPACITY) {
            if (children.hasNext()) {
                takeChildren(out);
            } else if (nextParent < from.size()) {
                parentTarget = from.target(nextParent);
                parentToken = from.token(nextParent);
                children = function.apply(from.get(nextParent++)).iterator();
                if (!children.hasNext()) {
                    parentTarget.ack(parentToken);
                }
            } else {
                parents = null;
                from.release();
                return;
            }
        }
    }

    private void takeChildren(Batch<R> out) {
        int room = Batch.DEFAULT_CAPACITY - out.size();
        int taken = 0;
        while (taken < room && children.hasNext()) {
            out.add(Objects.requireNonNull(children.next(), "a child of mapConcat is null"), parentTarget, parentToken);
            taken++;
        }
        // The claims must exist before anybody below sees the children; the parent's own one goes to the last child.
        int claims = children.hasNext() ? taken : taken - 1;
        if (claims > 0) {
            parentTarget.retain(parentToken, claims);
        }
    }

    @Override
    public void close() {
        upstream.close();
    }
}
