package dev.weir.bench.statistics;

/**
 * A driver against the baseline at one point in one metric. Immutable, thread-safe.
 *
 * @param adjustedP the interval's p after correction for all comparisons of the campaign in this metric
 */
public record Comparison(RatioInterval interval, double adjustedP, Verdict verdict) {

    /** The verdict in words. */
    public String words() {
        return verdict.words(interval);
    }
}
