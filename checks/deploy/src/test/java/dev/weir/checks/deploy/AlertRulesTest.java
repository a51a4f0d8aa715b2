package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that each alert rule fires in its case, and is silent in a similar case, after a stop, and while a gauge has
 * no value.
 */
class AlertRulesTest {

    private static final int MINUTES = 40;
    private static final Path RULES = Image.ROOT.resolve("deploy/grafana/alerts/weir.yaml");

    @TempDir
    private Path folder;

    private static final String RUNS = series("weir_pipeline_running", "1");

    /** A rule, a case in which it fires, and a similar case in which it is silent. */
    record Rule(String name, String firing, String silent) {}

    private static List<Rule> rules() {
        return List.of(
                new Rule(
                        "WeirDown",
                        line("weir_pipeline_running", "1x34 stale") + series("up", "1x34 0x10"),
                        RUNS + series("up", "1x36 0 1x5")),
                new Rule(
                        "WeirGone",
                        line("weir_pipeline_running", "1x20 stale"),
                        line("weir_pipeline_running", "1x20 stale")
                                + series("weir_pipeline_running", "1").replace("instance=\"a\"", "instance=\"b\"")),
                new Rule("WeirAbsent", series("up", "1"), line("weir_pipeline_running", "1x20 stale")),
                new Rule(
                        "WeirRestarts",
                        RUNS + series("process_start_time_seconds", "1x28 2 2 _ 3 3 _ 4"),
                        RUNS + series("process_start_time_seconds", "1x28 2 2 _ 3")),
                new Rule("WeirPipelineEnded", series("weir_pipeline_running", "0"), RUNS),
                gauge("WeirConsumerDead", "weir_consumer_live", "0", "1"),
                gauge("WeirConsumerNotReady", "weir_consumer_ready", "0", "1"),
                gauge("WeirNoProgress", "weir_consumer_progressing", "0", "1"),
                gauge("WeirNoBrokerAnswers", "weir_consumer_silent_seconds", "40", "20"),
                gauge("WeirRecordStuck", "weir_consumer_oldest_unfinished_seconds", "400", "200"),
                new Rule(
                        "WeirLagRises",
                        RUNS + rising("weir_consumer_lag_records", 20_000),
                        RUNS + series("weir_consumer_lag_records", "20000")),
                gauge("WeirLate", "weir_consumer_lag_seconds", "1000", "800"),
                new Rule(
                        "WeirCommitsFail",
                        RUNS
                                + rising("weir_consumer_commits_failed_total", 3)
                                + series("weir_consumer_commit_age_seconds", "90"),
                        RUNS
                                + rising("weir_consumer_commits_failed_total", 3)
                                + series("weir_consumer_commit_age_seconds", "5")),
                new Rule(
                        "WeirRebalancesOften",
                        RUNS + rising("weir_consumer_rebalances_total", 1),
                        RUNS + line("weir_consumer_rebalances_total", "0x30 1 2 2 3x8")),
                new Rule(
                        "WeirDeadLetters",
                        RUNS + rising("weir_deadletters_written_total", 1),
                        RUNS + series("weir_deadletters_written_total", "7")),
                gauge("WeirDeadLettersRefused", "weir_deadletters_held", "2", "0"),
                new Rule("WeirBreakerOpen", RUNS + breaker("1x40"), RUNS + breaker("0x40")));
    }

    /** Returns the meter of a breaker. It names no pipeline, because pipelines may share a breaker. */
    private static String breaker(String values) {
        return line("weir_breaker_open", values).replace("pipeline=\"p\"", "breaker=\"b\"");
    }

    private static Rule gauge(String name, String gauge, String firing, String silent) {
        return new Rule(name, RUNS + series(gauge, firing), RUNS + series(gauge, silent));
    }

    /** Other rules may fire at the same time. */
    @ParameterizedTest
    @MethodSource("rules")
    void rule_inItsCaseAndBesideIt_firesAndIsSilent(Rule rule) throws Exception {
        String only = "{alertname=\"" + rule.name() + "\"}";
        assertAlerts(only, List.of(rule.name()), rule.firing());
        assertAlerts(only, List.of(), rule.silent());
    }

    @Test
    void rules_allOfThem_haveACase() throws Exception {
        String file = Files.readString(RULES);
        assertThat(Pattern.compile("- alert: (\\w+)").matcher(file).results().map(found -> found.group(1)))
                .containsExactlyElementsOf(rules().stream().map(Rule::name).toList());
    }

    /** A drained pipeline keeps its meters while its process responds. Its rates stay above zero for some minutes. */
    @ParameterizedTest
    @ValueSource(strings = {"stale", "0x6"})
    void pipelineThatWasStopped_raisesNoAlarmOfItsConsumer(String after) throws Exception {
        String gone = after.equals("stale") ? "stale" : "%s";
        assertAlerts(
                "{alertname=~\"WeirCommits.*|WeirRebalances.*|WeirConsumer.*|WeirNo.*|WeirLag.*|WeirLate|WeirRecord.*|"
                        + "WeirDeadLettersRefused|WeirBreaker.*\"}",
                List.of(),
                line("weir_pipeline_running", "1x33 " + after),
                line("weir_consumer_commits_failed_total", "0+3x33 " + gone.formatted("100x6")),
                line("weir_consumer_commit_age_seconds", "5x33 " + gone.formatted("60+60x6")),
                line("weir_consumer_rebalances_total", "0+1x33 " + gone.formatted("33x6")),
                line("weir_consumer_progressing", "1x33 " + gone.formatted("0x6")),
                line("weir_consumer_live", "1x33 " + gone.formatted("0x6")),
                line("weir_share_live", "1x33 " + gone.formatted("0x6")),
                line("weir_share_ready", "1x33 " + gone.formatted("0x6")),
                line("weir_deadletters_held", "0x33 " + gone.formatted("3x6")),
                breaker("1x40"));
    }

    /** A share group member has its own health and lag meters. */
    @ParameterizedTest
    @CsvSource({
        "WeirConsumerDead, weir_share_live, 0, 1",
        "WeirConsumerNotReady, weir_share_ready, 0, 1",
        "WeirNoProgress, weir_share_progressing, 0, 1",
        "WeirLagRises, weir_share_lag_records, 0+20000x40, 20000"
    })
    void memberOfAShareGroup_raisesTheAlarmsOfAConsumer(String alert, String meter, String firing, String silent)
            throws Exception {
        String rising = firing.contains("x") ? line(meter, firing) : series(meter, firing);
        assertFiring(List.of(alert), RUNS + rising);
        assertFiring(List.of(), RUNS + series(meter, silent));
    }

    /** Lags are unknown if a topic has no records, or before the first responses. */
    @Test
    void lagsThatAreNotKnown_raiseNoAlarm() throws Exception {
        assertFiring(
                List.of(),
                series("weir_pipeline_running", "1"),
                series("weir_consumer_lag_records", "NaN"),
                series("weir_consumer_lag_seconds", "NaN"),
                series("weir_share_lag_records", "NaN"),
                series("weir_consumer_silent_seconds", "NaN"),
                series("weir_consumer_oldest_unfinished_seconds", "NaN"),
                series("weir_consumer_commit_age_seconds", "NaN"),
                rising("weir_consumer_commits_failed_total", 0));
    }

    /** Before the first commit, the age of the last commit is unknown. */
    @Test
    void commitsThatFailFromTheStart_raiseTheAlarm() throws Exception {
        assertFiring(
                List.of("WeirCommitsFail"),
                series("weir_pipeline_running", "1"),
                series("weir_consumer_commit_age_seconds", "NaN"),
                rising("weir_consumer_commits_failed_total", 3));
    }

    @Test
    void commitsThatFailNowAndThen_raiseNone() throws Exception {
        assertFiring(
                List.of(),
                series("weir_pipeline_running", "1"),
                series("weir_consumer_commit_age_seconds", "5"),
                rising("weir_consumer_commits_failed_total", 3));
    }

    @Test
    void lagThatIsOldAndRises_raisesBothAlarms() throws Exception {
        assertFiring(
                List.of("WeirLagRises", "WeirLate"),
                series("weir_pipeline_running", "1"),
                rising("weir_consumer_lag_records", 20_000),
                series("weir_consumer_lag_seconds", "1000"));
    }

    private static String series(String name, String value) {
        return line(name, value.contains(" ") ? value : (value + " ").repeat(MINUTES + 1));
    }

    private static String rising(String name, int byTheMinute) {
        return line(name, "0+" + byTheMinute + "x" + MINUTES);
    }

    private static String line(String name, String values) {
        return "      - { series: '" + name + "{job=\"weir\",instance=\"a\",pipeline=\"p\"}', values: '" + values
                + "' }\n";
    }

    private void assertFiring(List<String> alerts, String... series) throws Exception {
        assertAlerts("", alerts, series);
    }

    private void assertAlerts(String matcher, List<String> alerts, String... series) throws Exception {
        String among = matcher.isEmpty() ? "{alertstate=\"firing\"}" : matcher.replace("}", ",alertstate=\"firing\"}");
        StringBuilder samples = new StringBuilder();
        alerts.forEach(alert -> samples.append("          - { labels: '{alertname=\"" + alert + "\"}', value: 1 }\n"));
        Promtool.assertHolds(Files.writeString(
                folder.resolve("test.yaml"),
                "rule_files: ['" + RULES + "']\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n"
                        + String.join("", series)
                        + "    promql_expr_test:\n      - expr: count by (alertname) (ALERTS" + among + ")\n"
                        + "        eval_time: " + MINUTES + "m\n        exp_samples:" + (alerts.isEmpty() ? " []" : "")
                        + "\n"
                        + samples));
    }
}
