package dev.weir.stream.internal.junction;

import dev.weir.stream.Pair;
import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Pairs the elements of two inputs one by one. After one input has ended, a stand-in replaces its elements. Confined to
 * the stage's thread.
 */
final class ZipAllStage<A, B> implements Stage<Pair<A, B>> {

    private final PulledInput<A> left;
    private final PulledInput<B> right;
    private final Pair<A, B> standIns;
    private final StageMeter meter;

    private ZipAllStage(Stage<A> left, Stage<B> right, Pair<A, B> standIns, StageMeter meter) {
        this.left = new PulledInput<>(left);
        this.right = new PulledInput<>(right);
        this.standIns = standIns;
        this.meter = meter;
    }

    static <A, B> BlueprintNode<Pair<A, B>> node(BlueprintNode<A> left, BlueprintNode<B> right, Pair<A, B> standIns) {
        return new BlueprintNode<>("zipAll", (assembly, attributes) -> {
            Stage<A> first = left.build(assembly);
            Stage<B> second = assembly.input(() -> right.build(assembly));
            return new ZipAllStage<>(
                    first, second, standIns, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<Pair<A, B>> pull(long deadlineNanos) throws InterruptedException {
        boolean lefts = left.isReady(deadlineNanos);
        if (!lefts && !left.ended()) {
            return new Batch<>(0);
        }
        boolean rights = right.isReady(deadlineNanos);
        if (!rights && !right.ended()) {
            return new Batch<>(0);
        }
        if (!lefts && !rights) {
            return null;
        }
        long start = System.nanoTime();
        int pairs = lefts && rights ? Math.min(left.atHand(), right.atHand()) : left.atHand() + right.atHand();
        Batch<Pair<A, B>> out = new Batch<>(pairs);
        for (int i = 0; i < pairs; i++) {
            Pair<A, B> pair =
                    new Pair<>(lefts ? left.value() : standIns.first(), rights ? right.value() : standIns.second());
            JointAck.addPair(
                    out,
                    pair,
                    lefts ? left.target() : AckTarget.NONE,
                    lefts ? left.token() : 0,
                    rights ? right.target() : AckTarget.NONE,
                    rights ? right.token() : 0);
            if (lefts) {
                left.skip();
            }
            if (rights) {
                right.skip();
            }
        }
        meter.worked(lefts && rights ? 2 * pairs : pairs, pairs, start);
        return out;
    }

    @Override
    public void close() {
        PulledInput.closeBoth(left, right);
    }
}
