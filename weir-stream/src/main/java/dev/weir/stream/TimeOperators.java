package dev.weir.stream;

import dev.weir.stream.internal.grouping.GroupingStages;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Operators that hold elements back, or drop some, by time. Part of {@link Source}. */
abstract class TimeOperators<T> extends GroupingOperators<T> {

    /**
     * The number of elements a {@link #delay(Duration) delay} or {@link #throttlePerKey(long, Duration, long, Function)
     * throttlePerKey} holds if nothing else is said: {@value}.
     */
    public static final int DEFAULT_MAX_HELD = 1024;

    /**
     * Lets at most {@code elements} pass {@code per} duration, evenly spread, and holds back the others. The burst is
     * what comes in 10 ms, at least 1. As {@link #throttle(long, Duration, long, ThrottleMode)}.
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
     * Lets at most {@code elements} pass {@code per} duration on average, and {@code burst} at once after a pause.
     *
     * <p>Each element takes a permit out of a bucket that fills evenly and holds {@code burst} of them; it is full at
     * the start. Shaping, an element for which there is none waits, and nothing is pulled meanwhile; enforcing, it
     * fails with a {@link RateExceededException}, which is put to the stage's supervision. As the elements of a batch
     * come at once, a throttle that enforces needs a burst as large as a batch.
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
     * Lets a cost of at most {@code costs} pass {@code per} duration on average, and of {@code burst} at once after a
     * pause. An element that costs more than the burst passes once the bucket has filled for as long as it takes.
     * Otherwise as {@link #throttle(long, Duration, long, ThrottleMode)}. An exception of {@code cost}, or a negative
     * cost, is put to the stage's supervision.
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
     * Lets at most {@code elements} of each key pass {@code per} duration on average, and {@code burst} of it at once
     * after a pause; holds {@link #DEFAULT_MAX_HELD} of those that come too early. As {@link #throttlePerKey(long,
     * Duration, long, Function, int)}.
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
     * Lets at most {@code elements} of each key pass {@code per} duration on average, and {@code burst} of it at once
     * after a pause. An element that comes too early is held, and those of other keys overtake it; each key keeps its
     * order. A key is whatever has a limit of its own, such as a customer, or the host that the element will be sent
     * to; byte arrays are equal by content.
     *
     * <p>The stage takes in more for as long as it holds fewer than {@code maxHeld}: a key that exceeds its rate for
     * long fills that room in the end, and then holds up all. A key is remembered, with some 150 bytes, until its
     * bucket is full again, that is {@code burst} times {@code per / elements} after its last element; it is forgotten
     * when something else comes after that.
     *
     * <p>Acknowledgements go with their elements. The end and a failure of the input wait for the held elements; on
     * cancellation that stays unacknowledged. An exception of {@code key}, or a null key, is put to the stage's
     * supervision; one that fails the stage does so at once, and held elements stay unacknowledged.
     *
     * {@snippet :
     * messages.throttlePerKey(100, Duration.ofSeconds(1), 20, message -> message.url().getHost(), 50_000);
     * }
     *
     * @param elements at least 1
     * @param per more than 0
     * @param burst at least 1; at most 26,000 for a {@code per} of a day, and in proportion
     * @param maxHeld how many elements may be held, and one batch more; at least 1
     */
    @Operator(acks = "with the element", cost = "a hash look-up per element; an object per element held")
    public Source<T> throttlePerKey(long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        return Source.at(GroupingStages.throttlePerKey(
                node(), elements, per, burst, Objects.requireNonNull(key, "key"), maxHeld));
    }

    /**
     * Holds each element for {@code time} from when it came, {@link #DEFAULT_MAX_HELD} of them at most. As
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
     * Holds each element for a time of its own from when it came; the order is kept, so one that may go waits for those
     * before it. An element comes when the stage takes it in, which it does for as long as it holds fewer than
     * {@code maxHeld}, and only while it is pulled: below a boundary it does not see those that wait above.
     *
     * <p>Acknowledgements go with their elements. The end and a failure of the input wait for the held elements; on
     * cancellation that stays unacknowledged. An exception of {@code time} is put to the stage's supervision.
     *
     * {@snippet :
     * retries.delay(retry -> retry.backOff(), 10_000);
     * }
     *
     * @param time how long; less than nothing means not at all
     * @param maxHeld how many elements may be held, and one batch more; at least 1
     */
    @Operator(acks = "with the element", cost = "32 bytes per element held")
    public Source<T> delay(Function<? super T, Duration> time, int maxHeld) {
        return Source.at(GroupingStages.delay(node(), Objects.requireNonNull(time, "time"), maxHeld));
    }

    /**
     * Pulls nothing from above until {@code time} has passed since the run was started. Acknowledgements, the end and
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
     * Lets pass what comes within {@code time} since the run was started, then ends, and closes what is above at once.
     * The stages above must not block the thread by themselves, as for {@link Source#idleTimeout}: then it ends when
     * they answer. Acknowledgements as with {@link #take}.
     *
     * {@snippet :
     * Source<Price> ofThisMinute = prices.takeWithin(Duration.ofMinutes(1));
     * }
     *
     * @param time less than nothing means nothing at all
     */
    @Operator(acks = "what comes later is not; the others' go with them", cost = "two looks at the clock per batch")
    public Source<T> takeWithin(Duration time) {
        return Source.at(GroupingStages.takeWithin(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Drops and acknowledges what comes within {@code time} since the run was started.
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
     * once. Of a batch, whose elements come at once, only the last can go on. At the end and before a failure of the
     * input the last element is emitted; on cancellation it stays unacknowledged. Time counts while the stage is
     * pulled.
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
     * Emits the latest element at the end of each {@code interval} in which one came; the others are dropped and
     * acknowledged at once. Intervals follow one another from the start of the run. At the end and before a failure of
     * the input the last element is emitted; on cancellation it stays unacknowledged.
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
