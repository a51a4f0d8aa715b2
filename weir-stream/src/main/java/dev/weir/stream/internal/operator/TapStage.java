package dev.weir.stream.internal.operator;

import dev.weir.stream.Action;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;

/** Calls an action with each element. Confined to the stage's thread. */
final class TapStage<T> extends InPlaceStage<T, T> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new TapLoop<>());

    private final BatchLoop<T, TapStage<T>> loop;
    private final Action<? super T> action;

    private TapStage(StageWiring<T> wiring, Action<? super T> action) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, action);
        this.action = action;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Action<? super T> action) {
        return StageWiring.node("tap", above, wiring -> new TapStage<>(wiring, action));
    }

    private T again(T element) throws Exception {
        action.accept(element);
        return element;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    private static final class TapLoop<T> implements BatchLoop<T, TapStage<T>> {

        @Override
        public int run(Batch<T> batch, TapStage<T> stage) throws InterruptedException {
            Action<? super T> action = stage.action;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                try {
                    action.accept(batch.get(i));
                } catch (Throwable thrown) {
                    Object outcome = stage.after(thrown, stage::again, batch, kept, i);
                    if (outcome instanceof FailureVerdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                }
                batch.move(i, kept++);
            }
            return kept;
        }
    }
}
