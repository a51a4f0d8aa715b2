package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.boundary.BatchExchange;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates elements while the downstream stage is busy, up to a weight ({@code batch}) or without limit
 * ({@code conflate}). All methods, and the user's functions, are called while holding the exchange's lock.
 *
 * <p>An upstream batch is always accepted completely. An aggregate is queued when it reaches the maximum weight or has
 * no room for the next element. The next batch is accepted after the queued aggregates have been taken.
 */
final class AggregationBuffer<T, A> extends BatchExchange<T, A> {

    /** The arguments of an aggregation. If {@code weigher} is null, each element weighs 1. */
    record Plan<T, A>(
            long maxWeight,
            @Nullable ToLongFunction<? super T> weigher,
            Function<? super T, ? extends A> seed,
            BiFunction<? super A, ? super T, ? extends A> aggregate) {}

    private final Plan<T, A> plan;
    private final SupervisedCall supervised;

    // Guarded by the exchange's lock.
    private Batch<A> full = new Batch<>(8);
    private @Nullable A open;
    private JointAck acks = new JointAck(8);
    private long weight;
    private int openElements;
    private int elements;

    AggregationBuffer(Plan<T, A> plan, SupervisedCall supervised, Clock clock) {
        super(clock);
        this.plan = plan;
        this.supervised = supervised;
    }

    static <T, A> BlueprintNode<A> node(String name, BlueprintNode<T> above, Plan<T, A> plan) {
        return AsyncBoundary.node(
                Attributes.named(name),
                above,
                (attributes, clock) -> new AggregationBuffer<>(plan, SupervisedCall.by(attributes, clock), clock));
    }

    @Override
    protected boolean hasRoom() {
        return full.isEmpty();
    }

    @Override
    protected void takeIn(Batch<T> batch) {
        int next = 0;
        try {
            for (; next < batch.size(); next++) {
                addOrDrop(batch, next);
            }
        } catch (RuntimeException | Error failure) {
            batch.removeFirst(next);
            throw failure;
        }
    }

    private void addOrDrop(Batch<T> batch, int index) {
        try {
            add(batch, index);
        } catch (Throwable failure) {
            // No retry: it could repeat a change of the aggregate, and would block the threads that wait for the lock.
            FailureVerdict verdict = supervised.decide(failure);
            supervised.note(verdict, batch, index);
            verdict.throwIfFails();
            verdict.settle(batch.target(index), batch.token(index));
            if (verdict.restarts()) {
                acks.asTarget().ack(0);
                elements -= openElements;
                begin();
            }
        }
    }

    private void add(Batch<T> batch, int index) {
        T element = batch.get(index);
        long own = plan.weigher == null ? 1 : plan.weigher.applyAsLong(element);
        if (own < 0) {
            throw new IllegalArgumentException("a weight must not be negative: " + own);
        }
        if (open != null && own > plan.maxWeight - weight) {
            close();
        }
        open = Objects.requireNonNull(
                open == null ? plan.seed.apply(element) : plan.aggregate.apply(open, element), "an aggregate is null");
        acks.add(batch.target(index), batch.token(index));
        weight += own;
        openElements++;
        elements++;
        if (weight >= plan.maxWeight) {
            close();
        }
    }

    private void close() {
        full.add(Objects.requireNonNull(open), acks.asTarget(), 0);
        begin();
    }

    private void begin() {
        open = null;
        acks = new JointAck(8);
        weight = 0;
        openElements = 0;
    }

    @Override
    protected boolean hasOutput() {
        return open != null || !full.isEmpty();
    }

    @Override
    protected Batch<A> handOut() {
        if (open != null) {
            close();
        }
        Batch<A> out = full;
        full = new Batch<>(8);
        elements = 0;
        return out;
    }

    @Override
    protected List<Batch<?>> removeAll() {
        return List.of(handOut());
    }

    @Override
    protected int size() {
        return elements;
    }
}
