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

    private static final String PASSES = "stays beside its element";
    private static final String PER_BATCH = "a few ns per batch";

    /**
     * Sets the supervision of the operator above. It decides about an element for which the operator's function throws;
     * without it, the stream fails. Short for {@link Source#with} and {@link Attributes#withSupervision}.
     *
     * {@snippet :
     * source.map(Integer::parseInt).supervised(Supervision.skip())
     * }
     */
    public Source<T> supervised(Supervision supervision) {
        return Source.at(node().with(Attributes.NONE.withSupervision(supervision)));
    }

    /**
     * Emits one last element in place of a failure from above, and completes. Elements before the failure pass first;
     * those lost with it stay unacknowledged. Nobody waits for the acknowledgement of the last element. A cancellation
     * is not a failure.
     *
     * {@snippet :
     * source.map(Integer::parseInt).recover(failure -> -1)
     * }
     *
     * @param function returns the last element, or null to pass the failure on; its own exception replaces the failure
     */
    @Operator(acks = PASSES + "; none for the last element", cost = PER_BATCH)
    public Source<T> recover(Function<? super Throwable, ? extends @Nullable T> function) {
        return Source.at(FailureStages.recover(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Continues with another source when the one above fails, up to {@code attempts} times. The failed stages are
     * closed first; elements lost with them stay unacknowledged. Completes when the source that is running does; a stop
     * ends the running source, and a cancellation is not a failure.
     *
     * {@snippet :
     * primary.recoverWith(1, failure -> failure instanceof IOException ? replica : null)
     * }
     *
     * @param attempts at least 1
     * @param replacement returns the source, or null to pass the failure on; its own exception replaces the failure
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
     * Replaces the exception of a failure from above. Elements, completion and cancellation pass unchanged. A checked
     * exception reaches the pipeline's end as the cause of a {@link java.util.concurrent.CompletionException}.
     *
     * {@snippet :
     * source.map(Integer::parseInt).mapError(failure -> new OrderRejected(failure))
     * }
     */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> mapError(Function<? super Throwable, ? extends Throwable> function) {
        return Source.at(FailureStages.mapError(node(), Objects.requireNonNull(function, "function")));
    }

    /** {@link #onErrorComplete(Predicate)} for every failure. */
    @Operator(acks = PASSES, cost = PER_BATCH)
    public Source<T> onErrorComplete() {
        return onErrorComplete(failure -> true);
    }

    /**
     * Completes instead of failing when {@code harmless} accepts the failure from above. Elements lost with it stay
     * unacknowledged. A cancellation is not a failure.
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
     * Rebuilds everything above after a failure and a wait, within the same pipeline. The failed section is closed
     * first, with its threads and resources; the stages below notice only the pause.
     *
     * <p>Acknowledgements: elements that had left the section continue and are acknowledged to the run of the section
     * that emitted them, which must tolerate that after its close. Elements inside the section when it failed are never
     * acknowledged. A source that tracks acknowledgements emits again all elements that were not acknowledged in time:
     * at least once, with duplicates of the elements that were in flight. Sources that expect a drain before their
     * close do not get one.
     *
     * <p>Completes when the section does. A stop ends the section, or the wait before its restart; a section that fails
     * after a stop fails the stream. After too many restarts the last failure passes on.
     *
     * {@snippet :
     * readings.map(this::decode)
     *         .restarted(RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1))))
     * }
     */
    @Operator(acks = PASSES + "; what is inside a failed section is never acknowledged", cost = PER_BATCH)
    public Source<T> restarted(RestartSettings settings) {
        return Source.at(FailureStages.restart(Objects.requireNonNull(settings, "settings"), this::node));
    }

    /**
     * Rebuilds a section of the stream after a failure and a wait, while the stages above keep running on a thread of
     * their own behind a buffer. The failed section is closed first. The new one gets all unfinished elements of the
     * failed one again, in order, and then the elements that follow.
     *
     * <p>Acknowledgements: an element is acknowledged only when all results of one attempt at it are finished. Results
     * that had left the section before the failure continue, so the stages below may see them twice: at least once.
     * Elements are kept until they are finished, so the section must not modify them. An element that fails every time
     * fails the section every time: skip it by supervision within the section, or limit the restarts.
     *
     * <p>Before the rebuild, a source within the section gets up to 30 seconds until its emitted elements are finished
     * below and committed.
     *
     * <p>Completes when the section does. A failure from above passes through the section without a restart; so does a
     * failure after a stop. After too many restarts the last failure passes on.
     *
     * {@snippet :
     * orders.restarted(
     *         RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1))),
     *         section -> section.map(order -> session.send(order)))
     * }
     *
     * @param settings not {@link RestartSettings#alsoOnCompletion}: a section that ends by itself ends the stream
     */
    @Operator(
            acks = "when all that came of it is finished; given again if it was inside a failed section",
            cost = "a segment and a buffer; a copy per batch, which is kept until it is finished")
    public <R> Source<R> restarted(RestartSettings settings, Function<? super Source<T>, Source<R>> section) {
        return Source.at(FailureStages.restart(
                node(),
                Objects.requireNonNull(settings, "settings"),
                branch(Objects.requireNonNull(section, "section"))));
    }

    /**
     * Fails with a {@link StreamTimeoutException} when no element arrives for {@code timeout} while the stage below
     * waits for one. Time in which the stages below are busy does not count. The stages above must not block the
     * thread: put {@link #async} in between if they might.
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
     * Fails with a {@link StreamTimeoutException} when the first element has not arrived {@code timeout} after the
     * start. The stages above must not block the thread, as for {@link #idleTimeout}.
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
     * Fails with a {@link StreamTimeoutException} when the stages above have not completed {@code timeout} after the
     * start. They must not block the thread, as for {@link #idleTimeout}.
     *
     * {@snippet :
     * export.completionTimeout(Duration.ofHours(1))
     * }
     */
    @Operator(acks = PASSES, cost = "one look at the clock per batch")
    public Source<T> completionTimeout(Duration timeout) {
        return Source.at(FailureStages.completionTimeout(node(), timeout));
    }

    /**
     * Fails the pipeline with a {@link StreamTimeoutException} when the stages below do not ask for more elements
     * within {@code timeout} of the last ones. They are interrupted, because a failure reaches them only when they ask;
     * {@link #recover} does not see it.
     *
     * {@snippet :
     * orders.backpressureTimeout(Duration.ofMinutes(1)).mapBlocking(8, Ordering.input(), this::book)
     * }
     */
    @Operator(acks = PASSES, cost = "a look at the clock per batch and an idle virtual thread")
    public Source<T> backpressureTimeout(Duration timeout) {
        return Source.at(FailureStages.backpressureTimeout(node(), timeout));
    }

    /**
     * Emits an element from {@code supplier} whenever the stage below asks for one and none has arrived for
     * {@code interval}. Nobody waits for its acknowledgement. If the supplier throws, the stage's supervision decides:
     * skipping emits none this time. The stages above must not block the thread, as for {@link #idleTimeout}.
     *
     * {@snippet :
     * ticks.keepAlive(Duration.ofSeconds(1), () -> Tick.NOTHING)
     * }
     */
    @Operator(acks = PASSES + "; none for elements put in", cost = "one look at the clock per batch")
    public Source<T> keepAlive(Duration interval, Supplier<? extends T> supplier) {
        return Source.at(FailureStages.keepAlive(node(), interval, Objects.requireNonNull(supplier, "supplier")));
    }

    /**
     * Calls {@code onEnd} exactly once, on the stream's thread, when the stages above have ended: completed, failed, or
     * cancelled because nobody wants more. Completed means that the last element was handed down, not that it is
     * acknowledged. An exception from it fails the stream; after a failure it is added to that failure as suppressed.
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
     * Lets elements pass until the switch is turned; see {@link KillSwitch}. A batch handed over at that very moment
     * still passes.
     *
     * {@snippet :
     * KillSwitch shop = new KillSwitch();
     * orders.via(shop).to(booking).run();
     * payments.via(shop).to(ledger).run();
     * shop.shutdown();
     * }
     */
    @Operator(acks = PASSES + "; what has not passed is never acknowledged", cost = "a lock per batch")
    public Source<T> via(KillSwitch killSwitch) {
        return Source.at(FailureStages.killSwitch(node(), killSwitch.core()));
    }
}
