package dev.weir.checks.deploy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alert rules where a gauge has no value: it is no number then, and no comparison with it holds. */
class AlertRulesTest {

    private static final int MINUTES = 40;

    @TempDir
    private Path folder;

    /** A topic without records, or a start whose questions have no answer yet. */
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

    /** Before the first commit there is no age of one. */
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
        return line(name, (value + " ").repeat(MINUTES + 1));
    }

    private static String rising(String name, int byTheMinute) {
        return line(name, "0+" + byTheMinute + "x" + MINUTES);
    }

    private static String line(String name, String values) {
        return "      - { series: '" + name + "{job=\"weir\",instance=\"a\",pipeline=\"p\"}', values: '" + values
                + "' }\n";
    }

    private void assertFiring(List<String> alerts, String... series) throws Exception {
        Path rules = Image.ROOT.resolve("deploy/grafana/alerts/weir.yaml");
        StringBuilder samples = new StringBuilder();
        alerts.forEach(alert -> samples.append("          - { labels: '{alertname=\"" + alert + "\"}', value: 1 }\n"));
        Promtool.assertHolds(Files.writeString(
                folder.resolve("test.yaml"),
                "rule_files: ['" + rules + "']\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n"
                        + String.join("", series)
                        + "    promql_expr_test:\n      - expr: count by (alertname) (ALERTS{alertstate=\"firing\"})\n"
                        + "        eval_time: " + MINUTES + "m\n        exp_samples:" + (alerts.isEmpty() ? " []" : "")
                        + "\n"
                        + samples));
    }
}
