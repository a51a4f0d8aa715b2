package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operators for failures and timeouts. Part of {@link Source}. */
abstract class FailureOperators<T> extends SubstreamOperators<T> {

    private static final String PASSES = "each goes with its element";
    private static final String PER_BATCH = "a few ns per batch";

    /**
     * Sets the supervision of the preceding operator. The supervision decides what happens to an element if the
     * operator's function throws for it. Without supervision, the stream fails. Shorthand for {@link Source#with} with
     * {@link Attributes#withSupervision}.
     *
     * {@snippet :
     * source.map(Integer::parseInt).supervised(Supervision.skip())
     * }
     */
    public Source<T> supervised(Supervision supervision) {
        return Source.at(node().with(Attributes.NONE.withSupervision(supervision)));
    }

    /**
     * Emits one last element in place of an upstream failure, and then completes. Elements that preceded the failure
     * are emitted first; elements still inside the failed stages stay unacknowledged. The last element carries no
     * acknowledgement. A cancellation is not treated as a failure.
     *
     * {@snippet :
     * source.map(Integer::parseInt).recover(failure -> -1)
     * }
     *
     * @param function returns the last element, or null to pass the failure on; if it throws, its exception replaces
     *     the failure
     */
    @Operator(acks = "the last element has none", cost = PER_BATCH)
    public Source<T> recover(Function<? super Throwable, ? extends @Nullable T> function) {
        return Source.at(FailureStages.recover(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Switches to another source when the current one fails, up to {@code attempts} times. The failed stages are closed
     * first; elements still inside them stay unacknowledged. The stream completes when the current source completes. A
     * stop ends the current source. A cancellation is not treated as a failure.
     *
     * {@snippet :
     * primary.recoverWith(1, failure -> failure instanceof IOException ? replica : null)
     * }
     *
     * @param attempts at least 1
     * @param replacement returns the new source, or null to pass the failure on; if it throws, its exception replaces
     *     the failure
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> recoverWith(int attempts, Function<? super Throwable, ? extends @Nullable Source<T>> replacement) {
        Objects.requireNonNull(replacement, "replacement");
        return Source.at(FailureStages.recoverWith(node(), attempts, failure -> {
            Source<T> other = replacement.apply(failure);
            return other == null ? null : other.node();
        }));
    }

    /**
     * Replaces the exception of an upstream failure. Elements, completion and cancellation pass through unchanged. If
     * the new exception is a checked one, the pipeline fails with a {@link java.util.concurrent.CompletionException}
     * whose cause is the new exception.
     *
     * {@snippet :
     * source.map(Integer::parseInt).mapError(failure -> new OrderRejected(failure))
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> mapError(Function<? super Throwable, ? extends Throwable> function) {
        return Source.at(FailureStages.mapError(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Completes the stream after any upstream failure, instead of failing it. See {@link #onErrorComplete(Predicate)}.
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> onErrorComplete() {
        return onErrorComplete(failure -> true);
    }

    /**
     * Completes the stream, instead of failing it, if {@code harmless} matches the upstream failure. Elements still
     * inside the failed stages stay unacknowledged. A cancellation is not treated as a failure.
     *
     * {@snippet :
     * source.map(Integer::parseInt).onErrorComplete(NumberFormatException.class::isInstance)
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> onErrorComplete(Predicate<? super Throwable> harmless) {
        return Source.at(FailureStages.onErrorComplete(node(), Objects.requireNonNull(harmless, "harmless")));
    }

    /**
     * Restarts all upstream stages, after a delay, if one of them fails. The pipeline keeps running. The failed stages
     * are closed first, including their threads and resources; the downstream stages notice only the pause.
     *
     * <p>Elements that left these stages before the failure are still processed downstream. Their acknowledgements go
     * to the closed stages, so a closed source must still accept acknowledgements. Elements still inside the stages at
     * the failure are never acknowledged. If a source tracks acknowledgements, its next run repeats all elements that
     * were not acknowledged in time. Delivery is therefore at least once, with duplicates of the elements that were in
     * flight. A source among the failed stages is closed without a drain.
     *
     * <p>The stream completes when the upstream stages complete. A stop ends these stages, or the delay before their
     * restart. If they fail after a stop, the stream fails. After the maximum number of restarts, the last failure is
     * passed on.
     *
     * {@snippet :
     * readings.map(this::decode)
     *         .restarted(RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1))))
     * }
     */
    @Operator(acks = "never for elements inside the failed stages", cost = PER_BATCH)
    public Source<T> restarted(RestartSettings settings) {
        return Source.at(FailureStages.restart(Objects.requireNonNull(settings, "settings"), this::node));
    }

    /**
     * Restarts the stages that {@code section} adds, after a delay, if one of them fails. The upstream stages keep
     * running on their own thread, with a buffer between them and the section. The failed section is closed first. The
     * new section receives all unfinished elements again, in order, followed by later elements.
     *
     * <p>An element is acknowledged only when all results of one attempt to process it are finished. Results that left
     * the section before the failure are still processed downstream, so the downstream stages may see them twice:
     * delivery is at least once. Elements are retained until they are finished, so the section must not modify them. An
     * element that fails on every attempt also fails the section on every attempt. To prevent this, skip such elements
     * with supervision inside the section, or limit the number of restarts.
     *
     * <p>If the section contains a source, the restart waits up to 30 seconds for the elements emitted by that source
     * to be finished downstream and committed.
     *
     * <p>The stream completes when the section completes. Two kinds of failures are passed on without a restart: an
     * upstream failure, and a failure of the section after a stop. After the maximum number of restarts, the last
     * failure is passed on.
     *
     * {@snippet :
     * orders.restarted(
     *         RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1))),
     *         section -> section.map(order -> session.send(order)))
     * }
     *
     * @param settings must not have {@link RestartSettings#alsoOnCompletion}, because the stream ends when the section
     *     completes
     */
    @Operator(
            acks = "when all its results are finished; after a failure, unfinished elements are repeated",
            cost = "a thread and a buffer; a copy per batch until it is finished")
    public <R> Source<R> restarted(RestartSettings settings, Function<? super Source<T>, Source<R>> section) {
        return Source.at(FailureStages.restart(
                node(),
                Objects.requireNonNull(settings, "settings"),
                branch(Objects.requireNonNull(section, "section"))));
    }

    /**
     * Fails with a {@link StreamTimeoutException} if no element arrives within {@code timeout} while the downstream
     * stage waits for one. Time during which the downstream stages are busy does not count. The upstream stages
     * must not block the thread; if they might, insert {@link #async} before this operator.
     *
     * {@snippet :
     * heartbeats.idleTimeout(Duration.ofSeconds(30))
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> idleTimeout(Duration timeout) {
        return Source.at(FailureStages.idleTimeout(node(), timeout));
    }

    /**
     * Fails with a {@link StreamTimeoutException} if the first element has not arrived within {@code timeout} of the
     * run's start. The upstream stages must not block the thread, as for {@link #idleTimeout}.
     *
     * {@snippet :
     * answers.initialTimeout(Duration.ofSeconds(5))
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> initialTimeout(Duration timeout) {
        return Source.at(FailureStages.initialTimeout(node(), timeout));
    }

    /**
     * Fails with a {@link StreamTimeoutException} if the upstream stages have not completed within {@code timeout} of
     * the run's start. They must not block the thread, as for {@link #idleTimeout}.
     *
     * {@snippet :
     * export.completionTimeout(Duration.ofHours(1))
     * }
     */
    @Operator(acks = PASSES, cost = "a clock reading per batch")
    public Source<T> completionTimeout(Duration timeout) {
        return Source.at(FailureStages.completionTimeout(node(), timeout));
    }

    /**
     * Fails the pipeline with a {@link StreamTimeoutException} if the downstream stages do not ask for more elements
     * within {@code timeout}. The time begins when they receive the previous elements. The downstream stages are
     * interrupted, because otherwise they would notice the failure only when they ask for more elements.
     * {@link #recover} does not see this failure.
     *
     * {@snippet :
     * orders.backpressureTimeout(Duration.ofMinutes(1)).mapBlocking(8, Ordering.input(), this::book)
     * }
     */
    @Operator(acks = PASSES, cost = "a clock reading per batch; an idle virtual thread")
    public Source<T> backpressureTimeout(Duration timeout) {
        return Source.at(FailureStages.backpressureTimeout(node(), timeout));
    }

    /**
     * Emits an element from {@code supplier} whenever no element has arrived for {@code interval} and the downstream
     * stage waits for one. The supplied element carries no acknowledgement. If the supplier throws, the stage's
     * supervision decides what happens. If it decides to skip, no element is emitted this time. The upstream stages
     * must not block the thread, as for {@link #idleTimeout}.
     *
     * {@snippet :
     * ticks.keepAlive(Duration.ofSeconds(1), () -> Tick.NOTHING)
     * }
     */
    @Operator(acks = "inserted elements have none", cost = "a clock reading per batch")
    public Source<T> keepAlive(Duration interval, Supplier<? extends T> supplier) {
        return Source.at(FailureStages.keepAlive(node(), interval, Objects.requireNonNull(supplier, "supplier")));
    }

    /**
     * Calls {@code onEnd} exactly once, on the stream's thread, when the upstream stages have ended. They may have
     * completed, failed, or been cancelled because no more elements are needed. Completion means that the last element
     * was handed downstream, not that it was acknowledged. If {@code onEnd} throws, the stream fails; if the stream had
     * already failed, the exception is added to that failure as a suppressed exception.
     *
     * {@snippet :
     * source.watch(end -> log.log(Level.INFO, "import ended: " + end))
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> watch(Action<? super StreamEnd> onEnd) {
        return Source.at(FailureStages.watch(node(), Objects.requireNonNull(onEnd, "onEnd")));
    }

    /**
     * Lets elements pass until the {@link KillSwitch} ends the stream. A batch that is being handed over at that moment
     * may still pass.
     *
     * {@snippet :
     * KillSwitch shop = new KillSwitch();
     * orders.via(shop).to(booking).run();
     * payments.via(shop).to(ledger).run();
     * shop.shutdown();
     * }
     */
    @Operator(acks = "never for elements that have not passed", cost = "a lock per batch")
    public Source<T> via(KillSwitch killSwitch) {
        return Source.at(FailureStages.killSwitch(node(), killSwitch.core()));
    }
}
