package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Gate.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Judges campaigns of plain and weir, which is about twice as fast. */
class GateTest {

    @TempDir
    Path temp;

    private int folders;

    private ResultsFolder folder(int points, int rounds) {
        return ResultsFolder.create(
                temp.resolve("campaign-" + folders++), SimulatedDriver.campaign(points, rounds, null, "plain", "weir"));
    }

    /** Appends a run of a second. The driver's rate varies by 1 or 2 % from round to round. */
    private static void run(ResultsFolder folder, int point, String driver, int round, Flag... flags) {
        long records = (driver.equals("weir") ? 2_000_000 : 1_000_000) + 20_000L * (round % 2);
        Totals totals =
                new Totals(records, records * 100, 1_000_000_000, 1_000_000_000, records * 10, 0, 0, 0, Map.of());
        int order = folder.runs().size();
        folder.append(
                new Run(
                        "p" + point,
                        driver,
                        round,
                        order,
                        1,
                        1,
                        2,
                        0,
                        List.of(),
                        totals,
                        new Ledger(records, records, 0, 0, 0),
                        Set.of(flags),
                        null),
                List.of());
    }

    /** Returns a campaign of one point, in which the first runs of a driver have a flag. */
    private ResultsFolder flagged(int rounds, String driver, int count, Flag flag) {
        ResultsFolder folder = folder(1, rounds);
        for (int round = 0; round < rounds; round++) {
            for (String each : List.of("plain", "weir")) {
                run(folder, 0, each, round, each.equals(driver) && round < count ? new Flag[] {flag} : new Flag[0]);
            }
        }
        return folder;
    }

    private ResultsFolder clean(int rounds) {
        return flagged(rounds, "", 0, Flag.UNEVEN);
    }

    private static Outcome judge(ResultsFolder folder, String rule) {
        return Gate.parse(rule).judge(folder).getFirst();
    }

    @Test
    void rule_isReadWithAnyMetricAndSpaces() {
        for (Metric metric : Metric.values()) {
            assertThat(Gate.parse("  weir " + metric.label() + "  <=\t0.5 of  plain "))
                    .isEqualTo(new Gate(
                            "weir " + metric.label() + "  <=\t0.5 of  plain", "weir", metric, false, 0.5, "plain"));
        }
        assertThat(Gate.parse("weir rate >= 1e-3 of plain").bound()).isEqualTo(0.001);
        assertThat(Gate.parse("weir rate >= 1 of plain").least()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "weir > plain, not a rule: 'weir > plain'",
        "weir rate >= 1 of plain or more, not a rule",
        "weir rate >= 1 of weir, names one",
        "weir speed >= 1 of plain, no metric speed; there are rate",
        "weir rate >= much of plain, not a number: much",
        "weir rate >= 0 of plain, a ratio is more than 0: 0",
        "weir rate >= -1 of plain, a ratio is more than 0: -1",
        "weir rate <= Infinity of plain, a ratio is more than 0: Infinity",
        "weir rate <= NaN of plain, a ratio is more than 0: NaN"
    })
    void ruleOfAnotherForm_isRefused(String rule, String why) {
        assertThatThrownBy(() -> Gate.parse(rule))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void driverThatIsNotInTheCampaign_isRefused() {
        ResultsFolder folder = clean(3);
        for (String rule : List.of("lean rate >= 1 of plain", "plain rate >= 1 of lean")) {
            assertThatThrownBy(() -> judge(folder, rule))
                    .hasMessage("no driver lean in the campaign; there are plain, weir");
        }
    }

    /** The rule is met even if the less favourable end of the interval only just reaches the bound. */
    @Test
    void bound_isComparedWithTheLessFavourableEnd() {
        ResultsFolder folder = clean(4);
        RatioInterval interval = judge(folder, "weir rate >= 1 of plain").interval();
        assertThat(interval.low()).isBetween(1.9, 1.999);
        assertThat(interval.high()).isBetween(1.99, 2.1);

        assertThat(judge(folder, "weir rate >= " + interval.low() + " of plain").passed())
                .isTrue();
        Outcome missed = judge(folder, "weir rate >= " + Math.nextUp(interval.low()) + " of plain");
        assertThat(missed.passed()).isFalse();
        assertThat(missed.why()).startsWith("the lower end of the interval is 1.9");

        assertThat(judge(folder, "weir rate <= " + interval.high() + " of plain")
                        .passed())
                .isTrue();
        Outcome exceeded = judge(folder, "weir rate <= " + Math.nextDown(interval.high()) + " of plain");
        assertThat(exceeded.passed()).isFalse();
        assertThat(exceeded.why()).startsWith("the upper end of the interval is ");

        assertThat(judge(folder, "plain rate <= 0.6 of weir").passed())
                .as("the baseline as the first driver")
                .isTrue();
        assertThat(judge(folder, "weir cpu <= 0.6 of plain").passed()).isTrue();
        assertThat(judge(folder, "weir p99 <= 10 of plain").why()).startsWith("0 rounds have figures");
    }

    @Test
    void threeRounds_areEnough_andTwoAreNot() {
        assertThat(judge(clean(3), "weir rate >= 1.3 of plain").why()).isEmpty();
        assertThat(judge(clean(2), "weir rate >= 0.1 of plain").why())
                .isEqualTo("2 rounds have figures that may be quoted of both, it takes 3");
        assertThat(judge(flagged(4, "plain", 2, Flag.GENERATOR_BOUND), "weir rate >= 0.1 of plain")
                        .why())
                .startsWith("2 rounds have figures");
        assertThat(judge(flagged(4, "plain", 1, Flag.GENERATOR_BOUND), "weir rate >= 0.1 of plain")
                        .passed())
                .isTrue();
    }

    /** The rounds without flagged or missing runs would meet the rule. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "weir"})
    void brokenChangedAndMissingRuns_ofEitherDriver_failTheGate(String driver) {
        String rule = "weir rate >= 1.3 of plain";
        assertThat(judge(flagged(5, driver, 1, Flag.GUARANTEE_BROKEN), rule).why())
                .isEqualTo("1 runs of " + driver + " failed or broke its guarantee");
        assertThat(judge(flagged(5, driver, 2, Flag.CHANGED), rule).why())
                .isEqualTo("runs of " + driver + " were changed while they ran, so they are like no others: p0_"
                        + driver + "_0, p0_" + driver + "_1");
        assertThat(judge(flagged(5, driver, 5, Flag.NOT_STEADY), rule).passed()).isTrue();

        ResultsFolder failed = clean(5);
        failed.append(Run.failed("p0", driver, 4, 99, 1, 1, 2, "it broke"), List.of());
        assertThat(judge(failed, rule).why()).isEqualTo("1 runs of " + driver + " failed or broke its guarantee");

        ResultsFolder unfinished = folder(1, 5);
        for (int round = 0; round < 5; round++) {
            for (String each : List.of("plain", "weir")) {
                if (round < 4 || !each.equals(driver)) {
                    run(unfinished, 0, each, round);
                }
            }
        }
        assertThat(judge(unfinished, rule).why()).isEqualTo("4 of 5 runs of " + driver + " are done");
        assertThat(judge(unfinished, rule).passed()).isFalse();
    }

    /** A driver that brokers held back may be faster. That matters if being faster breaks the rule. */
    @Test
    void driverThatBrokersHeldBack_failsTheGateThatItsTrueRateCouldBreak() {
        String atLeast = "weir rate >= 1.3 of plain";
        String atMost = "weir rate <= 3 of plain";
        ResultsFolder plain = flagged(4, "plain", 2, Flag.BROKER_BOUND);
        ResultsFolder weir = flagged(4, "weir", 2, Flag.BROKER_BOUND);
        assertThat(judge(plain, atLeast).why()).isEqualTo("brokers held back plain in 2 of 4 runs");
        assertThat(judge(weir, atLeast).why()).isEmpty();
        assertThat(judge(weir, atMost).why()).isEqualTo("brokers held back weir in 2 of 4 runs");
        assertThat(judge(plain, atMost).why()).isEmpty();
        assertThat(judge(plain, "weir cpu <= 0.6 of plain").why())
                .as("costs do not depend on brokers")
                .isEmpty();
        assertThat(judge(flagged(4, "plain", 1, Flag.BROKER_BOUND), atLeast).why())
                .as("a quarter of the runs")
                .isEmpty();
        assertThat(judge(flagged(5, "plain", 2, Flag.BROKER_BOUND), atLeast).why())
                .isEmpty();
    }

    @Test
    void eachPoint_isJudgedByItsOwnRuns() {
        ResultsFolder folder = folder(2, 3);
        for (int round = 0; round < 3; round++) {
            run(folder, 0, "plain", round);
            run(folder, 0, "weir", round);
            run(folder, 1, "plain", round, Flag.GUARANTEE_BROKEN);
            run(folder, 1, "weir", round);
        }
        assertThat(Gate.parse("weir rate >= 1.3 of plain").judge(folder))
                .extracting(outcome -> outcome.point().id() + " " + outcome.passed() + " " + outcome.why())
                .containsExactly("p0 true ", "p1 false 3 runs of plain failed or broke its guarantee");
    }
}
