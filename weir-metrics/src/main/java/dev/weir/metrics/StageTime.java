package dev.weir.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The thread time of one stage in an interval, by activity. Shares refer to all threads that may work in the stage, and
 * add up to 1. Immutable.
 *
 * <pre>
 *   own code:   computing | locked | io | asleep | waitingOther
 *   other code: elsewhere (the thread runs a stage fused to this one)
 *   no work:    paused (by a rate limit) | starved (no input arrives) | sibling (waits for a slower branch)
 *               blocked (the downstream stage accepts no output)
 *   unknown:    the thread waits in Weir's engine for an unknown reason
 * </pre>
 */
public final class StageTime {

    private final Values values;

    private StageTime(Values values) {
        this.values = values;
    }

    /**
     * Creates the time of a stage from shares that add up to 1.
     *
     * @param threads the number of threads that may work in the stage
     * @param in the number of elements taken per second
     * @param out the number of elements emitted per second
     */
    static StageTime of(String stage, int threads, double in, double out, Shares shares) {
        return new StageTime(new Values(stage, threads, in, out, shares));
    }

    /** Returns the times of a unit's stages before its first element. */
    static Stream<StageTime> starved(Unit unit) {
        Shares starved = new Shares(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
        return unit.stages().stream().map(stage -> of(stage.name(), unit.threads(), 0, 0, starved));
    }

    /** The name of the stage. */
    public String stage() {
        return values.stage;
    }

    /** The number of threads that may work in the stage. */
    public int threads() {
        return values.threads;
    }

    /** The number of elements taken per second. */
    public double inPerSecond() {
        return values.in;
    }

    /** The number of elements emitted per second. */
    public double outPerSecond() {
        return values.out;
    }

    /** The share of time in which the stage's code is computing or waiting for a CPU. */
    public double computing() {
        return values.shares.computing;
    }

    /** The share of time in which the stage's code is waiting for a lock, a semaphore or a monitor. */
    public double locked() {
        return values.shares.locked;
    }

    /** The share of time in which the stage's code is waiting for a file or the network. */
    public double io() {
        return values.shares.io;
    }

    /** The share of time in which the stage's code is sleeping. */
    public double asleep() {
        return values.shares.asleep;
    }

    /** The share of time in which the stage's code is waiting for something else, such as a response or a queue. */
    public double waitingOther() {
        return values.shares.waitingOther;
    }

    /** The share of time in which the stage's code is working: computing or waiting. */
    public double working() {
        return values.shares.working();
    }

    /** The share of time in which the stage's thread is running a stage fused to it. */
    public double elsewhere() {
        return values.shares.elsewhere;
    }

    /** The share of time in which elements are waiting because of a rate limit. */
    public double paused() {
        return values.shares.paused;
    }

    /** The share of time in which no input arrives. */
    public double starved() {
        return values.shares.starved;
    }

    /** The share of time in which the stage is waiting for input or output because another branch is slower. */
    public double sibling() {
        return values.shares.sibling;
    }

    /** The share of time in which the stage is waiting for the downstream stage to accept output. */
    public double blocked() {
        return values.shares.blocked;
    }

    /** The share of time in which the stage's thread is waiting in the engine for an unknown reason. */
    public double unknown() {
        return values.shares.unknown;
    }

    /** Returns the shares by machine-readable name, in the order of the table above. They add up to 1. */
    public Map<String, Double> shares() {
        Map<String, Double> shares = new LinkedHashMap<>();
        shares.put("computing", computing());
        shares.put("locked", locked());
        shares.put("io", io());
        shares.put("asleep", asleep());
        shares.put("waiting_other", waitingOther());
        shares.put("elsewhere", elsewhere());
        shares.put("paused", paused());
        shares.put("starved", starved());
        shares.put("sibling", sibling());
        shares.put("blocked", blocked());
        shares.put("unknown", unknown());
        return Collections.unmodifiableMap(shares);
    }

    /**
     * Returns the thread time per element in nanoseconds; for a source, per emitted element. NaN if there were no
     * elements.
     */
    public double nanosPerElement() {
        double elements = values.in > 0 ? values.in : values.out;
        return elements > 0 ? working() * values.threads * 1e9 / elements : Double.NaN;
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
