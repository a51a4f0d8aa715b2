package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Combines the elements of two inputs one by one. Ends with the shorter input, and forgoes the remaining elements of
 * the longer one. If the function fails, the preceding results are emitted first. Confined to the stage's thread.
 */
final class ZipStage<A, B, R> implements Stage<R> {

    private final PulledInput<A> left;
    private final PulledInput<B> right;
    private final BiFunction<? super A, ? super B, ? extends R> combine;
    private final SupervisedCall supervised;
    private final Clock clock;
    private final StageMeter meter;

    private @Nullable Throwable failure;

    private ZipStage(
            Stage<A> left,
            Stage<B> right,
            BiFunction<? super A, ? super B, ? extends R> combine,
            SupervisedCall supervised,
            Clock clock,
            StageMeter meter) {
        this.left = new PulledInput<>(left);
        this.right = new PulledInput<>(right);
        this.combine = combine;
        this.supervised = supervised;
        this.clock = clock;
        this.meter = meter;
    }

    static <A, B, R> BlueprintNode<R> node(
            String name,
            BlueprintNode<A> left,
            BlueprintNode<B> right,
            BiFunction<? super A, ? super B, ? extends R> combine) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<A> first = left.build(assembly);
            Stage<B> second = assembly.input(() -> right.build(assembly));
            return new ZipStage<>(
                    first,
                    second,
                    combine,
                    SupervisedCall.by(attributes, assembly.clock()),
                    assembly.clock(),
                    assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            if (!left.isReady(deadlineNanos)) {
                return left.ended() ? end(right) : new Batch<>(0);
            }
            if (!right.isReady(deadlineNanos)) {
                return right.ended() ? end(left) : new Batch<>(0);
            }
            long start = System.nanoTime();
            int pairs = Math.min(left.atHand(), right.atHand());
            Batch<R> out = new Batch<>(pairs);
            try {
                for (int i = 0; i < pairs; i++) {
                    pair(out);
                }
            } catch (InterruptedException interrupted) {
                // Abandon only the results: closing the stage abandons the available elements of the inputs.
                out.abandonAll();
                throw interrupted;
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
            meter.worked(2 * pairs, out.size(), start);
            if (!out.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return out;
            }
        }
        throw FailureTransfer.rethrow(failure);
    }

    private static <R> @Nullable Batch<R> end(PulledInput<?> longer) {
        longer.forgoRest();
        return null;
    }

    private void pair(Batch<R> out) throws InterruptedException {
        B other = right.value();
        Object result;
        try {
            result =
                    Objects.requireNonNull(combine.apply(left.value(), other), "the function of zipWith returned null");
        } catch (Throwable thrown) {
            result = supervised.after(thrown, value -> combine.apply(value, other), left.value());
        }
        if (result instanceof FailureVerdict verdict) {
            supervised.note(verdict, left.target(), left.token(), left.value());
            supervised.note(verdict, right.target(), right.token(), other);
            verdict.throwIfFails();
            verdict.settle(left.target(), left.token());
            verdict.settle(right.target(), right.token());
        } else {
            JointAck.addPair(out, result, left.target(), left.token(), right.target(), right.token());
        }
        left.skip();
        right.skip();
    }

    @Override
    public void close() {
        PulledInput.closeBoth(left, right);
    }
}
