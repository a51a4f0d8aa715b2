package dev.weir.console.tune;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures a pipeline's rate while a guard checks its health. Confined to the tuning thread, except for the request to
 * stop.
 */
final class RateMeter {

    private static final long MOST_POLL_MILLIS = 100;
    private static final long LEAST_POLL_MILLIS = 5;
    private static final int POLLS_PER_WINDOW = 40;

    /** A window with fewer counter changes is extended. */
    private static final int ENOUGH_CHANGES = 9;

    /** Maximum length of an extended window, as a multiple of the normal length. */
    private static final int LONGEST = 8;

    /** A stage's rate is used only if it counts this many elements in a window. */
    private static final long ENOUGH_ELEMENTS = 100;

    /** A measurement fails after this many windows without progress in a row. */
    private static final int MOST_STANDSTILLS = 3;

    /** Maximum number of repeated measurements while a queue drains. */
    private static final int MOST_DRAINS = 3;

    private final TuneTarget target;
    private final Guard guard;
    private final BooleanSupplier stopRequested;
    private final Duration window;
    private final Duration poll;

    private String counter = "";
    private TuneReading last;
    private Map<String, Double> supply = Map.of();

    RateMeter(TuneTarget target, Guard guard, Duration window, BooleanSupplier stopRequested)
            throws InterruptedException {
        this.target = target;
        this.guard = guard;
        this.window = window;
        this.stopRequested = stopRequested;
        this.poll = Duration.ofMillis(
                Math.clamp(window.toMillis() / POLLS_PER_WINDOW, LEAST_POLL_MILLIS, MOST_POLL_MILLIS));
        this.last = target.read();
    }

    TuneReading last() {
        return last;
    }

    /** Takes a reading without checking it. */
    void refresh() throws InterruptedException, Halted {
        readUnguarded();
    }

    /** Elements that each upstream stage emitted per counted element in the last measurement. */
    Map<String, Double> supply() {
        return supply;
    }

    /** The stage whose elements are counted. */
    String counter() {
        return counter;
    }

    /** Chooses the stage to count, learns the normal behaviour, and measures the initial rate. */
    Rate first() throws InterruptedException, Halted {
        TuneReading start = read();
        Duration waited = Duration.ZERO;
        do {
            pause(window);
            waited = waited.plus(window);
            counter = counterOf(start, last);
        } while (last.counts().getOrDefault(counter, 0L).equals(start.counts().getOrDefault(counter, 0L))
                && waited.compareTo(window.multipliedBy(LONGEST)) < 0);
        guard.learn(start, last, counter);
        return measure();
    }

    /**
     * Returns the last stage with enough elements for a rate. If there is none, returns the stage with the most
     * elements.
     */
    private static String counterOf(TuneReading from, TuneReading to) {
        String most = "";
        long mostElements = -1;
        String chosen = "";
        for (Map.Entry<String, Long> stage : to.counts().entrySet()) {
            long elements = stage.getValue() - from.counts().getOrDefault(stage.getKey(), 0L);
            if (elements >= ENOUGH_ELEMENTS) {
                chosen = stage.getKey();
            }
            if (elements > mostElements) {
                mostElements = elements;
                most = stage.getKey();
            }
        }
        return chosen.isEmpty() ? most : chosen;
    }

    /** Waits until a change has taken effect, and measures. The guard checks both phases. */
    Rate settleAndMeasure() throws InterruptedException, Halted {
        begin();
        Duration half = window.dividedBy(2);
        Duration watched = Guard.LASTING.minus(window);
        pause(half.compareTo(watched) >= 0 ? half : watched);
        return moving();
    }

    /**
     * Waits until a change has taken effect, and measures the rate. Repeats this up to {@value #MOST_DRAINS} times
     * while a queue is draining.
     */
    Rate settleAndMeasure(Rate before) throws InterruptedException, Halted {
        Rate rate = settleAndMeasure();
        for (int i = 0; i < MOST_DRAINS && rate.lasting(before) < 1; i++) {
            rate = moving();
        }
        return rate;
    }

    private void pause(Duration time) throws InterruptedException, Halted {
        long end = last.atNanos() + time.toNanos();
        while (last.atNanos() < end) {
            target.await(poll);
            read();
        }
    }

    /**
     * Measures for one window, or longer if the counter changes in large steps.
     *
     * @throws Halted for example if there is no progress in repeated measurements
     */
    Rate measure() throws InterruptedException, Halted {
        begin();
        return moving();
    }

    private Rate moving() throws InterruptedException, Halted {
        long startNanos = last.atNanos();
        for (int i = 0; i < MOST_STANDSTILLS; i++) {
            Rate rate = measureOnce();
            if (rate != null) {
                return rate;
            }
        }
        throw new Halted(
                TuneReport.End.IDLE,
                "nothing moved for " + Math.round((last.atNanos() - startNanos) / 1e9)
                        + " s: is the source paused, or is there nothing to read?");
    }

    /** Returns the rate of one window; null if there was no progress. */
    private @Nullable Rate measureOnce() throws InterruptedException, Halted {
        TuneReading start = last;
        Map<String, Integer> moved = new HashMap<>();
        Rate.Sample begin = sample(start);
        List<Rate.Sample> changes = new ArrayList<>();
        Rate.Sample now = begin;
        long windowNanos = window.toNanos();
        long elapsed = 0;
        while (elapsed < windowNanos || (changes.size() < ENOUGH_CHANGES && elapsed < LONGEST * windowNanos)) {
            target.await(poll);
            TuneReading before = last;
            Rate.Sample next = sample(read());
            last.counts().forEach((stage, count) -> {
                if (!count.equals(before.counts().get(stage))) {
                    moved.merge(stage, 1, Integer::sum);
                }
            });
            if (next.count() != now.count()) {
                changes.add(next);
            }
            now = next;
            elapsed = now.atNanos() - begin.atNanos();
        }
        supply = changes.isEmpty() ? Map.of() : supply(start, last, moved);
        Rate rate = changes.isEmpty() ? null : Rate.of(begin, changes, now).with(supply);
        while (guard.isInDoubt()) { // wait until the fault has ended or has lasted too long
            target.await(poll);
            read();
        }
        return rate;
    }

    /**
     * Returns the number of elements that each upstream stage emitted per counted element. Leaves out stages whose
     * counters changed rarely, because their numbers are inaccurate.
     *
     * @param moved the number of observed changes of each stage's counter
     */
    private Map<String, Double> supply(TuneReading start, TuneReading end, Map<String, Integer> moved) {
        Map<String, Double> supply = new HashMap<>();
        double counted = since(start, end, counter);
        for (String stage : end.counts().keySet()) {
            if (stage.equals(counter)) {
                break;
            }
            if (moved.getOrDefault(stage, 0) >= ENOUGH_CHANGES) {
                supply.put(stage, since(start, end, stage) / counted);
            }
        }
        return supply;
    }

    private static double since(TuneReading start, TuneReading end, String stage) {
        return end.counts().getOrDefault(stage, 0L) - start.counts().getOrDefault(stage, 0L);
    }

    private Rate.Sample sample(TuneReading reading) {
        return new Rate.Sample(reading.atNanos(), reading.counts().getOrDefault(counter, 0L));
    }

    private TuneReading read() throws InterruptedException, Halted {
        readUnguarded();
        String reason = guard.check(last, counter);
        if (reason != null) {
            throw new Halted(TuneReport.End.GUARD, reason);
        }
        return last;
    }

    /** Starts a new observation by the guard. */
    private void begin() throws InterruptedException, Halted {
        readUnguarded();
        guard.begin(last, counter);
    }

    private void readUnguarded() throws InterruptedException, Halted {
        if (stopRequested.getAsBoolean()) {
            throw new Halted(TuneReport.End.STOPPED, "stopped");
        }
        last = target.read();
        if (!last.isRunning()) {
            throw new Halted(TuneReport.End.PIPELINE_ENDED, "the pipeline has ended");
        }
    }
}
