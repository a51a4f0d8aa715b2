package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.BlueprintNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Matches an element if its key is not among the remembered keys. Confined to the stage's thread. */
final class NewKeys<T> implements FilterStage.Remembering<T> {

    private final String operator;
    private final Function<? super T, ?> key;
    private final Memory memory;

    private interface Memory {

        /** Remembers a key. Returns whether it is new. */
        boolean isNew(Object key);

        void clear();
    }

    private NewKeys(String operator, Function<? super T, ?> key, Memory memory) {
        this.operator = operator;
        this.key = key;
        this.memory = memory;
    }

    static <T> BlueprintNode<T> dropRepeated(BlueprintNode<T> above, Function<? super T, ?> key) {
        return FilterStage.remembering("dropRepeated", above, () -> new NewKeys<>("dropRepeated", key, new LastKey()));
    }

    /** Keeps an element unless its key is one of the last {@code window} distinct keys. */
    static <T> BlueprintNode<T> deduplicate(BlueprintNode<T> above, Function<? super T, ?> key, int window) {
        if (window < 1) {
            throw new IllegalArgumentException("window must be at least 1 key: window=" + window);
        }
        return FilterStage.remembering(
                "deduplicate", above, () -> new NewKeys<>("deduplicate", key, new RecentKeys(window)));
    }

    @Override
    public boolean test(T element) {
        Object current = key.apply(element);
        if (current == null) {
            throw new NullPointerException("a key of " + operator + " is null");
        }
        return memory.isNew(current);
    }

    @Override
    public void restart() {
        memory.clear();
    }

    private static final class LastKey implements Memory {

        /** Null before the first element. */
        private @Nullable Object last;

        @Override
        public boolean isNew(Object current) {
            boolean repeated = current.equals(last);
            last = current;
            return !repeated;
        }

        @Override
        public void clear() {
            last = null;
        }
    }

    /** The most recent keys, ordered by their last occurrence, oldest first. */
    private static final class RecentKeys extends LinkedHashMap<Object, Boolean> implements Memory {

        private static final long serialVersionUID = 1L;

        private final int window;

        RecentKeys(int window) {
            super(16, 0.75f, /* accessOrder= */ true);
            this.window = window;
        }

        @Override
        public boolean isNew(Object current) {
            return put(current, Boolean.TRUE) == null;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > window;
        }
    }
}
