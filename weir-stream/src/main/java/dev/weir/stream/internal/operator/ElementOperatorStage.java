package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.ElementOperator;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a user's operator. The elements emitted during one call share the acknowledgement of the call's input element.
 * Confined to the stage's thread.
 */
final class ElementOperatorStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Supplier<? extends ElementOperator<? super T, R>> operators;
    private final StageMeter meter;
    private final Clock clock;
    private final SupervisedCall supervised;
    private final HeldElements held;

    private @Nullable ElementOperator<? super T, R> operator;
    private @Nullable Throwable failure;
    private boolean ended;

    private ElementOperatorStage(StageWiring<T> wiring, Supplier<? extends ElementOperator<? super T, R>> operators) {
        this.upstream = wiring.upstream();
        this.operators = operators;
        this.meter = wiring.meter();
        this.clock = wiring.clock();
        this.supervised = wiring.supervised();
        this.held = new HeldElements(meter);
    }

    static <T, R> BlueprintNode<R> node(
            String name, BlueprintNode<T> above, Supplier<? extends ElementOperator<? super T, R>> operators) {
        return StageWiring.node(name, above, wiring -> new ElementOperatorStage<>(wiring, operators));
    }

    private ElementOperator<? super T, R> operator() {
        ElementOperator<? super T, R> current = operator;
        if (current == null) {
            current = Objects.requireNonNull(operators.get(), "an operator is null");
            operator = current;
        }
        return current;
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            if (failure != null) {
                throw FailureTransfer.rethrowFromAbove(failure);
            }
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                ended = true;
                return last();
            }
            if (batch.isEmpty()) {
                return batch.retyped();
            }
            long start = System.nanoTime();
            held.begin(batch, false, start);
            Batch<R> out = new Batch<>(batch.size());
            work(batch, out);
            held.end();
            meter.worked(batch.size(), out.size(), start);
            if (failure == null) {
                batch.release();
            }
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
        }
        return null;
    }

    private void work(Batch<T> batch, Batch<R> out) {
        for (int i = 0; i < batch.size(); i++) {
            AckTarget target = batch.target(i);
            long token = batch.token(i);
            int before = out.size();
            try {
                operator().onElement(batch.get(i), element -> add(out, element, target, token));
            } catch (Throwable thrown) {
                out.truncate(before);
                FailureVerdict verdict = supervised.decide(thrown);
                if (verdict.fails()) {
                    supervised.note(verdict, batch, i);
                    failure = verdict.failure();
                    batch.abandonFrom(i);
                    return;
                }
                verdict.settle(target, token);
                if (verdict.restarts() && !isClosed()) {
                    batch.abandonFrom(i + 1);
                    return;
                }
                continue;
            }
            int emitted = out.size() - before;
            if (emitted == 0) {
                target.ack(token);
            } else if (emitted > 1) {
                target.retain(token, emitted - 1);
            }
        }
    }

    private static <R> void add(Batch<R> out, R element, AckTarget target, long token) {
        out.add(Objects.requireNonNull(element, "an operator emitted null"), target, token);
    }

    private @Nullable Batch<R> last() {
        long start = System.nanoTime();
        Batch<R> out = new Batch<>(0);
        try {
            operator().onEnd(element -> add(out, element, AckTarget.NONE, 0));
        } catch (Throwable thrown) {
            throw FailureTransfer.rethrow(thrown);
        }
        meter.worked(0, out.size(), start);
        return out.isEmpty() ? null : out;
    }

    /**
     * Closes the operator and returns true. If closing fails, returns false, and the stream fails after the emitted
     * elements.
     */
    private boolean isClosed() {
        try {
            closeOperator();
            return true;
        } catch (Throwable thrown) {
            failure = thrown;
            return false;
        }
    }

    private void closeOperator() {
        ElementOperator<? super T, R> closing = operator;
        if (closing != null) {
            operator = null;
            closing.close();
        }
    }

    @Override
    public void close() {
        held.end();
        try {
            closeOperator();
        } finally {
            upstream.close();
        }
    }
}
