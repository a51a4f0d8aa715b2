package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.function.Predicate;

/** Lets elements through until the first that a predicate refuses, with which it ends. */
final class TakeWhileStage<T> extends InPlaceStage<T, T> {

    private final Predicate<? super T> predicate;
    private final boolean inclusive;

    private TakeWhileStage(Wiring<T> wiring, Predicate<? super T> predicate, boolean inclusive) {
        super(wiring);
        this.predicate = predicate;
        this.inclusive = inclusive;
    }

    static <T> Node<T> node(Node<T> above, Predicate<? super T> predicate, boolean inclusive) {
        return Wiring.node("takeWhile", above, wiring -> new TakeWhileStage<>(wiring, predicate, inclusive));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            boolean goesOn;
            try {
                goesOn = predicate.test(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = after(thrown, predicate::test, batch, i);
                if (outcome instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
                goesOn = (boolean) outcome;
            }
            if (goesOn || inclusive) {
                batch.move(i, kept++);
            }
            if (!goesOn) {
                end();
                break;
            }
        }
        return kept;
    }
}
