package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.function.Predicate;

/** Drops elements until the first that a predicate refuses, and lets that and the others through. */
final class DropWhileStage<T> extends InPlaceStage<T, T> {

    private final Predicate<? super T> predicate;

    private boolean dropping = true;

    private DropWhileStage(Wiring<T> wiring, Predicate<? super T> predicate) {
        super(wiring);
        this.predicate = predicate;
    }

    static <T> Node<T> node(Node<T> above, Predicate<? super T> predicate) {
        return Wiring.node("dropWhile", above, wiring -> new DropWhileStage<>(wiring, predicate));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (dropping) {
                try {
                    dropping = predicate.test(batch.get(i));
                } catch (Throwable thrown) {
                    Object outcome = after(thrown, predicate::test, batch, kept, i);
                    if (outcome instanceof Verdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                    dropping = (boolean) outcome;
                }
            }
            if (dropping) {
                batch.ack(i);
            } else {
                batch.move(i, kept++);
            }
        }
        return kept;
    }

    @Override
    void restart() {
        dropping = true;
    }
}
