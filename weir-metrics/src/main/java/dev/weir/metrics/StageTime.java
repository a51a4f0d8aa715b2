package dev.weir.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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

    /** The account of stages whose thread has waited for its first element all the time. */
    static Stream<StageTime> starved(Unit unit) {
        Shares starved = new Shares(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
        return unit.stages().stream().map(stage -> of(stage.name(), unit.lanes(), 0, 0, starved));
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

    /** Share of time in which nothing comes. */
    public double starved() {
        return values.shares.starved;
    }

    /** Share of time in which nothing comes, or nobody takes, because another branch is slower. */
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

    /** The shares by their names for programs, in the order of the table above; they add up to 1. */
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
     * The time that one of its threads works for an element, in nanoseconds: for one that it takes, or that it hands on
     * if it takes none, as a source. NaN if there was none.
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
