package dev.weir.stream.internal.run;

import dev.weir.stream.ResultKey;
import dev.weir.stream.RunningPipeline;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * The result of one sink in one run. The sink exposes this object, and is itself the key that identifies the result.
 * Thread-safe.
 *
 * @param future completed by the sink when it is done
 */
public record KeyedResult<R>(ResultKey<R> key, CompletableFuture<R> future) {

    /** See {@link RunningPipeline#result}. Callers must hand out a copy, because users may complete a future. */
    @SuppressWarnings("unchecked") // the sink that exposed the result is the key, so the types match
    static <R> CompletableFuture<R> of(RunningPipeline running, ResultKey<R> key) {
        List<CompletableFuture<R>> results = running.handles(KeyedResult.class).stream()
                .filter(result -> result.key == key)
                .map(result -> ((KeyedResult<R>) result).future)
                .toList();
        if (results.size() != 1) {
            throw new IllegalArgumentException(
                    "the sink " + key + " occurs " + results.size() + " times in pipeline " + running.name());
        }
        CompletableFuture<R> result = results.getFirst();
        var ignored = running.completion().handle((report, failure) -> {
            // Has no effect if the sink has already produced a result.
            return result.completeExceptionally(
                    failure != null ? failure : new CancellationException("the sink was cut off before its result"));
        });
        return result;
    }
}
