package dev.weir.cli.tune;

import java.util.Locale;

/**
 * The outcome of a step. Immutable.
 *
 * @param step its number, from 1 on
 * @param comparedWith the number of the version that it was made from; 0 for the first
 * @param gain its rate over that version's; 1 for the first
 * @param inTurns whether the two ran in turns, since a first look left it open which is quicker
 */
record Outcome(
        int step,
        Version version,
        Measurement measured,
        int comparedWith,
        double gain,
        Verdict verdict,
        boolean inTurns) {

    /** The judgement of a gain. */
    enum Verdict {
        /** There was nothing before it. */
        FIRST,
        FASTER,
        /** Two runs of one version differ by as much. */
        EQUAL,
        SLOWER;

        /** As programs read it. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Two runs of one version differ by less, measured in turns. */
    private static final double SEEN = 1.03;

    /** Of two that were measured one after the other, less may be chance. */
    private static final double CLEAR = 1.05;

    /** The first one. */
    static Outcome first(Version version, Measurement measured) {
        return new Outcome(1, version, measured, 0, 1, Verdict.FIRST, false);
    }

    /** That of a version which was measured after the one that it was made from, or in turns with it. */
    static Outcome of(
            int step, Version version, Measurement measured, int comparedWith, double before, boolean inTurns) {
        double gain = measured.recordsPerSecond() / before;
        Verdict verdict = gain >= SEEN ? Verdict.FASTER : gain > 1 / SEEN ? Verdict.EQUAL : Verdict.SLOWER;
        return new Outcome(step, version, measured, comparedWith, gain, verdict, inTurns);
    }

    /** Returns whether the gain is one by any measure. */
    boolean isClear() {
        return gain >= CLEAR;
    }

    /** Returns whether the version before it goes on in its place. */
    boolean isTakenBack() {
        return verdict == Verdict.SLOWER || (verdict == Verdict.EQUAL && !version.staysWithoutGain());
    }
}
