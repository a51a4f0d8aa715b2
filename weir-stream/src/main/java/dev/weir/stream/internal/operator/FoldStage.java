package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Combines all elements into one result, which is emitted at the end. Acknowledging the result acknowledges all
 * elements. Confined to the stage's thread.
 */
final class FoldStage<T, R> extends InPlaceStage<T, R> {

    private static final int EXPECTED_MEMBERS = 16;

    private final @Nullable R initial;
    private final BiFunction<? super @Nullable R, ? super T, ? extends R> function;

    private @Nullable R combined;
    private @Nullable JointAck acks;

    private FoldStage(
            StageWiring<T> wiring,
            @Nullable R initial,
            BiFunction<? super @Nullable R, ? super T, ? extends R> function) {
        super(wiring);
        this.initial = initial;
        this.combined = initial;
        this.function = function;
    }

    static <T, R> BlueprintNode<R> fold(
            BlueprintNode<T> above, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return StageWiring.node(
                "fold",
                above,
                wiring -> new FoldStage<T, R>(
                        wiring,
                        initial,
                        (combined, element) -> function.apply(Objects.requireNonNull(combined), element)));
    }

    static <T> BlueprintNode<T> reduce(BlueprintNode<T> above, BiFunction<? super T, ? super T, ? extends T> function) {
        return StageWiring.node(
                "reduce",
                above,
                wiring -> new FoldStage<T, T>(
                        wiring,
                        null,
                        (combined, element) -> combined == null ? element : function.apply(combined, element)));
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        for (int i = 0; i < size; i++) {
            try {
                combined = combine(batch.get(i));
            } catch (Throwable thrown) {
                if (after(thrown, element -> combined = combine(element), batch, 0, i)
                        instanceof FailureVerdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
            }
            if (batch.target(i) != AckTarget.NONE) {
                join(batch.target(i), batch.token(i));
            }
        }
        return 0;
    }

    private R combine(T element) {
        return Objects.requireNonNull(function.apply(combined, element), "fold made a null");
    }

    private void join(AckTarget target, long token) {
        if (acks == null) {
            acks = new JointAck(EXPECTED_MEMBERS);
        }
        acks.add(target, token);
    }

    @Override
    @Nullable
    Batch<R> last() {
        if (combined == null) {
            return null;
        }
        Batch<R> batch = new Batch<>(1);
        batch.add(combined, acks == null ? AckTarget.NONE : acks, 0);
        acks = null;
        return batch;
    }

    /** Discards the current result. Its elements count as dropped, so they are acknowledged. */
    @Override
    void restart() {
        combined = initial;
        if (acks != null) {
            acks.ack(0);
            acks = null;
        }
    }

    @Override
    public void close() {
        if (acks != null) {
            acks.abandon(0);
            acks = null;
        }
        super.close();
    }
}
