package dev.weir.bench.explore;

import dev.weir.bench.explore.Outcome.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the highest rate that a system sustains, as an interval. Confined to one thread; used once.
 *
 * <pre>
 *          passes: x2                                            all passed
 *   RAMP ------------> BISECT ----------------> CONFIRM  hold, --------------> LIFT, FOUND, GENERATOR_BOUND
 *    |   first failure   |     bracket of 5 %      |     perturbations
 *    | fails: /2     ^---'           ^-------------|-- hold failed: 5 % lower, CONFIRM again
 *    v                               |             v perturbation failed
 *   NOT_FOUND                        |--------- CONTROL  hold again
 *                               hold failed        | passed
 *                                                  v
 *                                               DESCEND  lower, then between ---> UNSTABLE_AT
 * </pre>
 *
 * <p>When bisection ends, the upper end of the bracket may still be the rate that failed in the ramp. The search then
 * tries that rate again. If the rate passes this time, the ramp continues.
 *
 * <p>A failure counts only if it occurs twice. Near the limit, a pass also counts only if it occurs twice. The interval
 * extends the bracket by {@link #MARGIN} on both sides, and the search confirms the lower end of the interval. LIFT
 * then tries to confirm higher rates.
 *
 * <p>A collapsed system has about the same throughput at any rate. DESCEND therefore begins near that throughput if it
 * is known.
 */
public final class Search {
    /** Relative margin added to the interval at each end. */
    public static final double MARGIN = 0.025;

    /** Largest ratio of the two ends of the bracket at the end of bisection. */
    static final double BRACKET = 1.05;

    private static final double RAMP = 2;
    private static final double NEAR = 1.3;
    private static final double DESCENT = 0.8;

    /** Relative distance of the first rates in DESCEND from the collapsed system's throughput. */
    private static final double AROUND = 0.04;

    /** Lifting ends if the lowest unconfirmed rate is at most this multiple of the candidate. */
    private static final double LIFTED = 1.01;

    private static final double WIDEST = 1 / 0.9;
    private static final int MAX_DOWNS = 10;

    /** Maximum number of repetitions of the step that ended the ramp. */
    private static final int MAX_DOUBTS = 3;

    /** Maximum number of times that a candidate rate is lowered. */
    private static final int MAX_LOWERINGS = 8;

    private enum Phase {
        RAMP,
        BISECT,
        /** Repeats the step that failed and ended the ramp. */
        DOUBT,
        CONFIRM,
        /** Repeats the {@code HOLD} trial after a failed perturbation, because the rate itself may be too high. */
        CONTROL,
        DESCEND,
        /** Tries to confirm rates above the candidate. */
        LIFT
    }

    private final Limits limits;
    private double maxSeconds;
    private final List<Trial> trials = new ArrayList<>();
    private final NavigableSet<Double> passed = new TreeSet<>(); // rates of steps and holds
    private final Map<Kind, Double> lastSeconds = new EnumMap<>(Kind.class);

    private Phase phase = Phase.RAMP;
    private double low = Double.NaN; // highest passed step; in DESCEND, the confirmed rate
    private double candidate = Double.NaN; // rate to confirm; in LIFT, the highest confirmed rate
    private double high = Double.NaN; // upper end of the bracket: a rate that failed or could not be sent
    private double failed = Double.NaN; // lowest failed rate
    private boolean highIsUnsent;
    private double unstableAt = Double.NaN;
    private double carried = Double.NaN; // throughput at the end of the last failed perturbation
    private double unlifted = Double.NaN; // lowest rate above the candidate that could not be confirmed
    private int lifts;
    private int downs;
    private int lowerings;
    private int doubts;
    private boolean highIsOfRamp;
    private int perturbation; // index of the perturbation to run at the current rate; -1 for the HOLD trial
    private double seconds;
    private @Nullable Poll poll;
    private @Nullable Verdict verdict;

    public Search(Limits limits) {
        this.limits = limits;
        this.maxSeconds = limits.maxSeconds();
        ask(Kind.STEP, limits.startRate());
        if (limits.maxSeconds() <= 0) {
            giveUp();
        }
    }

    /** Returns the next trial; null once the search is over. The trial stays the same until its outcome is reported. */
    public @Nullable Attempt next() {
        Poll asked = poll;
        return asked == null ? null : asked.attempt();
    }

    /**
     * Reports the outcome of {@link #next}.
     *
     * @param trialSeconds duration of the trial
     * @throws IllegalStateException if the search is over
     */
    public void tell(Outcome outcome, double trialSeconds) {
        Poll asked = poll;
        if (asked == null) {
            throw new IllegalStateException("the search is over");
        }
        trials.add(new Trial(asked.attempt(), outcome));
        seconds += trialSeconds;
        lastSeconds.put(asked.attempt().kind(), trialSeconds);
        if (!Double.isNaN(outcome.carried())) {
            carried = outcome.carried();
        }
        Result decided = asked.answer(outcome.result());
        if (decided != null) {
            note(asked.attempt(), decided);
            decide(asked.attempt().rate(), decided);
        }
        stopInTime();
    }

    /** Ends the search with the current finding. */
    public void giveUp() {
        if (poll != null) {
            Verdict unfinished = Double.isNaN(unstableAt) ? Verdict.TIMED_OUT : Verdict.UNSTABLE_AT;
            end(phase == Phase.LIFT ? Verdict.FOUND : unfinished);
        }
    }

    /** Extends the time limit. Does not restart a search that is over. */
    public void extend(double moreSeconds) {
        maxSeconds += moreSeconds;
    }

    /** Returns the seconds that are left. */
    public double secondsLeft() {
        return maxSeconds - seconds;
    }

    private void stopInTime() {
        Attempt following = next();
        if (following == null) {
            return;
        }
        Double last = lastSeconds.get(following.kind());
        double expected = last != null ? last : limits.expectedSeconds().getOrDefault(following.kind(), 0.0);
        if (trials.size() >= Limits.MAX_TRIALS || seconds + expected >= maxSeconds) {
            giveUp();
        }
    }

    /**
     * Returns the finding of a search that is over.
     *
     * @throws IllegalStateException if the search is not over
     */
    public Finding finding() {
        Verdict ended = verdict;
        if (ended == null) {
            throw new IllegalStateException("the search is not over");
        }
        boolean isBracket = ended == Verdict.FOUND;
        return new Finding(
                ended,
                isBracket || ended == Verdict.GENERATOR_BOUND ? candidate : low,
                isBracket ? failed * (1 + MARGIN) : failed,
                unstableAt,
                trials);
    }

    private void note(Attempt attempt, Result decided) {
        double rate = attempt.rate();
        if (decided == Result.FAILED) {
            failed = Double.isNaN(failed) ? rate : Math.min(failed, rate);
        } else if (decided == Result.PASSED && !attempt.kind().isPerturbation()) {
            passed.add(rate);
            failed = failed <= rate ? Double.NaN : failed; // a passed trial disproves failures at and below its rate
        }
    }

    private void decide(double rate, Result decided) {
        switch (phase) {
            case RAMP -> ramp(rate, decided);
            case BISECT -> {
                highIsOfRamp &= decided == Result.PASSED;
                bound(rate, decided);
                bisect();
            }
            case DOUBT -> doubt(rate, decided);
            case CONFIRM -> confirm(rate, decided);
            case CONTROL -> control(rate, decided);
            case DESCEND -> descend(rate, decided);
            case LIFT -> lift(rate, decided);
        }
    }

    private void bound(double rate, Result decided) {
        if (decided == Result.PASSED) {
            low = rate;
        } else {
            high = rate;
            highIsUnsent = decided == Result.GENERATOR_BOUND;
        }
    }

    private void ramp(double rate, Result decided) {
        bound(rate, decided);
        if (!Double.isNaN(low) && !Double.isNaN(high)) {
            phase = Phase.BISECT;
            highIsOfRamp = true;
            bisect();
        } else if (Double.isNaN(low)) {
            if (++downs > MAX_DOWNS) {
                end(highIsUnsent ? Verdict.GENERATOR_BOUND : Verdict.NOT_FOUND);
            } else {
                ask(Kind.STEP, rate / RAMP);
            }
        } else if (rate >= limits.maxRate()) {
            high = rate;
            highIsUnsent = true; // Higher rates cannot be sent.
            beginConfirm();
        } else {
            ask(Kind.STEP, Math.min(rate * RAMP, limits.maxRate()));
        }
    }

    private void bisect() {
        if (high > low * BRACKET) {
            ask(Kind.STEP, Math.sqrt(low * high));
        } else if (highIsOfRamp && doubts < MAX_DOUBTS) {
            doubts++;
            phase = Phase.DOUBT;
            ask(Kind.STEP, high);
        } else {
            beginConfirm();
        }
    }

    private void doubt(double rate, Result decided) {
        if (decided == Result.PASSED) {
            high = Double.NaN;
            phase = Phase.RAMP;
            ramp(rate, decided);
        } else {
            bound(rate, decided);
            beginConfirm();
        }
    }

    private void beginConfirm() {
        beginConfirm(low);
    }

    private void beginConfirm(double from) {
        candidate = from * (1 - MARGIN);
        phase = Phase.CONFIRM;
        perturbation = -1;
        ask(Kind.HOLD, candidate);
    }

    private Verdict confirmed() {
        boolean isNarrow = failed * (1 + MARGIN) <= candidate * WIDEST;
        return highIsUnsent && !isNarrow ? Verdict.GENERATOR_BOUND : Verdict.FOUND;
    }

    private void confirm(double rate, Result decided) {
        if (decided == Result.PASSED) {
            if (!askNextPerturbation(rate)) {
                unlifted = failed;
                askHigher();
            }
        } else if (decided == Result.FAILED && perturbation >= 0) {
            phase = Phase.CONTROL;
            ask(Kind.HOLD, rate);
        } else {
            lower(rate, decided);
        }
    }

    private void control(double rate, Result decided) {
        if (decided == Result.PASSED) {
            unstableAt = rate;
            high = rate;
            failed = rate; // the perturbation failed at this rate
            highIsUnsent = false;
            low = Double.NaN;
            phase = Phase.DESCEND;
            askLower();
        } else {
            lower(rate, decided);
        }
    }

    private void lower(double rate, Result decided) {
        bound(rate, decided);
        if (++lowerings > MAX_LOWERINGS) {
            low = Double.NaN;
            candidate = Double.NaN;
            end(highIsUnsent ? Verdict.GENERATOR_BOUND : Verdict.NOT_FOUND);
        } else {
            Double below = passed.lower(rate);
            low = below == null ? Double.NaN : below;
            beginConfirm(rate / BRACKET);
        }
    }

    /** Requests the next perturbation at this rate. Returns false if all perturbations have been tried. */
    private boolean askNextPerturbation(double rate) {
        if (++perturbation >= limits.perturbations().size()) {
            return false;
        }
        ask(limits.perturbations().get(perturbation), rate);
        return true;
    }

    private void descend(double rate, Result decided) {
        if (decided == Result.PASSED && askNextPerturbation(rate)) {
            return;
        }
        if (decided == Result.PASSED) {
            low = rate;
        } else {
            high = rate;
            if (decided == Result.FAILED && perturbation >= 0) {
                unstableAt = rate;
            }
        }
        askLower();
    }

    /** Tries a rate below the unstable one, unless the search is over. */
    private void askLower() {
        if (high <= low * WIDEST || ++lowerings > MAX_LOWERINGS) {
            end(Verdict.UNSTABLE_AT);
            return;
        }
        perturbation = -1;
        ask(Kind.HOLD, Double.isNaN(low) ? descent() : Math.sqrt(low * high));
    }

    private double descent() {
        double above = carried * (1 + AROUND);
        double next = above < high * (1 - AROUND) ? above : carried * (1 - AROUND);
        return next < high * (1 - AROUND / 2) ? next : high * DESCENT; // Also true for NaN.
    }

    private void lift(double rate, Result decided) {
        if (decided == Result.PASSED && askNextPerturbation(rate)) {
            return;
        }
        if (decided == Result.PASSED) {
            candidate = rate;
        } else {
            unlifted = rate;
        }
        askHigher();
    }

    /** Tries to confirm a rate above the candidate, unless the search is over. */
    private void askHigher() {
        Verdict confirmed = confirmed();
        boolean isLifted = Double.isNaN(unlifted) || unlifted <= candidate * LIFTED;
        if (confirmed != Verdict.FOUND || isLifted || ++lifts > limits.lifts()) {
            end(confirmed);
            return;
        }
        phase = Phase.LIFT;
        perturbation = -1;
        ask(Kind.HOLD, Math.sqrt(candidate * unlifted));
    }

    private void ask(Kind kind, double rate) {
        boolean isNear = (phase == Phase.BISECT || phase == Phase.DOUBT) && high <= low * NEAR;
        boolean isLift = phase == Phase.LIFT && kind == Kind.HOLD;
        poll = new Poll(new Attempt(kind, rate), !isNear && !isLift);
    }

    private void end(Verdict found) {
        verdict = found;
        poll = null;
    }
}
