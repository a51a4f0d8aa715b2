package dev.weir.bench.statistics;

/**
 * A driver against the baseline at one point in one metric. Immutable, thread-safe.
 *
 * @param adjustedP the interval's p after correction for all comparisons of the campaign in this metric
 * @param isBound whether the true ratio is this one or more, since brokers held the driver back
 */
public record Comparison(RatioInterval interval, double adjustedP, Verdict verdict, boolean isBound) {

    /** A bound allows only one statement: the ratio is above 1. */
    public Comparison {
        if (isBound && verdict != Verdict.BETTER && verdict != Verdict.NOT_MEASURED) {
            verdict = Verdict.UNCLEAR;
        }
    }

    /** The verdict in words. */
    public String words() {
        String words = verdict.words(interval);
        if (!isBound || verdict == Verdict.NOT_MEASURED) {
            return words;
        }
        return verdict == Verdict.BETTER ? words.replace("better, ", "better, at least ") : "a bound, not judged";
    }
}
