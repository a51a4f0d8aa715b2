package dev.weir.bench.explore;

import dev.weir.bench.explore.Outcome.Result;
import java.util.List;
import java.util.Random;

/** A simulated system with a known limit. The seed determines everything random in it. Confined to one thread. */
abstract class SimulatedSystem {
    /** Standard deviation of a trial's capacity, relative to the true capacity; half as large in long trials. */
    private static final double NOISE = 0.02;

    /** The fraction of trials that fail for reasons other than the rate. */
    private static final double HICCUPS = 0.02;

    private static final List<Result> ANY = List.of(Result.values());

    static final List<Kind> PERTURBATIONS = List.of(Kind.COLD_START, Kind.RESTART, Kind.PAUSE);

    final Random random;
    final double truth;
    private final double noise;

    /** Creates a system with a random limit between 300 and 300,000 records per second. */
    SimulatedSystem(long seed, boolean isNoisy) {
        random = new Random(seed);
        truth = 300 * Math.pow(1000, random.nextDouble());
        noise = isNoisy ? NOISE : 0;
    }

    abstract Result outcome(Attempt attempt);

    /** Returns the records per second of the collapsed system; NaN if unknown. */
    double carried() {
        return Double.NaN;
    }

    /** Returns the capacity in this trial, a random value near the given capacity. */
    final double about(double capacity, Attempt attempt) {
        if (noise > 0 && random.nextDouble() < HICCUPS) {
            return 0;
        }
        double deviation = attempt.kind() == Kind.STEP ? noise : noise / 2;
        return capacity * Math.exp(deviation * random.nextGaussian());
    }

    static Result passedIf(boolean condition) {
        return condition ? Result.PASSED : Result.FAILED;
    }

    final Finding explored(Limits limits) {
        Search search = new Search(limits);
        for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
            Result result = outcome(attempt);
            boolean tells = result == Result.FAILED && attempt.kind().isPerturbation();
            search.tell(
                    new Outcome(result, "", Double.NaN, false, tells ? carried() : Double.NaN),
                    attempt.kind() == Kind.STEP ? 15 : 60);
        }
        return search.finding();
    }

    final Finding explored() {
        return explored(new Limits(1000, 1e6, 1e6, PERTURBATIONS));
    }

    /** Returns a system that sustains all rates below its limit and recovers from any perturbation. */
    static SimulatedSystem monotone(long seed, boolean isNoisy) {
        return new SimulatedSystem(seed, isNoisy) {
            @Override
            Result outcome(Attempt attempt) {
                return passedIf(attempt.rate() < about(truth, attempt));
            }
        };
    }

    /**
     * Returns a system that sustains all rates below its limit. Above a lower limit, it never recovers from a restart,
     * and recovers from only half of the other perturbations.
     *
     * @param tells whether the throughput of the collapsed system is known
     */
    static SimulatedSystem bistable(long seed, boolean tells) {
        return new SimulatedSystem(seed, true) {
            private final double collapsed = truth * (0.3 + 0.5 * random.nextDouble());

            @Override
            double carried() {
                return tells ? collapsed : Double.NaN;
            }

            @Override
            Result outcome(Attempt attempt) {
                boolean collapses =
                        attempt.kind() == Kind.RESTART || (attempt.kind().isPerturbation() && random.nextBoolean());
                return passedIf(attempt.rate() < about(collapses ? collapsed : truth, attempt));
            }
        };
    }

    /** Returns a system that loses the fraction {@code perTrial} of its capacity in each trial. */
    static SimulatedSystem drifting(long seed, double perTrial) {
        return new SimulatedSystem(seed, true) {
            private double capacity = truth;

            @Override
            Result outcome(Attempt attempt) {
                capacity *= 1 - perTrial;
                return passedIf(attempt.rate() < about(capacity, attempt));
            }
        };
    }

    /** Returns a system whose generator sends at most {@code share} times the system's limit. */
    static SimulatedSystem behindGenerator(long seed, double share) {
        return new SimulatedSystem(seed, true) {
            @Override
            Result outcome(Attempt attempt) {
                return attempt.rate() > about(truth * share, attempt)
                        ? Result.GENERATOR_BOUND
                        : passedIf(attempt.rate() < about(truth, attempt));
            }
        };
    }

    /** Returns a system whose trials have random results. */
    static SimulatedSystem random(long seed) {
        return new SimulatedSystem(seed, true) {
            @Override
            Result outcome(Attempt attempt) {
                return ANY.get(random.nextInt(ANY.size()));
            }
        };
    }
}
