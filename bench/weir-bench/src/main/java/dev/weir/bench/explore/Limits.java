package dev.weir.bench.explore;

import java.util.List;
import java.util.Map;

/**
 * The bounds of a search. Immutable.
 *
 * @param startRate the first rate that is tried, in records per second
 * @param maxRate the highest rate that is tried
 * @param maxSeconds total time of all trials; a trial does not begin if it would probably exceed this time
 * @param perturbations the perturbations to try, in order
 * @param lifts maximum number of rates to try above the confirmed rate; 0 or more
 * @param expectedSeconds expected duration of each kind of trial, used until a trial of that kind has run; 0 if unknown
 */
public record Limits(
        double startRate,
        double maxRate,
        double maxSeconds,
        List<Kind> perturbations,
        int lifts,
        Map<Kind, Double> expectedSeconds) {

    /** Maximum number of trials in a search, even if the time limit would allow more. */
    public static final int MAX_TRIALS = 200;

    /** Default of {@link #lifts}. */
    public static final int LIFTS = 5;

    /** Creates limits with {@link #LIFTS} and without expected durations. */
    public Limits(double startRate, double maxRate, double maxSeconds, List<Kind> perturbations) {
        this(startRate, maxRate, maxSeconds, perturbations, LIFTS, Map.of());
    }

    public Limits {
        perturbations = List.copyOf(perturbations);
        expectedSeconds = Map.copyOf(expectedSeconds);
        if (!(startRate > 0) || !(maxRate >= startRate)) {
            throw new IllegalArgumentException("startRate must be above 0, and maxRate at least as high: startRate="
                    + startRate + " maxRate=" + maxRate);
        }
        if (lifts < 0) {
            throw new IllegalArgumentException("lifts must be 0 or more: lifts=" + lifts);
        }
        if (!perturbations.stream().allMatch(Kind::isPerturbation)) {
            throw new IllegalArgumentException("not all are perturbations: perturbations=" + perturbations);
        }
    }
}
