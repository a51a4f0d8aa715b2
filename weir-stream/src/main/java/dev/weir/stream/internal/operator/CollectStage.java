package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces each element, and drops elements that have no replacement. Confined to the stage's thread. */
final class CollectStage<T, R> extends InPlaceStage<T, R> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new CollectLoop<>());

    private final BatchLoop<T, CollectStage<T, R>> loop;
    private final Function<? super T, @Nullable R> function;

    private CollectStage(StageWiring<T> wiring, Function<? super T, @Nullable R> function) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, function);
        this.function = function;
    }

    static <T, R> BlueprintNode<R> node(BlueprintNode<T> above, Function<? super T, @Nullable R> function) {
        return StageWiring.node("collect", above, wiring -> new CollectStage<T, R>(wiring, function));
    }

    /** Calls the function for a retry. Returns {@code NOTHING} if the result is null. */
    private Object again(T element) {
        R result = function.apply(element);
        return result == null ? NOTHING : result;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    private static final class CollectLoop<T, R> implements BatchLoop<T, CollectStage<T, R>> {

        @Override
        public int run(Batch<T> batch, CollectStage<T, R> stage) throws InterruptedException {
            Function<? super T, @Nullable R> function = stage.function;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                @Nullable Object result;
                try {
                    result = function.apply(batch.get(i));
                } catch (Throwable thrown) {
                    result = stage.after(thrown, stage::again, batch, kept, i);
                    if (result instanceof FailureVerdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                }
                if (result == null || result == NOTHING) {
                    batch.ack(i);
                } else {
                    batch.set(i, result);
                    batch.move(i, kept++);
                }
            }
            return kept;
        }
    }
}
