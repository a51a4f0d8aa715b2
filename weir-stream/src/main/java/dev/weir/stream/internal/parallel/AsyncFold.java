package dev.weir.stream.internal.parallel;

import dev.weir.stream.Attributes;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.internal.failure.SupervisionDecisions;
import dev.weir.stream.internal.operator.ElementStages;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageAttributes;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Combines the elements of one run with an asynchronous function. Confined to the stage's only worker. At the end, the
 * stage's lock makes the result visible to the downstream thread.
 */
final class AsyncFold<T, R> {

    private final R initial;
    private final AsyncCalls<T, R> calls;

    private R combined;

    private AsyncFold(
            String operator,
            R initial,
            BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        this.initial = initial;
        this.combined = initial;
        this.calls = new AsyncCalls<>(operator, element -> function.apply(combined, element), false);
    }

    static <T, R> BlueprintNode<R> scan(
            BlueprintNode<T> above,
            R initial,
            BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return new BlueprintNode<>("scanAsync", (assembly, attributes) -> {
            AsyncFold<T, R> fold = new AsyncFold<>("scanAsync", initial, function);
            return ElementStages.scan(fold.below(above, attributes), initial, (before, after) -> after)
                    .build(assembly);
        });
    }

    static <T, R> BlueprintNode<R> fold(
            BlueprintNode<T> above,
            R initial,
            BiFunction<? super R, ? super T, ? extends CompletionStage<? extends R>> function) {
        return new BlueprintNode<>("foldAsync", (assembly, attributes) -> {
            AsyncFold<T, R> fold = new AsyncFold<>("foldAsync", initial, function);
            BlueprintNode<R> holder =
                    ElementStages.fold(fold.below(above, attributes), initial, (before, after) -> after);
            // The holder stage keeps the acknowledgements. A restart does not reset its value, so emit this fold's
            // value.
            return ElementStages.map(holder, last -> fold.combined).build(assembly);
        });
    }

    /** Returns a node that emits, for each element, the combination of all elements so far. */
    private BlueprintNode<R> below(BlueprintNode<T> above, StageAttributes attributes) {
        return BlockingWorkers.<T, R>sequential(above, this::add).with(restartedBy(attributes));
    }

    private R add(T element) throws Exception {
        combined = Objects.requireNonNull(calls.callAndWait(element, () -> false));
        return combined;
    }

    /** Returns the attributes with a supervision that also resets the combined value on a restart. */
    private Attributes restartedBy(StageAttributes attributes) {
        Supervision given = attributes.supervision();
        Supervision restarting = Supervision.of(failure -> {
            Decision decision = SupervisionDecisions.elsewhere(given, failure);
            if (decision == Decision.RESTART) {
                combined = initial;
            }
            return decision;
        });
        RetryPolicy retries = given.retryPolicy();
        return attributes
                .handedOn()
                .withSupervision(retries == null ? restarting : Supervision.retry(retries, restarting));
    }
}
