package dev.weir.stream.internal.run;

import dev.weir.stream.ResultKey;
import dev.weir.stream.RunningPipeline;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The result of one sink in one run. The sink's key identifies the result. Thread-safe.
 *
 * @param future completed by the sink when it is done
 */
public record KeyedResult<R>(ResultKey<R> key, CompletableFuture<R> future) {

    /** The results of one run. A result is kept as long as its key is reachable. Thread-safe. */
    static final class OfRun {

        private final ReentrantLock lock = new ReentrantLock();

        // Guarded by the lock.
        private final Map<ResultKey<?>, Occurrences> ofKeys = new WeakHashMap<>();

        /** The number of results with one key, and the first of them. A sink may be used more than once. */
        private record Occurrences(int count, CompletableFuture<?> first) {}

        /** The keys whose results end with the run. One registration is enough, however often a result is read. */
        private final Set<ResultKey<?>> ending = Collections.newSetFromMap(new WeakHashMap<>());

        void add(KeyedResult<?> result) {
            lock.lock();
            try {
                var ignored = ofKeys.merge(
                        result.key,
                        new Occurrences(1, result.future),
                        (before, added) -> new Occurrences(before.count + 1, before.first));
            } finally {
                lock.unlock();
            }
        }

        private @Nullable Occurrences occurrences(ResultKey<?> key) {
            lock.lock();
            try {
                return ofKeys.get(key);
            } finally {
                lock.unlock();
            }
        }

        private boolean isFirstRead(ResultKey<?> key) {
            lock.lock();
            try {
                return ending.add(key);
            } finally {
                lock.unlock();
            }
        }

        /** See {@link RunningPipeline#result}. Callers must hand out a copy, because users may complete a future. */
        @SuppressWarnings("unchecked") // the sink that exposed the result is the key, so the types match
        <R> CompletableFuture<R> of(RunningPipeline running, ResultKey<R> key) {
            Occurrences found = occurrences(key);
            if (found == null || found.count != 1) {
                throw new IllegalArgumentException("the sink " + key + " occurs " + (found == null ? 0 : found.count)
                        + " times in pipeline " + running.name());
            }
            CompletableFuture<R> result = (CompletableFuture<R>) found.first;
            if (!running.hasEnded() && !isFirstRead(key)) {
                return result;
            }
            // If the run has ended, fail the result now: an earlier handler may be queued behind an action that waits
            // for the result.
            var ignored = running.completion().handle((report, failure) -> {
                // No effect on a result that the sink has already produced.
                return result.completeExceptionally(
                        failure != null
                                ? failure
                                : new CancellationException("the sink was cut off before its result"));
            });
            return result;
        }
    }
}
