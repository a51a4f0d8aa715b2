package dev.weir.stream.internal.workers;

import dev.weir.stream.Parallelism;

/**
 * Finds the best parallelism from the measured rate and latency of elements. Callers pass the measurements. Not
 * thread-safe.
 */
final class SlopeSearch {
    // Based on Gradient2Limit of Netflix's concurrency-limits (github.com/Netflix/concurrency-limits), which compares
    // short-term with long-term latency, and on the hill climbing on completed work of J. Hellerstein, V. Morrison and
    // E. Eilebrecht, "Optimizing Concurrency Levels in the .NET ThreadPool" (FeBID 2008). Differences:
    //
    // - Gradient2 protects a server that must refuse work. In a stream, work can wait, so the goal is a high rate.
    // Gradient2's long-term latency follows the queue that grows with its own limit, so that its limit drifts upwards.
    // The limit here follows the slope of the rate over the limit, d(ln rate) / d(ln limit). The slope is 1 if the rate
    // grows in proportion to the limit, and 0 at saturation. Since limit = rate x latency (Little), this slope is
    // equivalent to a gradient of latency. Unlike that gradient, it includes work that waits for a processor before its
    // handler starts.
    //
    // - In one case the latency alone decides. If the latency jumps while the limit is unchanged, the services that the
    // handlers call have become slower. The limit is then immediately lowered by Gradient2's factor, at most by half.
    // Afterwards the slope shows whether this was right.
    //
    // - To find the slope in spite of noise, the .NET controller adds a wave to the limit. This class makes one step,
    // then a pause, then another step. The pause grows while steps bring no gain. A step whose slope is unclear is
    // observed for longer.
    //
    // - As in Gradient2, an unused limit is not raised. If the input is waiting although part of the limit is unused,
    // the limit is lowered to the used part. In this case either the results are not being consumed, or the processors
    // are fully used.

    /** Slope below which more threads are not worthwhile: the gain is less than a quarter of the ideal. */
    private static final double WORTH_IT = 0.25;

    /**
     * A single sample is enough if its slope is below {@code CLEARLY_NOT} or above {@code CLEARLY_SO}. Otherwise,
     * several samples are averaged.
     */
    private static final double CLEARLY_NOT = 0;

    private static final double CLEARLY_SO = 0.6;
    private static final int MOST_SAMPLES = 4;

    private static final double STEP = 1.25;
    private static final double USED_SHARE = 0.7;
    private static final double HEADROOM = 1.2;
    private static final double LATENCY_LEAP = 1.5;
    private static final double MOST_AT_ONCE = 0.5;
    private static final double SMOOTHING = 0.3;
    private static final int LONGEST_PAUSE = 8;

    private final int min;
    private final int max;
    private int limit;

    /** True while the limit doubles at each step, until the first step without enough gain. */
    private boolean starting = true;

    /** The limit to compare the current one with; 0 if the next sample starts a new comparison. */
    private int baseLimit;

    private double baseRate;
    private double baseLatency;
    private int stepSamples;
    private double stepRate;
    private double stepLatency;
    private boolean upNext = true;
    private int pause;
    private int pauseLeft;

    SlopeSearch(Parallelism bounds, int first) {
        min = bounds.min();
        max = bounds.max();
        limit = Math.clamp(first, min, max);
    }

    int limit() {
        return limit;
    }

    /**
     * Adds a measurement during which {@link #limit} was unchanged.
     *
     * @param rate elements finished per second
     * @param latency mean processing time per element, in seconds
     * @param inputWaits whether more elements were waiting
     */
    void sample(double rate, double latency, boolean inputWaits) {
        double used = rate * latency;
        if (used < USED_SHARE * limit) {
            if (inputWaits) {
                double enough = Math.ceil(used * HEADROOM) + 1;
                moveTo((int) Math.max(limit * MOST_AT_ONCE, Math.min(limit, enough)));
            }
            baseLimit = 0;
        } else if (baseLimit == 0) {
            rest(rate, latency);
            step();
        } else if (baseLimit == limit) {
            atRest(rate, latency);
        } else {
            judge(rate, latency);
        }
    }

    private void rest(double rate, double latency) {
        baseLimit = limit;
        baseRate = rate;
        baseLatency = latency;
    }

    private void atRest(double rate, double latency) {
        if (latency > LATENCY_LEAP * baseLatency) {
            double gradient = Math.max(MOST_AT_ONCE, baseLatency / latency);
            rest(rate, latency);
            pause = 0;
            moveTo((int) (limit * gradient));
            return;
        }
        baseRate += SMOOTHING * (rate - baseRate);
        baseLatency += SMOOTHING * (latency - baseLatency);
        if (--pauseLeft <= 0) {
            step();
        }
    }

    private void step() {
        if (upNext ? limit == max : limit == min) {
            upNext = !upNext;
        }
        double factor = starting ? 2 : STEP;
        if (upNext) {
            moveTo((int) Math.ceil(limit * factor));
        } else {
            moveTo((int) Math.floor(limit / STEP));
        }
    }

    /**
     * Decides whether the step from the base to the current limit was worthwhile. Does nothing while the slope is
     * unclear and more samples may be taken.
     */
    private void judge(double sampleRate, double sampleLatency) {
        stepSamples++;
        stepRate += (sampleRate - stepRate) / stepSamples;
        stepLatency += (sampleLatency - stepLatency) / stepSamples;
        double rate = stepRate;
        double latency = stepLatency;
        double slope = Math.log(rate / baseRate) / Math.log((double) limit / baseLimit);
        if (slope > CLEARLY_NOT && slope < CLEARLY_SO && stepSamples < MOST_SAMPLES) {
            return;
        }
        boolean up = limit > baseLimit;
        boolean worthIt = up == (slope >= WORTH_IT);
        if (worthIt) {
            rest(rate, latency);
            pause = 0;
            upNext = up;
            if (up ? limit < max : limit > min) {
                step();
            } else {
                pauseFor(LONGEST_PAUSE);
            }
            return;
        }
        starting = false;
        limit = baseLimit;
        upNext = !up;
        pauseFor(Math.clamp(pause * 2L, 1, LONGEST_PAUSE));
    }

    private void pauseFor(int samples) {
        pause = samples;
        pauseLeft = samples;
    }

    private void moveTo(int wanted) {
        stepSamples = 0;
        limit = Math.clamp(wanted, min, max);
    }
}
