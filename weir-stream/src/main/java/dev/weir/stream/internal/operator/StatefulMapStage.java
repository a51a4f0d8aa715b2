package dev.weir.stream.internal.operator;

import dev.weir.stream.Action;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element using user-defined state, which the stage creates and closes. Confined to the stage's thread.
 */
final class StatefulMapStage<S, T, R> extends InPlaceStage<T, R> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new StatefulMapLoop<>());

    private final BatchLoop<T, StatefulMapStage<S, T, R>> loop;
    /**
     * The user's functions.
     *
     * @param create creates a state
     * @param apply returns the element to emit, or null to emit none; may modify the state
     * @param onComplete returns the last element to emit
     * @param close releases the state
     */
    record Functions<S, T, R>(
            Supplier<? extends S> create,
            BiFunction<? super S, ? super T, @Nullable R> apply,
            Function<? super S, Optional<R>> onComplete,
            Action<? super S> close) {}

    private final Functions<S, T, R> functions;

    private @Nullable S state;

    private StatefulMapStage(StageWiring<T> wiring, Functions<S, T, R> functions) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, functions.apply);
        this.functions = functions;
    }

    static <S, T, R> BlueprintNode<R> node(BlueprintNode<T> above, Functions<S, T, R> functions) {
        return StageWiring.node("statefulMap", above, wiring -> new StatefulMapStage<>(wiring, functions));
    }

    private S state() {
        S current = state;
        if (current == null) {
            current = Objects.requireNonNull(functions.create.get(), "create of statefulMap returned null");
            state = current;
        }
        return current;
    }

    /** Calls the function for a retry. Returns {@code NOTHING} if the result is null. */
    private Object again(T element) {
        R result = functions.apply.apply(state(), element);
        return result == null ? NOTHING : result;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    @Override
    @Nullable
    Batch<R> last() {
        Optional<R> last =
                Objects.requireNonNull(functions.onComplete.apply(state()), "onComplete of statefulMap returned null");
        closeState();
        if (last.isEmpty()) {
            return null;
        }
        Batch<R> batch = new Batch<>(1);
        batch.add(last.get());
        return batch;
    }

    @Override
    void restart() {
        closeState();
    }

    private void closeState() {
        S closing = state;
        if (closing != null) {
            state = null;
            FailureTransfer.call(functions.close, closing);
        }
    }

    @Override
    public void close() {
        try {
            closeState();
        } finally {
            super.close();
        }
    }

    private static final class StatefulMapLoop<S, T, R> implements BatchLoop<T, StatefulMapStage<S, T, R>> {

        @Override
        public int run(Batch<T> batch, StatefulMapStage<S, T, R> stage) throws InterruptedException {
            BiFunction<? super S, ? super T, @Nullable R> function = stage.functions.apply;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                @Nullable Object result;
                try {
                    result = function.apply(stage.state(), batch.get(i));
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
