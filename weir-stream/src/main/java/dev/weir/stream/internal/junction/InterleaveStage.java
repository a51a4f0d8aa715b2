package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Takes a fixed number of elements from each of its two inputs in turn. After one input has ended, emits the remaining
 * elements of the other input. Confined to the stage's thread.
 */
final class InterleaveStage<T> implements Stage<T> {

    private final PulledInput<T> left;
    private final PulledInput<T> right;
    private final int segmentSize;
    private final StageMeter meter;

    private PulledInput<T> current;
    private int takenOfSegment;

    private InterleaveStage(Stage<T> left, Stage<T> right, int segmentSize, StageMeter meter) {
        this.left = new PulledInput<>(left);
        this.right = new PulledInput<>(right);
        this.segmentSize = segmentSize;
        this.meter = meter;
        this.current = this.left;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> left, BlueprintNode<T> right, int segmentSize) {
        if (segmentSize < 1) {
            throw new IllegalArgumentException("segmentSize must be at least 1: segmentSize=" + segmentSize);
        }
        return new BlueprintNode<>("interleave", (assembly, attributes) -> {
            Stage<T> first = left.build(assembly);
            Stage<T> second = assembly.input(() -> right.build(assembly));
            return new InterleaveStage<>(
                    first, second, segmentSize, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (!current.isReady(deadlineNanos)) {
            if (!current.ended()) {
                return new Batch<>(0);
            }
            PulledInput<T> other = current == left ? right : left;
            if (other.ended() && !other.isAtHand()) {
                return null;
            }
            change();
        }
        PulledInput<T> other = current == left ? right : left;
        if (other.ended() && !other.isAtHand()) {
            Batch<T> rest = current.takeAll();
            meter.in(rest.size());
            meter.out(rest.size());
            return rest;
        }
        long start = System.nanoTime();
        Batch<T> out = new Batch<>(left.atHand() + right.atHand());
        // Return when the current input has no available elements. A pull here could delay the elements in `out`.
        while (current.isAtHand()) {
            current.moveTo(out);
            if (++takenOfSegment == segmentSize) {
                change();
            }
        }
        meter.worked(out.size(), out.size(), start);
        return out;
    }

    private void change() {
        current = current == left ? right : left;
        takenOfSegment = 0;
    }

    @Override
    public void close() {
        PulledInput.closeBoth(left, right);
    }
}
