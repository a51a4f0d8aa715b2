package dev.weir.stream;

import dev.weir.stream.internal.grouping.GroupingStages;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Operators that hold elements back, or drop some, by time. Part of {@link Source}. */
abstract class TimeOperators<T> extends GroupingOperators<T> {

    /**
     * The default number of elements that a {@link #delay(Duration) delay} or
     * {@link #throttlePerKey(long, Duration, long, Function) throttlePerKey} holds: {@value}.
     */
    public static final int DEFAULT_MAX_HELD = 1024;

    /**
     * Lets at most {@code elements} pass {@code per} duration, evenly spread, and delays the others. The burst is 10 ms
     * worth of elements, at least 1. Otherwise as {@link #throttle(long, Duration, long, ThrottleMode)}.
     *
     * {@snippet :
     * source.throttle(100, Duration.ofSeconds(1)); // one every 10 ms
     * }
     */
    @Operator(acks = "with the element", cost = "a look at the clock per batch; a copy of each batch")
    public Source<T> throttle(long elements, Duration per) {
        return Source.at(GroupingStages.throttle(node(), elements, per));
    }

    /**
     * Lets at most {@code elements} pass {@code per} duration on average, and up to {@code burst} at once after a
     * pause.
     *
     * <p>Each element takes a permit out of a bucket that fills evenly and holds {@code burst} of them; it is full at
     * the start. When shaping, an element without a permit waits, and nothing is pulled meanwhile. When enforcing, it
     * fails with a {@link RateExceededException}, which goes to the stage's supervision. Elements of a batch arrive
     * together, so an enforcing throttle needs a burst at least as large as a batch.
     *
     * <p>Acknowledgements go with their elements; elements held at a failure of the stage's own or at a cancellation
     * stay unacknowledged. The end and a failure of the input follow the elements before them.
     *
     * {@snippet :
     * source.throttle(1000, Duration.ofSeconds(1), 1000, ThrottleMode.ENFORCING)
     *         .with(Attributes.NONE.withSupervision(Supervision.skip())); // drops what exceeds the rate
     * }
     *
     * @param elements at least 1
     * @param per more than 0
     * @param burst at least 1; at most 26,000 for a {@code per} of a day, and in proportion
     */
    @Operator(acks = "with the element", cost = "a look at the clock per batch; a copy of each batch")
    public Source<T> throttle(long elements, Duration per, long burst, ThrottleMode mode) {
        return Source.at(GroupingStages.throttle(node(), elements, per, burst, Objects.requireNonNull(mode, "mode")));
    }

    /**
     * Limits the total cost of elements to {@code costs} {@code per} duration on average, and to {@code burst} at once
     * after a pause. An element that costs more than the burst passes once the bucket has filled long enough to cover
     * it. Otherwise as {@link #throttle(long, Duration, long, ThrottleMode)}. An exception of {@code cost}, or a
     * negative cost, goes to the stage's supervision.
     *
     * {@snippet :
     * source.throttle(1_000_000, Duration.ofSeconds(1), 100_000, bytes -> bytes.length, ThrottleMode.SHAPING);
     * }
     */
    @Operator(acks = "with the element", cost = "a look at the clock per batch; a copy of each batch")
    public Source<T> throttle(long costs, Duration per, long burst, ToLongFunction<? super T> cost, ThrottleMode mode) {
        return Source.at(GroupingStages.throttle(
                node(), costs, per, burst, Objects.requireNonNull(cost, "cost"), Objects.requireNonNull(mode, "mode")));
    }

    /**
     * Lets at most {@code elements} of each key pass {@code per} duration on average, and {@code burst} at once after a
     * pause; holds up to {@link #DEFAULT_MAX_HELD} early elements. Otherwise as
     * {@link #throttlePerKey(long, Duration, long, Function, int)}.
     *
     * {@snippet :
     * orders.throttlePerKey(10, Duration.ofSeconds(1), 10, order -> order.customer())
     *         .mapBlocking(64, Ordering.byKey(order -> order.customer()), order -> book(order));
     * }
     */
    @Operator(acks = "with the element", cost = "a hash look-up per element; an object per element held")
    public Source<T> throttlePerKey(long elements, Duration per, long burst, Function<? super T, ?> key) {
        return throttlePerKey(elements, per, burst, key, DEFAULT_MAX_HELD);
    }

    /**
     * Lets at most {@code elements} of each key pass {@code per} duration on average, and {@code burst} at once after a
     * pause. An element that arrives too early is held, and elements of other keys overtake it; each key keeps its
     * order. A key identifies whatever has its own limit, such as a customer or a target host; byte arrays are compared
     * by content.
     *
     * <p>The stage takes in elements while it holds fewer than {@code maxHeld}: a key that exceeds its rate for long
     * eventually fills that buffer and holds up all keys. A key takes about 150 bytes until its bucket is full again,
     * {@code burst} times {@code per / elements} after its last element; it is removed when a later element arrives.
     *
     * <p>Acknowledgements go with their elements. The end and a failure of the input wait for the held elements; on
     * cancellation held elements stay unacknowledged. An exception of {@code key}, or a null key, goes to the stage's
     * supervision; if that fails the stage, it fails at once, and held elements stay unacknowledged.
     *
     * {@snippet :
     * messages.throttlePerKey(100, Duration.ofSeconds(1), 20, message -> message.url().getHost(), 50_000);
     * }
     *
     * @param elements at least 1
     * @param per more than 0
     * @param burst at least 1; at most 26,000 for a {@code per} of a day, and in proportion
     * @param maxHeld number of elements that may be held, at least 1; the last batch may exceed it
     */
    @Operator(acks = "with the element", cost = "a hash look-up per element; an object per element held")
    public Source<T> throttlePerKey(long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        return Source.at(GroupingStages.throttlePerKey(
                node(), elements, per, burst, Objects.requireNonNull(key, "key"), maxHeld));
    }

    /**
     * Delays each element by {@code time} from its arrival and holds at most {@link #DEFAULT_MAX_HELD}. Otherwise as
     * {@link #delay(Function, int)}.
     *
     * {@snippet :
     * source.delay(Duration.ofSeconds(30));
     * }
     */
    @Operator(acks = "with the element", cost = "32 bytes per element held")
    public Source<T> delay(Duration time) {
        Objects.requireNonNull(time, "time");
        return delay(element -> time, DEFAULT_MAX_HELD);
    }

    /**
     * Delays each element by a time of its own from its arrival. The order is kept, so a due element waits for those
     * before it. An element arrives when the stage takes it in, which it does only while it holds fewer than
     * {@code maxHeld} and is being pulled; time spent waiting above a boundary does not count.
     *
     * <p>Acknowledgements go with their elements. The end and a failure of the input wait for the held elements; on
     * cancellation held elements stay unacknowledged. An exception of {@code time} goes to the stage's supervision.
     *
     * {@snippet :
     * retries.delay(retry -> retry.backOff(), 10_000);
     * }
     *
     * @param time the delay of an element; no delay if negative
     * @param maxHeld number of elements that may be held, at least 1; the last batch may exceed it
     */
    @Operator(acks = "with the element", cost = "32 bytes per element held")
    public Source<T> delay(Function<? super T, Duration> time, int maxHeld) {
        return Source.at(GroupingStages.delay(node(), Objects.requireNonNull(time, "time"), maxHeld));
    }

    /**
     * Pulls nothing from above until {@code time} has passed since the start of the run. Acknowledgements, the end and
     * failures pass unchanged.
     *
     * {@snippet :
     * source.initialDelay(Duration.ofSeconds(5));
     * }
     */
    @Operator(acks = "with the element", cost = "nothing")
    public Source<T> initialDelay(Duration time) {
        return Source.at(GroupingStages.initialDelay(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Lets elements pass for {@code time} from the start of the run, then ends and closes the stages above at once. The
     * stages above must not block the thread, as for {@link Source#idleTimeout}; if they do, the stream ends when they
     * return. Acknowledgements as with {@link #take}.
     *
     * {@snippet :
     * Source<Price> ofThisMinute = prices.takeWithin(Duration.ofMinutes(1));
     * }
     *
     * @param time if negative, no elements pass
     */
    @Operator(acks = "what comes later is not; the others' go with them", cost = "two looks at the clock per batch")
    public Source<T> takeWithin(Duration time) {
        return Source.at(GroupingStages.takeWithin(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Drops and acknowledges elements that arrive within {@code time} of the start of the run.
     *
     * {@snippet :
     * temperatures.dropWithin(Duration.ofSeconds(30)); // until the sensor is warm
     * }
     */
    @Operator(acks = "dropped elements at once; the others' go with them", cost = "a look at the clock per batch")
    public Source<T> dropWithin(Duration time) {
        return Source.at(GroupingStages.dropWithin(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Emits an element once {@code quiet} has passed without a newer one; the others are dropped and acknowledged at
     * once. Elements of a batch arrive together, so only the last of them can pass. The last element is emitted at the
     * end and before a failure of the input; on cancellation it stays unacknowledged. Time passes only while the stage
     * is being pulled.
     *
     * {@snippet :
     * keystrokes.debounce(Duration.ofMillis(300)).map(text -> search(text));
     * }
     *
     * @param quiet more than 0
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "a look at the clock per batch")
    public Source<T> debounce(Duration quiet) {
        return Source.at(GroupingStages.debounce(node(), quiet));
    }

    /**
     * Emits the latest element at the end of each {@code interval} in which one arrived; the others are dropped and
     * acknowledged at once. Intervals follow one another from the start of the run. The last element is emitted at the
     * end and before a failure of the input; on cancellation it stays unacknowledged.
     *
     * {@snippet :
     * prices.sample(Duration.ofSeconds(1)).map(price -> show(price));
     * }
     *
     * @param interval more than 0
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "a look at the clock per batch")
    public Source<T> sample(Duration interval) {
        return Source.at(GroupingStages.sample(node(), interval));
    }
}
