package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps the elements for which a predicate returns {@code wanted}, and acknowledges the dropped elements. Confined to
 * the stage's thread.
 */
final class FilterStage<T> extends InPlaceStage<T, T> {

    private static final SpecialisedLoop<BatchLoop<?, ?>> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new FilterLoop<>());

    private final BatchLoop<T, FilterStage<T>> loop;
    private final Predicate<? super T> predicate;
    private final boolean wanted;

    private FilterStage(StageWiring<T> wiring, Predicate<? super T> predicate, boolean wanted) {
        super(wiring);
        this.loop = BatchLoop.of(LOOPS, predicate);
        this.predicate = predicate;
        this.wanted = wanted;
    }

    /** A stateful predicate. Confined to the stage of one run. */
    interface Remembering<T> extends Predicate<T> {

        void restart();
    }

    /** Drops elements until one does not match {@code predicate}. Keeps that element and all later ones. */
    static <T> BlueprintNode<T> dropWhile(BlueprintNode<T> above, Predicate<? super T> predicate) {
        return remembering("dropWhile", above, () -> new Beginning<>(predicate));
    }

    static <T> BlueprintNode<T> remembering(String name, BlueprintNode<T> above, Supplier<Remembering<T>> predicate) {
        return StageWiring.node(name, above, wiring -> new FilterStage<>(wiring, predicate.get(), true));
    }

    static <T> BlueprintNode<T> node(
            String name, BlueprintNode<T> above, Predicate<? super T> predicate, boolean wanted) {
        return StageWiring.node(name, above, wiring -> new FilterStage<>(wiring, predicate, wanted));
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    @Override
    void restart() {
        if (predicate instanceof Remembering<?> remembering) {
            remembering.restart();
        }
    }

    private static final class FilterLoop<T> implements BatchLoop<T, FilterStage<T>> {

        @Override
        public int run(Batch<T> batch, FilterStage<T> stage) throws InterruptedException {
            Predicate<? super T> predicate = stage.predicate;
            boolean wanted = stage.wanted;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                T element = batch.get(i);
                boolean answer;
                try {
                    answer = predicate.test(element);
                } catch (Throwable thrown) {
                    Object outcome = stage.after(thrown, predicate::test, batch, kept, i);
                    if (outcome instanceof FailureVerdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                    answer = (boolean) outcome;
                }
                if (answer == wanted) {
                    batch.move(i, kept++);
                } else {
                    batch.ack(i);
                }
            }
            return kept;
        }
    }

    private static final class Beginning<T> implements Remembering<T> {

        private final Predicate<? super T> predicate;

        private boolean dropping = true;

        Beginning(Predicate<? super T> predicate) {
            this.predicate = predicate;
        }

        @Override
        public boolean test(T element) {
            if (dropping) {
                dropping = predicate.test(element);
            }
            return !dropping;
        }

        @Override
        public void restart() {
            dropping = true;
        }
    }
}
