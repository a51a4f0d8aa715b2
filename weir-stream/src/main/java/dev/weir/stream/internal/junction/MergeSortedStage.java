package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.FailedElement;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Merges two sorted inputs into one sorted stream. Equal elements of the first input come first. If the comparator
 * fails, the merged elements are emitted first. Confined to the stage's thread.
 */
final class MergeSortedStage<T> implements Stage<T> {

    private final PulledInput<T> left;
    private final PulledInput<T> right;
    private final Comparator<? super T> order;
    private final String stage;
    private final StageMeter meter;

    private @Nullable Throwable failure;

    private MergeSortedStage(
            Stage<T> left, Stage<T> right, Comparator<? super T> order, String stage, StageMeter meter) {
        this.left = new PulledInput<>(left);
        this.right = new PulledInput<>(right);
        this.order = order;
        this.stage = stage;
        this.meter = meter;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> left, BlueprintNode<T> right, Comparator<? super T> order) {
        return new BlueprintNode<>("mergeSorted", (assembly, attributes) -> {
            Stage<T> first = left.build(assembly);
            Stage<T> second = assembly.input(() -> right.build(assembly));
            return new MergeSortedStage<>(
                    first,
                    second,
                    order,
                    attributes.name(),
                    assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
        boolean leftReady = left.isReady(deadlineNanos);
        if (!leftReady && !left.ended()) {
            return new Batch<>(0);
        }
        boolean rightReady = right.isReady(deadlineNanos);
        if (!rightReady && !right.ended()) {
            return new Batch<>(0);
        }
        if (!leftReady || !rightReady) {
            PulledInput<T> rest = leftReady ? left : right;
            if (!rest.isAtHand()) {
                return null;
            }
            Batch<T> batch = rest.takeAll();
            meter.in(batch.size());
            meter.out(batch.size());
            return batch;
        }
        long start = System.nanoTime();
        Batch<T> out = new Batch<>(left.atHand() + right.atHand());
        try {
            while (left.isAtHand() && right.isAtHand()) {
                smaller().moveTo(out);
            }
        } catch (RuntimeException | Error thrown) {
            if (out.isEmpty()) {
                throw thrown;
            }
            failure = thrown;
        }
        meter.worked(out.size(), out.size(), start);
        return out;
    }

    private PulledInput<T> smaller() {
        try {
            return order.compare(left.value(), right.value()) <= 0 ? left : right;
        } catch (Throwable thrown) {
            FailedElement.note(thrown, stage, left.target(), left.token(), left.value());
            FailedElement.note(thrown, stage, right.target(), right.token(), right.value());
            throw thrown;
        }
    }

    @Override
    public void close() {
        PulledInput.closeBoth(left, right);
    }
}
