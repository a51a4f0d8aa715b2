package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces each element, and drops those that have no replacement. Confined to the thread of its segment. */
final class CollectStage<T, R> extends InPlaceStage<T, R> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new CollectLoop<>());

    private final Loop<T, CollectStage<T, R>> loop;
    private final Function<? super T, @Nullable R> function;

    private CollectStage(Wiring<T> wiring, Function<? super T, @Nullable R> function) {
        super(wiring);
        this.loop = Loop.of(LOOPS, function);
        this.function = function;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, @Nullable R> function) {
        return Wiring.node("collect", above, wiring -> new CollectStage<T, R>(wiring, function));
    }

    /** The call for another time, in which a null means nothing as well. */
    private Object again(T element) {
        R result = function.apply(element);
        return result == null ? NOTHING : result;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    /** Calls the function for each element. */
    private static final class CollectLoop<T, R> implements Loop<T, CollectStage<T, R>> {

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
                    if (result instanceof Verdict verdict) {
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
