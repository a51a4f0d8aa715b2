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
     * Sets the supervision of the operator above: the decision about an element for which its function throws; without
     * it, the stream fails. Short for {@link Source#with} and {@link Attributes#withSupervision}.
     *
     * {@snippet :
     * source.map(Integer::parseInt).supervised(Supervision.skip())
     * }
     */
    public Source<T> supervised(Supervision supervision) {
        return Source.at(node().with(Attributes.NONE.withSupervision(supervision)));
    }

    /**
     * Emits one last element in place of a failure from above, and completes. Elements before the failure have gone on
     * by then; those that were lost with it stay unacknowledged, and nobody waits for the last element. A cancellation
     * is not a failure.
     *
     * {@snippet :
     * source.map(Integer::parseInt).recover(failure -> -1)
     * }
     *
     * @param function makes the last element, or returns null to let the failure go on; its own exception replaces the
     *     failure
     */
    @Operator(acks = PASSES + "; none for the last element", cost = PER_BATCH)
    public Source<T> recover(Function<? super Throwable, ? extends @Nullable T> function) {
        return Source.at(FailureStages.recover(node(), Objects.requireNonNull(function, "function")));
    }

    /**
     * Continues with another source in place of a failure from above, also if that one fails, up to {@code attempts}
     * times. The failed stages are closed first; elements lost with them stay unacknowledged. Completes when the source
     * that is running does; a stop reaches the one that is running, and a cancellation is not a failure.
     *
     * {@snippet :
     * primary.recoverWith(1, failure -> failure instanceof IOException ? replica : null)
     * }
     *
     * @param attempts at least 1
     * @param replacement makes the source, or returns null to let the failure go on; its own exception replaces the
     *     failure
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
     * Replaces the exception of a failure from above. Elements, completion and cancellation pass. A checked exception
     * reaches the pipeline's end as the cause of a {@link java.util.concurrent.CompletionException}.
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
     * Completes where a failure from above arrives that {@code harmless} accepts. Elements lost with it stay
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
     * Builds everything above anew when it fails, after a wait, within the same pipeline. The section that failed is
     * closed first, its threads ended and its resources closed; the stages below notice nothing but the pause.
     *
     * <p>Acknowledgements: elements that had left the section go on and are acknowledged to the run of the section that
     * emitted them, which may be closed by then and has to put up with that. Elements inside the section when it failed
     * are never acknowledged. So a source that remembers acknowledgements emits both anew unless it heard of them in
     * time: at least once, with duplicates of the elements that were in flight. Sources that count on being drained
     * before they are closed get no time for it.
     *
     * <p>Completes when the section does. A stop ends the section, or the wait for it; a section that fails after a
     * stop fails the stream. Once there were too many restarts the last failure goes on.
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
     * Builds a section of the stream anew when it fails, after a wait; what is above goes on, on a thread of its own
     * behind a buffer. The section that failed is closed first, then the next gets again, in their order, the elements
     * that the section had been given and that are not finished, and then those that follow.
     *
     * <p>Acknowledgements: nothing is acknowledged that did not get through as a whole. An element is finished when, of
     * one time that it was given to the section, all that came of it is finished. Elements that had left the section
     * before the failure go on, so the stages below may see it twice: at least once. The elements are kept until they
     * are finished; they must not be changed by the section. An element that fails each time brings the section down
     * each time: skip it by supervision within the section, or limit the restarts.
     *
     * <p>A source within the section is waited for before the next is built, up to 30 seconds: until what it had
     * emitted is finished below, and committed.
     *
     * <p>Completes when the section does. A failure from above goes through the section and is not restarted from; so
     * does one after a stop. Once there were too many restarts the last failure goes on.
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
     * Fails with a {@link StreamTimeoutException} when no element comes for {@code timeout} while one is asked for.
     * Time in which the stages below are busy does not count. The stages above must not block the thread by themselves:
     * put {@link #async} in between if they might.
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
     * Fails with a {@link StreamTimeoutException} when the first element has not come {@code timeout} after the start.
     * The stages above must not block the thread by themselves, as for {@link #idleTimeout}.
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
     * start. They must not block the thread by themselves, as for {@link #idleTimeout}.
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
     * Fails the pipeline with a {@link StreamTimeoutException} when, after elements were handed down, the next are not
     * asked for within {@code timeout}. As the stages below do not ask, the failure cannot come down to them: they are
     * interrupted, and {@link #recover} does not see it.
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
     * Puts in an element of its own whenever none has come for {@code interval} and one is asked for. Nobody waits for
     * its acknowledgement. If the supplier throws, the stage's supervision decides: to skip means that none is put in
     * this time. The stages above must not block the thread by themselves, as for {@link #idleTimeout}.
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
     * acknowledged. An exception out of it fails the stream; after a failure it is only added to that one.
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
     * Lets elements pass until the switch is turned; see {@link KillSwitch}. A batch that the stages above hand over at
     * that very moment still passes.
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
