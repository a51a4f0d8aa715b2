package dev.weir.metrics;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The thread time of one stage in an interval, by what it was spent on. The shares are of the time of all threads that
 * may work in the stage, and add up to 1. Immutable.
 *
 * <pre>
 *   own code:   computing | locked | io | asleep | waitingOther
 *   not there:  elsewhere (its thread is in a stage fused to it) | paused (by a rate)
 *               starved | sibling (a slower branch is waited for) | blocked (nobody takes)
 *   unknown:    the thread waits in the engine, and no counter says why
 * </pre>
 */
public final class StageTime {

    private final Values values;

    private StageTime(Values values) {
        this.values = values;
    }

    /**
     * The share of each part, cut down to 1 in all.
     *
     * @param threads how many threads may work in the stage
     * @param in elements taken a second
     * @param out elements handed on a second
     */
    static StageTime of(String stage, int threads, double in, double out, Shares shares) {
        return new StageTime(new Values(stage, threads, in, out, shares));
    }

    /** The stage's name. */
    public String stage() {
        return values.stage;
    }

    /** The number of threads that may work in the stage. */
    public int threads() {
        return values.threads;
    }

    /** Elements that it took in a second. */
    public double inPerSecond() {
        return values.in;
    }

    /** Elements that it handed on in a second. */
    public double outPerSecond() {
        return values.out;
    }

    /** Its code computes, or wants a processor. */
    public double computing() {
        return values.shares.computing;
    }

    /** Its code waits for a lock, a semaphore or a monitor. */
    public double locked() {
        return values.shares.locked;
    }

    /** Its code waits for a file or the network. */
    public double io() {
        return values.shares.io;
    }

    /** Its code sleeps. */
    public double asleep() {
        return values.shares.asleep;
    }

    /** Its code waits for something else, such as an answer or a queue. */
    public double waitingOther() {
        return values.shares.waitingOther;
    }

    /** Its code is at work: it computes or waits. */
    public double working() {
        return values.shares.working();
    }

    /** Its thread is in the code of a stage that is fused to it. */
    public double elsewhere() {
        return values.shares.elsewhere;
    }

    /** Elements are there and wait for a rate. */
    public double paused() {
        return values.shares.paused;
    }

    /** Nothing comes. */
    public double starved() {
        return values.shares.starved;
    }

    /** Nothing comes, or nobody takes, because another branch is slower. */
    public double sibling() {
        return values.shares.sibling;
    }

    /** Nobody takes what it hands on. */
    public double blocked() {
        return values.shares.blocked;
    }

    /** Its thread waits in the engine, and no counter says for what. */
    public double unknown() {
        return values.shares.unknown;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StageTime that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "StageTime");
    }

    /** The shares, which add up to 1. */
    record Shares(
            double computing,
            double locked,
            double io,
            double asleep,
            double waitingOther,
            double elsewhere,
            double paused,
            double starved,
            double sibling,
            double blocked,
            double unknown) {

        double working() {
            return computing + locked + io + asleep + waitingOther;
        }
    }

    private record Values(String stage, int threads, double in, double out, Shares shares) {

        Values {
            Objects.requireNonNull(stage, "stage");
            Objects.requireNonNull(shares, "shares");
        }
    }
}
