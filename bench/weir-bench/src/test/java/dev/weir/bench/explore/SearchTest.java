package dev.weir.bench.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.explore.Outcome.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Checks that the search finds a known limit, for a thousand simulated systems of each kind. All seeds are fixed. */
class SearchTest {
    private static final int SEEDS = 1_000;

    private static long count(LongFunction<SimulatedSystem> system, Predicate<Finding> wanted) {
        return LongStream.range(0, SEEDS)
                .mapToObj(seed -> system.apply(seed).explored())
                .filter(wanted)
                .count();
    }

    private static boolean isNarrow(Finding finding) {
        return finding.low() >= 0.9 * finding.high();
    }

    @Test
    void monotoneNoisy_intervalIsNarrowAndContainsTheTruth_in940Of1000() {
        int contains = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedSystem system = SimulatedSystem.monotone(seed, true);
            Finding finding = system.explored();
            if (finding.verdict() == Verdict.FOUND && finding.low() <= system.truth && system.truth <= finding.high()) {
                assertThat(isNarrow(finding)).as("%s", finding).isTrue();
                contains++;
            }
        }
        assertThat(contains).isGreaterThanOrEqualTo(940);
    }

    @Test
    void monotone_withoutNoise_isAlwaysFound() {
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedSystem system = SimulatedSystem.monotone(seed, false);
            Finding finding = system.explored();
            assertThat(finding.verdict()).isEqualTo(Verdict.FOUND);
            assertThat(isNarrow(finding)).isTrue();
            assertThat(system.truth).isBetween(finding.low(), finding.high());
            assertThat(finding.low()).isGreaterThanOrEqualTo(0.98 * system.truth);
            assertThat(finding.trials()).hasSizeLessThan(50);
        }
    }

    /** A bistable system sustains rates at which it does not recover from a restart. */
    @Test
    void bistable_isCalledUnstable_always() {
        for (boolean tells : new boolean[] {false, true}) {
            assertThat(count(
                            seed -> SimulatedSystem.bistable(seed, tells),
                            finding -> finding.verdict() == Verdict.UNSTABLE_AT))
                    .isEqualTo(SEEDS);
        }
    }

    /**
     * A collapsed system handles about the same number of records at any rate. A search that starts near that rate
     * needs fewer trials.
     */
    @Test
    void bistable_thatTellsWhatItTookWhileCollapsed_isFoundInFewerTrials() {
        long silent = 0;
        long telling = 0;
        int narrow = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            silent += SimulatedSystem.bistable(seed, false).explored().trials().size();
            Finding finding = SimulatedSystem.bistable(seed, true).explored();
            telling += finding.trials().size();
            narrow += finding.low() * 1.12 >= finding.unstableAt() ? 1 : 0;
        }
        assertThat(telling).isLessThan(silent * 9 / 10);
        assertThat(narrow).isGreaterThanOrEqualTo(900);
    }

    @Test
    void bistable_lowerEnd_recovers_andIsBelowTheRateThatDidNot() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Finding finding = SimulatedSystem.bistable(seed, false).explored();
            if (!Double.isNaN(finding.low())) {
                assertThat(finding.low()).isLessThan(finding.unstableAt());
                assertThat(finding.trials())
                        .filteredOn(trial -> trial.attempt().rate() == finding.low())
                        .filteredOn(Trial::passed)
                        .extracting(trial -> trial.attempt().kind())
                        .contains(Kind.HOLD, Kind.COLD_START, Kind.RESTART, Kind.PAUSE);
            }
            assertThat(finding.perturbations()).anyMatch(trial -> !trial.passed());
        }
    }

    @Test
    void drifting_ends_andClaimsNoMoreThanTheSystemHadAtTheBegin() {
        int found = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedSystem system = SimulatedSystem.drifting(seed, 0.004);
            Finding finding = system.explored();
            if (finding.verdict() == Verdict.FOUND) {
                double atItsEnd =
                        system.truth * Math.pow(0.996, finding.trials().size());
                assertThat(finding.low()).isLessThan(1.1 * atItsEnd);
                found++;
            }
        }
        assertThat(found).isGreaterThanOrEqualTo(800);
    }

    @Test
    void generatorSlowerThanTheSystem_isNamed() {
        int named = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedSystem system = SimulatedSystem.behindGenerator(seed, 0.5);
            Finding finding = system.explored();
            assertThat(finding.low()).isLessThan(0.56 * system.truth);
            if (finding.verdict() == Verdict.GENERATOR_BOUND) {
                assertThat(finding.high()).isNaN();
                named++;
            }
        }
        assertThat(named).isGreaterThanOrEqualTo(990);
    }

    /** The generator can send only 1.3 times the system's limit. The search must still find the limit. */
    @Test
    void generatorALittleFasterThanTheSystem_doesNotHideItsLimit() {
        assertThat(count(
                        seed -> SimulatedSystem.behindGenerator(seed, 1.3),
                        finding -> finding.verdict() == Verdict.FOUND && isNarrow(finding)))
                .isGreaterThanOrEqualTo(970);
    }

    @Test
    void anyAnswers_end() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(SimulatedSystem.random(seed).explored().trials()).hasSizeLessThanOrEqualTo(Limits.MAX_TRIALS);
        }
    }

    private static Finding always(Result result, Limits limits, List<Double> rates) {
        Search search = new Search(limits);
        for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
            rates.add(attempt.rate());
            search.tell(new Outcome(result, "always"), 10);
        }
        return search.finding();
    }

    private static Limits limits(double maxRate, double maxSeconds) {
        return new Limits(1000, maxRate, maxSeconds, SimulatedSystem.PERTURBATIONS);
    }

    @Test
    void nothingHeld_isNotFound_afterGoingDown() {
        List<Double> rates = new ArrayList<>();
        Finding finding = always(Result.FAILED, limits(1e6, 1e6), rates);
        assertThat(finding.verdict()).isEqualTo(Verdict.NOT_FOUND);
        assertThat(finding.low()).isNaN();
        assertThat(rates.getLast()).isLessThan(1);
    }

    @Test
    void everythingHeld_isTheGeneratorsBound_atTheHighestRate() {
        List<Double> rates = new ArrayList<>();
        Finding finding = always(Result.PASSED, limits(5000, 1e6), rates);
        assertThat(finding.verdict()).isEqualTo(Verdict.GENERATOR_BOUND);
        assertThat(rates).startsWith(1000.0, 2000.0, 4000.0, 5000.0).allMatch(rate -> rate <= 5000);
        assertThat(finding.low()).isEqualTo(5000 * (1 - Search.MARGIN));
        assertThat(finding.perturbations())
                .extracting(trial -> trial.attempt().kind())
                .containsExactlyElementsOf(SimulatedSystem.PERTURBATIONS);
    }

    @Test
    void timeUsedUp_isTimedOut_beforeATrialThatWouldEndLater() {
        List<Double> rates = new ArrayList<>();
        Finding finding = always(Result.PASSED, limits(1e6, 35), rates);
        assertThat(finding.verdict()).isEqualTo(Verdict.TIMED_OUT);
        assertThat(rates).containsExactly(1000.0, 2000.0, 4000.0);
        assertThat(finding.low()).isEqualTo(4000);
        assertThat(finding.high()).isNaN();
    }

    @Test
    void timeUsedUp_beforeTheFirstTrial_isTimedOutAtOnce() {
        Search search = new Search(limits(1e6, 0));
        assertThat(search.next()).isNull();
        assertThat(search.finding().verdict()).isEqualTo(Verdict.TIMED_OUT);
    }

    /** A HOLD trial takes longer than a STEP trial, so its expected duration exceeds the time left. */
    @Test
    void firstTrialOfAKind_isNotBegun_ifItIsExpectedToEndLater() {
        List<Double> rates = new ArrayList<>();
        Limits limits =
                new Limits(1000, 2000, 60, SimulatedSystem.PERTURBATIONS, Limits.LIFTS, Map.of(Kind.HOLD, 50.0));
        Finding finding = always(Result.PASSED, limits, rates);
        assertThat(finding.verdict()).isEqualTo(Verdict.TIMED_OUT);
        assertThat(rates).containsExactly(1000.0, 2000.0);
    }

    /** The time is up while the search tries to raise a confirmed rate. The confirmed rate must be the finding. */
    @Test
    void timeUsedUp_whileMoreIsAskedFor_isFound() {
        Search search = new Search(limits(1e6, 1e6));
        int confirming = 0;
        for (Attempt attempt = search.next(); attempt != null && confirming < 5; attempt = search.next()) {
            confirming += attempt.kind() == Kind.STEP ? 0 : 1;
            search.tell(new Outcome(SimulatedSystem.passedIf(attempt.rate() < 7000), ""), 10);
        }
        search.giveUp();
        assertThat(search.finding().verdict()).isEqualTo(Verdict.FOUND);
        assertThat(search.finding().low()).isBetween(6300.0, 6900.0);
    }

    private static void tell(Search search, Result... results) {
        for (Result result : results) {
            search.tell(new Outcome(result, ""), 10);
        }
    }

    /** The system passed at 1,000/s and failed at 2,000/s. The generator could not send the rates in between. */
    @Test
    void rateThatFailed_isNotForgotten_forOneThatCouldNotBeSent() {
        Search search = new Search(limits(1e6, 1e6));
        tell(search, Result.PASSED, Result.FAILED, Result.FAILED);
        for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
            tell(search, attempt.rate() > 1500 ? Result.GENERATOR_BOUND : Result.PASSED);
        }
        Finding finding = search.finding();
        assertThat(finding.verdict()).isEqualTo(Verdict.GENERATOR_BOUND);
        assertThat(finding.low()).isBetween(1300.0, 1500.0);
        assertThat(finding.high()).isEqualTo(2000);
    }

    /** Without lifts, the search ends with the first confirmed rate. Its interval is at most 10 % wide. */
    @Test
    void noLifts_areTried_ifNoneAreAllowed() {
        for (long seed = 1; seed <= 20; seed++) {
            SimulatedSystem system = SimulatedSystem.monotone(seed, false);
            Finding finding = system.explored(new Limits(1000, 1e6, 1e6, SimulatedSystem.PERTURBATIONS, 0, Map.of()));
            assertThat(finding.verdict()).isEqualTo(Verdict.FOUND);
            assertThat(finding.high() / finding.low()).isBetween(1.0, 1 / 0.9);
            assertThat(finding.trials().stream()
                            .map(Trial::attempt)
                            .filter(attempt -> attempt.kind() == Kind.HOLD)
                            .map(Attempt::rate)
                            .distinct())
                    .containsExactly(finding.low());
        }
    }

    /**
     * The system passed at one rate and failed at a rate 3 % higher. The generator later failed to send the higher
     * rate.
     */
    @Test
    void bracketThatIsNarrow_isFound_thoughTheRateAboveItCouldNotBeSentLater() {
        Search search = new Search(new Limits(1000, 1030, 1e6, List.of()));
        tell(search, Result.PASSED, Result.FAILED, Result.FAILED);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.STEP, 1030)); // the repeated step
        tell(search, Result.GENERATOR_BOUND, Result.GENERATOR_BOUND);
        tell(search, Result.PASSED);
        search.giveUp();
        assertThat(search.finding().verdict()).isEqualTo(Verdict.FOUND);
        assertThat(search.finding().high()).isEqualTo(1030 * (1 + Search.MARGIN));
    }

    @Test
    void timedOut_namesARateThatWasRun_afterAHoldThatFailed() {
        Search search = new Search(new Limits(1000, 2000, 1e6, List.of()));
        tell(search, Result.PASSED, Result.PASSED, Result.FAILED, Result.FAILED);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.HOLD, 1950 / Search.BRACKET * (1 - Search.MARGIN)));
        search.giveUp();
        assertThat(search.finding().verdict()).isEqualTo(Verdict.TIMED_OUT);
        assertThat(search.finding().low()).isEqualTo(1000);
        assertThat(search.finding().high()).isEqualTo(1950);
    }

    /** Regression: after two hiccups in a row, the search returned an interval far below the limit. */
    @Test
    void failureThatEndedTheRamp_isAskedAboutAgain() {
        Search search = new Search(limits(1e6, 1e6));
        List<Result> hiccups = List.of(Result.FAILED, Result.FAILED);
        double limit = 7000;
        int step = 0;
        for (Attempt attempt = search.next(); attempt != null; attempt = search.next()) {
            Result result = SimulatedSystem.passedIf(attempt.rate() < limit);
            search.tell(new Outcome(step < hiccups.size() ? hiccups.get(step) : result, ""), 10);
            step++;
        }
        Finding finding = search.finding();
        assertThat(finding.verdict()).isEqualTo(Verdict.FOUND);
        assertThat(limit).isBetween(finding.low(), finding.high());
    }

    /** Only a passed HOLD trial after the perturbation proves instability. */
    @Test
    void failedPerturbation_isUnstable_onlyIfTheHoldStillPasses() {
        Search search = new Search(limits(1000, 1e6));
        search.tell(new Outcome(Result.PASSED, ""), 10);
        Attempt hold = new Attempt(Kind.HOLD, 975);
        assertThat(search.next()).isEqualTo(hold);
        search.tell(new Outcome(Result.PASSED, ""), 10);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.COLD_START, 975));
        search.tell(new Outcome(Result.FAILED, ""), 10);
        search.tell(new Outcome(Result.FAILED, ""), 10);
        assertThat(search.next()).isEqualTo(hold);
        search.tell(new Outcome(Result.FAILED, ""), 10);
        search.tell(new Outcome(Result.FAILED, ""), 10);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.HOLD, 975 / Search.BRACKET * (1 - Search.MARGIN)));
    }

    /** A short pause of the machine must not end the ramp. */
    @Test
    void oneFailure_isAskedAgain() {
        Search search = new Search(limits(1e6, 1e6));
        search.tell(new Outcome(Result.FAILED, "a hiccup"), 10);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.STEP, 1000));
        search.tell(new Outcome(Result.PASSED, ""), 10);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.STEP, 1000));
        search.tell(new Outcome(Result.PASSED, ""), 10);
        assertThat(search.next()).isEqualTo(new Attempt(Kind.STEP, 2000));
    }

    @Test
    void search_refusesWhatIsNone() {
        assertThatThrownBy(() -> new Limits(0, 1, 1, List.of())).hasMessageContaining("startRate=0.0");
        assertThatThrownBy(() -> new Limits(1, 2, 1, List.of(Kind.HOLD))).hasMessageContaining("HOLD");
        Search over = new Search(limits(1e6, 1e6));
        assertThatThrownBy(over::finding).isInstanceOf(IllegalStateException.class);
        over.giveUp();
        assertThat(over.next()).isNull();
        assertThatThrownBy(() -> over.tell(new Outcome(Result.PASSED, ""), 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void extendedSearch_goesOnForSoMuchLonger() {
        Search search = new Search(new Limits(100, 1_000, 10, List.of()));
        search.extend(5);
        search.tell(new Outcome(Outcome.Result.PASSED, ""), 6);
        assertThat(search.secondsLeft()).isEqualTo(9);
        assertThat(search.next()).as("another of 6 s fits").isNotNull();
    }
}
