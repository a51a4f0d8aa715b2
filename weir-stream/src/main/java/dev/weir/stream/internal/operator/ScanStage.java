package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Emits an initial value, and for each element the combination of all elements so far. Confined to the stage's thread.
 */
final class ScanStage<T, R> extends InPlaceStage<T, R> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new ScanLoop<>());

    private final BatchLoop<T, ScanStage<T, R>> loop;
    private final R initial;
    private final BiFunction<? super R, ? super T, ? extends R> function;

    private boolean begun;
    private R combined;

    private ScanStage(StageWiring<T> wiring, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, function);
        this.initial = initial;
        this.combined = initial;
        this.function = function;
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return StageWiring.node("scan", above, wiring -> new ScanStage<>(wiring, initial, function));
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        if (begun) {
            return super.pull(deadlineNanos);
        }
        begun = true;
        Batch<R> first = new Batch<>(1);
        first.add(initial);
        return first;
    }

    private Object again(T element) {
        combined = Objects.requireNonNull(function.apply(combined, element), "scan made a null");
        return combined;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    @Override
    void restart() {
        combined = initial;
    }

    private static final class ScanLoop<T, R> implements BatchLoop<T, ScanStage<T, R>> {

        @Override
        public int run(Batch<T> batch, ScanStage<T, R> stage) throws InterruptedException {
            BiFunction<? super R, ? super T, ? extends R> function = stage.function;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                try {
                    stage.combined =
                            Objects.requireNonNull(function.apply(stage.combined, batch.get(i)), "scan made a null");
                } catch (Throwable thrown) {
                    Object outcome = stage.after(thrown, stage::again, batch, kept, i);
                    if (outcome instanceof FailureVerdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                }
                batch.set(i, stage.combined);
                batch.move(i, kept++);
            }
            return kept;
        }
    }
}
