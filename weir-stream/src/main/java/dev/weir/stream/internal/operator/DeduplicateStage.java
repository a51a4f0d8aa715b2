package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Drops each element whose key is among the keys seen last. */
final class DeduplicateStage<T> extends InPlaceStage<T, T> {

    private final Function<? super T, ?> key;
    private final RecentKeys seen;

    private DeduplicateStage(Wiring<T> wiring, Function<? super T, ?> key, int window) {
        super(wiring);
        this.key = key;
        this.seen = new RecentKeys(window);
    }

    static <T> Node<T> node(Node<T> above, Function<? super T, ?> key, int window) {
        if (window < 1) {
            throw new IllegalArgumentException("window must be at least 1 key: window=" + window);
        }
        return Wiring.node("deduplicate", above, wiring -> new DeduplicateStage<>(wiring, key, window));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            boolean isNew;
            try {
                isNew = isNew(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = after(thrown, this::isNew, batch, kept, i);
                if (outcome instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
                isNew = (boolean) outcome;
            }
            if (isNew) {
                batch.move(i, kept++);
            } else {
                batch.ack(i);
            }
        }
        return kept;
    }

    private boolean isNew(T element) {
        Object current = Objects.requireNonNull(key.apply(element), "a key of deduplicate is null");
        return seen.put(current, Boolean.TRUE) == null;
    }

    @Override
    void restart() {
        seen.clear();
    }

    /** The keys that came last, the one that has not come for longest first. */
    private static final class RecentKeys extends LinkedHashMap<Object, Boolean> {

        private static final long serialVersionUID = 1L;

        private final int window;

        RecentKeys(int window) {
            super(16, 0.75f, /* accessOrder= */ true);
            this.window = window;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > window;
        }
    }
}
