package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Predicate;

/** Passes elements on until one does not match a predicate, then ends. Confined to the stage's thread. */
final class TakeWhileStage<T> extends InPlaceStage<T, T> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new TakeWhileLoop<>());

    private final BatchLoop<T, TakeWhileStage<T>> loop;
    private final Predicate<? super T> predicate;
    private final boolean inclusive;

    private TakeWhileStage(StageWiring<T> wiring, Predicate<? super T> predicate, boolean inclusive) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, predicate);
        this.predicate = predicate;
        this.inclusive = inclusive;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, Predicate<? super T> predicate, boolean inclusive) {
        return StageWiring.node("takeWhile", above, wiring -> new TakeWhileStage<>(wiring, predicate, inclusive));
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    private static final class TakeWhileLoop<T> implements BatchLoop<T, TakeWhileStage<T>> {

        @Override
        public int run(Batch<T> batch, TakeWhileStage<T> stage) throws InterruptedException {
            Predicate<? super T> predicate = stage.predicate;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                boolean goesOn;
                try {
                    goesOn = predicate.test(batch.get(i));
                } catch (Throwable thrown) {
                    Object outcome = stage.after(thrown, predicate::test, batch, kept, i);
                    if (outcome instanceof FailureVerdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                    goesOn = (boolean) outcome;
                }
                if (!goesOn) {
                    // End the stream before moving this element: `end` forgoes the later elements by their indexes.
                    stage.end(batch, stage.inclusive ? i + 1 : i);
                }
                if (goesOn || stage.inclusive) {
                    batch.move(i, kept++);
                }
                if (!goesOn) {
                    break;
                }
            }
            return kept;
        }
    }
}
