package dev.weir.stream;

import dev.weir.stream.internal.grouping.GroupingStages;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Operators that delay or drop elements depending on time. Part of {@link Source}. */
abstract class TimeOperators<T> extends GroupingOperators<T> {

    /**
     * The default maximum number of elements that {@link #delay(Duration) delay} and {@link #throttlePerKey(long,
     * Duration, long, Function) throttlePerKey} hold: {@value}.
     */
    public static final int DEFAULT_MAX_HELD = 1024;

    /**
     * Delays elements so that at most {@code elements} pass per period {@code per}, evenly spaced. After a pause,
     * elements may pass in a burst. The burst has as many elements as the rate allows in 10 ms, but at least 1. In all
     * other respects, this method works like {@link #throttle(long, Duration, long, ThrottleMode)} in shaping mode.
     *
     * {@snippet :
     * source.throttle(100, Duration.ofSeconds(1)); // one every 10 ms
     * }
     */
    @Operator(acks = "with the element", cost = "a clock reading and a copy per batch")
    public Source<T> throttle(long elements, Duration per) {
        return Source.at(GroupingStages.throttle(node(), elements, per));
    }

    /**
     * Limits the rate to {@code elements} per period {@code per} on average, and to a burst of {@code burst} elements
     * after a pause.
     *
     * <p>Each element takes a permit from a bucket. The bucket holds up to {@code burst} permits, is full at the start,
     * and is refilled at a constant rate. In shaping mode, an element without a permit waits for one, and the stage
     * pulls no further elements until then. In enforcing mode, an element without a permit fails with a
     * {@link RateExceededException}, and the stage's supervision decides what happens to it. Elements of a batch arrive
     * together, so an enforcing throttle needs a burst at least as large as a batch.
     *
     * <p>Each element keeps its acknowledgement. If the stage itself fails or is cancelled, the elements that it holds
     * stay unacknowledged. The end or a failure of the input is passed on after the elements that preceded it.
     *
     * {@snippet :
     * source.throttle(1000, Duration.ofSeconds(1), 1000, ThrottleMode.ENFORCING)
     *         .with(Attributes.NONE.withSupervision(Supervision.skip())); // drops what exceeds the rate
     * }
     *
     * @param elements at least 1
     * @param per more than 0
     * @param burst at least 1; the maximum is inversely proportional to {@code per}; a burst of 26,000 is allowed even
     *     if {@code per} is a day
     */
    @Operator(acks = "with the element", cost = "a clock reading and a copy per batch")
    public Source<T> throttle(long elements, Duration per, long burst, ThrottleMode mode) {
        return Source.at(GroupingStages.throttle(node(), elements, per, burst, Objects.requireNonNull(mode, "mode")));
    }

    /**
     * Limits the total cost of elements to {@code costs} per period {@code per} on average, and to a burst of
     * {@code burst} after a pause. An element may cost more than the burst; it then waits until enough permits have
     * been added to cover its cost. In all other respects, this method works like
     * {@link #throttle(long, Duration, long, ThrottleMode)}. If {@code cost} throws or returns a negative number, the
     * stage's supervision decides what happens to the element.
     *
     * {@snippet :
     * source.throttle(1_000_000, Duration.ofSeconds(1), 100_000, bytes -> bytes.length, ThrottleMode.SHAPING);
     * }
     */
    @Operator(acks = "with the element", cost = "a clock reading and a copy per batch")
    public Source<T> throttle(long costs, Duration per, long burst, ToLongFunction<? super T> cost, ThrottleMode mode) {
        return Source.at(GroupingStages.throttle(
                node(), costs, per, burst, Objects.requireNonNull(cost, "cost"), Objects.requireNonNull(mode, "mode")));
    }

    /**
     * Limits each key to {@code elements} per period {@code per} on average, and to a burst of {@code burst} elements
     * after a pause. Holds up to {@link #DEFAULT_MAX_HELD} elements that arrived too early. In all other respects, this
     * method works like {@link #throttlePerKey(long, Duration, long, Function, int)}.
     *
     * {@snippet :
     * orders.throttlePerKey(10, Duration.ofSeconds(1), 10, order -> order.customer())
     *         .mapBlocking(64, Ordering.byKey(order -> order.customer()), order -> book(order));
     * }
     */
    @Operator(acks = "with the element", cost = "a look-up per element; an object per delayed element")
    public Source<T> throttlePerKey(long elements, Duration per, long burst, Function<? super T, ?> key) {
        return throttlePerKey(elements, per, burst, key, DEFAULT_MAX_HELD);
    }

    /**
     * Limits each key to {@code elements} per period {@code per} on average, and to a burst of {@code burst} elements
     * after a pause. An element that arrives too early is held, and elements with other keys overtake it; order is
     * preserved within each key. A key identifies whatever has its own limit, such as a customer or a target host. Byte
     * arrays are compared by content.
     *
     * <p>The stage accepts elements while it holds fewer than {@code maxHeld}. A key that exceeds its rate for a long
     * time eventually uses up this limit and delays all keys. The stage stores about 150 bytes for each key whose
     * bucket is not full. A bucket is full again at most {@code burst} times {@code per / elements} after the key's
     * last element. The key is then removed when the next element of any key arrives.
     *
     * <p>Each element keeps its acknowledgement. The end or a failure of the input is passed on after the held
     * elements. After a cancellation, held elements stay unacknowledged. If {@code key} throws or returns null, the
     * stage's supervision decides what happens to the element. If the decision is to fail, the stage fails immediately,
     * and held elements stay unacknowledged.
     *
     * {@snippet :
     * messages.throttlePerKey(100, Duration.ofSeconds(1), 20, message -> message.url().getHost(), 50_000);
     * }
     *
     * @param elements at least 1
     * @param per more than 0
     * @param burst at least 1; the maximum is inversely proportional to {@code per}; a burst of 26,000 is allowed even
     *     if {@code per} is a day
     * @param maxHeld maximum number of held elements, at least 1; may be exceeded by up to one batch
     */
    @Operator(acks = "with the element", cost = "a look-up per element; an object per delayed element")
    public Source<T> throttlePerKey(long elements, Duration per, long burst, Function<? super T, ?> key, int maxHeld) {
        return Source.at(GroupingStages.throttlePerKey(
                node(), elements, per, burst, Objects.requireNonNull(key, "key"), maxHeld));
    }

    /**
     * Emits each element {@code time} after its arrival. Holds at most {@link #DEFAULT_MAX_HELD} elements. In all other
     * respects, this method works like {@link #delay(Function, int)}.
     *
     * {@snippet :
     * source.delay(Duration.ofSeconds(30));
     * }
     */
    @Operator(acks = "with the element", cost = "32 bytes per delayed element")
    public Source<T> delay(Duration time) {
        Objects.requireNonNull(time, "time");
        return delay(element -> time, DEFAULT_MAX_HELD);
    }

    /**
     * Delays each element by the duration that the function {@code time} returns for it. Order is preserved, so an
     * element that is due waits for the elements before it. The delay begins when the stage accepts the element. The
     * stage accepts elements only while the downstream stage is requesting elements and fewer than {@code maxHeld}
     * elements are held. The time that an element spends in an upstream queue, for example in an asynchronous boundary,
     * is not part of the delay.
     *
     * <p>Each element keeps its acknowledgement. The end or a failure of the input is passed on after the held
     * elements. After a cancellation, held elements stay unacknowledged. If {@code time} throws, the stage's
     * supervision decides what happens to the element.
     *
     * {@snippet :
     * retries.delay(retry -> retry.backOff(), 10_000);
     * }
     *
     * @param time returns an element's delay; a negative delay means none
     * @param maxHeld maximum number of held elements, at least 1; may be exceeded by up to one batch
     */
    @Operator(acks = "with the element", cost = "32 bytes per delayed element")
    public Source<T> delay(Function<? super T, Duration> time, int maxHeld) {
        return Source.at(GroupingStages.delay(node(), Objects.requireNonNull(time, "time"), maxHeld));
    }

    /**
     * Pulls the first element when {@code time} has passed since the run's start. Acknowledgements, the end and
     * failures pass through unchanged.
     *
     * {@snippet :
     * source.initialDelay(Duration.ofSeconds(5));
     * }
     */
    @Operator(acks = "with the element", cost = "no allocation")
    public Source<T> initialDelay(Duration time) {
        return Source.at(GroupingStages.initialDelay(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Emits the elements that arrive within {@code time} of the run's start. Then ends the stream and closes the
     * upstream stages immediately. As with {@link Source#idleTimeout}, the upstream stages must not block the thread.
     * If they do, the stream ends only when they return. Acknowledgements work as with {@link #take}.
     *
     * {@snippet :
     * Source<Price> ofThisMinute = prices.takeWithin(Duration.ofMinutes(1));
     * }
     *
     * @param time if negative, no elements pass
     */
    @Operator(acks = "never for later elements", cost = "two clock readings per batch")
    public Source<T> takeWithin(Duration time) {
        return Source.at(GroupingStages.takeWithin(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Drops and acknowledges elements that arrive within {@code time} of the run's start.
     *
     * {@snippet :
     * temperatures.dropWithin(Duration.ofSeconds(30)); // until the sensor is warm
     * }
     */
    @Operator(acks = "dropped elements at once; the others' go with them", cost = "a clock reading per batch")
    public Source<T> dropWithin(Duration time) {
        return Source.at(GroupingStages.dropWithin(node(), Objects.requireNonNull(time, "time")));
    }

    /**
     * Emits an element once {@code quiet} has passed without a newer element. All other elements are dropped and
     * acknowledged immediately. Elements of a batch arrive together, so only the last of them can be emitted. The last
     * element is emitted before the end or a failure of the input is passed on; after a cancellation it stays
     * unacknowledged. The stage receives elements only while the downstream stage requests them, and {@code quiet}
     * begins when the stage receives an element.
     *
     * {@snippet :
     * keystrokes.debounce(Duration.ofMillis(300)).map(text -> search(text));
     * }
     *
     * @param quiet more than 0
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "a clock reading per batch")
    public Source<T> debounce(Duration quiet) {
        return Source.at(GroupingStages.debounce(node(), quiet));
    }

    /**
     * Emits the latest element at the end of each {@code interval} in which an element arrived. The other elements are
     * dropped and acknowledged immediately. Intervals are consecutive, and the first one starts with the run. The last
     * element is emitted before the end or a failure of the input is passed on; after a cancellation it stays
     * unacknowledged.
     *
     * {@snippet :
     * prices.sample(Duration.ofSeconds(1)).map(price -> show(price));
     * }
     *
     * @param interval more than 0
     */
    @Operator(acks = "with the element; one that is dropped at once", cost = "a clock reading per batch")
    public Source<T> sample(Duration interval) {
        return Source.at(GroupingStages.sample(node(), interval));
    }
}
