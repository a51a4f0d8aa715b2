package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Emits a start, and for each element what it and all before it were combined to. */
final class ScanStage<T, R> extends InPlaceStage<T, R> {

    private final R initial;
    private final BiFunction<? super R, ? super T, ? extends R> function;

    private boolean begun;
    private R combined;

    private ScanStage(Wiring<T> wiring, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        super(wiring);
        this.initial = initial;
        this.combined = initial;
        this.function = function;
    }

    static <T, R> Node<R> node(Node<T> above, R initial, BiFunction<? super R, ? super T, ? extends R> function) {
        return Wiring.node("scan", above, wiring -> new ScanStage<>(wiring, initial, function));
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

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            try {
                combined = combine(batch.get(i));
            } catch (Throwable thrown) {
                if (after(thrown, element -> combined = combine(element), batch, i) instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
            }
            batch.set(i, combined);
            batch.move(i, kept++);
        }
        return kept;
    }

    private R combine(T element) {
        return Objects.requireNonNull(function.apply(combined, element), "scan made a null");
    }

    @Override
    void restart() {
        combined = initial;
    }
}
