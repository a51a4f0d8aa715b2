package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps the elements that a predicate accepts, or those that it refuses, and acknowledges the others. Confined to the
 * thread of its segment.
 */
final class FilterStage<T> extends InPlaceStage<T, T> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new FilterLoop<>());

    private final Loop<T, FilterStage<T>> loop;
    private final Predicate<? super T> predicate;
    private final boolean wanted;

    private FilterStage(Wiring<T> wiring, Predicate<? super T> predicate, boolean wanted) {
        super(wiring);
        this.loop = Loop.of(LOOPS, predicate);
        this.predicate = predicate;
        this.wanted = wanted;
    }

    /** A predicate that remembers elements. Confined to the stage of one run. */
    interface Remembering<T> extends Predicate<T> {

        /** Forgets what earlier elements left behind. */
        void restart();
    }

    /** Drops elements until the first that a predicate refuses, and keeps that and the others. */
    static <T> Node<T> dropWhile(Node<T> above, Predicate<? super T> predicate) {
        return remembering("dropWhile", above, () -> new Beginning<>(predicate));
    }

    /** Keeps the elements that a predicate accepts which is made for each run. */
    static <T> Node<T> remembering(String name, Node<T> above, Supplier<Remembering<T>> predicate) {
        return Wiring.node(name, above, wiring -> new FilterStage<>(wiring, predicate.get(), true));
    }

    /** Keeps the elements for which {@code predicate} says {@code wanted}. */
    static <T> Node<T> node(String name, Node<T> above, Predicate<? super T> predicate, boolean wanted) {
        return Wiring.node(name, above, wiring -> new FilterStage<>(wiring, predicate, wanted));
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

    /** Asks the predicate about each element. */
    private static final class FilterLoop<T> implements Loop<T, FilterStage<T>> {

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
                    if (outcome instanceof Verdict verdict) {
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
