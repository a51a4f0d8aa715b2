package dev.weir.bench.statistics;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The result of comparing a driver with the baseline in one metric. */
public enum Verdict {
    /** Better than the baseline, by more than the noise. */
    BETTER,
    /** Worse than the baseline, by more than the noise. */
    WORSE,
    /** Practically the same: the whole interval lies within the margin of differences that do not matter. */
    SAME,
    /** Neither a difference nor equality is evident. */
    UNCLEAR,
    /** Fewer than {@link Analysis#MIN_ROUNDS} rounds have figures that may be quoted. */
    NOT_MEASURED;

    /**
     * Derives the verdict from an interval.
     *
     * @param noiseFactor the largest factor, at least 1, that noise may cause between two sets of runs of the baseline;
     *     NaN if it was not measured
     * @param adjustedP the p-value after correction for the number of comparisons
     * @param margin the largest relative difference that does not matter, for example 0.05
     */
    static Verdict of(
            RatioInterval interval, double noiseFactor, double adjustedP, double margin, boolean higherIsBetter) {
        if (interval.rounds() < Analysis.MIN_ROUNDS) {
            return NOT_MEASURED;
        }
        double factor = Math.max(interval.ratio(), 1 / interval.ratio());
        boolean beyondNoise = Double.isNaN(noiseFactor) || factor > noiseFactor;
        if (adjustedP <= 1 - interval.confidence() && !interval.contains(1) && beyondNoise) {
            return interval.ratio() > 1 == higherIsBetter ? BETTER : WORSE;
        }
        if (interval.low() >= 1 / (1 + margin) && interval.high() <= 1 + margin) {
            return SAME;
        }
        return UNCLEAR;
    }

    /** Describes the verdict in words, without saying more than the interval proves. */
    public String words(@Nullable RatioInterval interval) {
        return switch (this) {
            case NOT_MEASURED -> "too few rounds";
            case UNCLEAR -> "no difference shown";
            case SAME -> "same within the margin";
            case BETTER, WORSE -> {
                double ratio = interval == null ? Double.NaN : interval.ratio();
                String which = this == BETTER ? "better" : "worse";
                double percent = (ratio - 1) * 100;
                yield ratio >= 1.995 || ratio <= 1 / 1.995
                        ? String.format(Locale.ROOT, "%s, %.1f times", which, Math.max(ratio, 1 / ratio))
                        : String.format(
                                Locale.ROOT, Math.abs(percent) < 1 ? "%s, %+.1f %%" : "%s, %+.0f %%", which, percent);
            }
        };
    }
}
