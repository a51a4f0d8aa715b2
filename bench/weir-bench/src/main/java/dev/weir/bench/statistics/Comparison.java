package dev.weir.bench.statistics;

/**
 * The comparison of a driver with the baseline at one point in one metric. Immutable, thread-safe.
 *
 * @param adjustedP the interval's p-value, corrected for all comparisons of the campaign in this metric
 * @param isBound whether the ratio is only a lower bound of the true ratio, because the brokers limited the driver
 */
public record Comparison(RatioInterval interval, double adjustedP, Verdict verdict, boolean isBound) {

    /** Replaces the verdict of a lower bound, which can only show that the driver is better. */
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
