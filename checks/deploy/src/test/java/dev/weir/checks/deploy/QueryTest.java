package dev.weir.checks.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs queries of the autoscaler and the dashboard in Prometheus's rule tests. Needs {@code promtool}. */
class QueryTest {

    private static final String NOTHING = """
            - interval: 15s
              input_series:
            """;

    /** In one pod, one thread is half busy in each of two stages. In the other pod, half of ten threads are busy. */
    private static final String TWO_PODS = NOTHING + """
                - { series: 'weir_stage_busy_seconds_total{job="weir",instance="a",stage="read"}', values: '0+7.5x40' }
                - { series: 'weir_stage_busy_seconds_total{job="weir",instance="a",stage="write"}', values: '0+7.5x40' }
                - { series: 'weir_stage_busy_seconds_total{job="weir",instance="b",stage="read"}', values: '0+1.5x40' }
                - { series: 'weir_stage_busy_seconds_total{job="weir",instance="b",stage="work"}', values: '0+75x40' }
                - { series: 'weir_stage_parallelism{job="weir",instance="a",stage="read"}', values: '1x40' }
                - { series: 'weir_stage_parallelism{job="weir",instance="a",stage="write"}', values: '1x40' }
                - { series: 'weir_stage_parallelism{job="weir",instance="b",stage="read"}', values: '1x40' }
                - { series: 'weir_stage_parallelism{job="weir",instance="b",stage="work"}', values: '10x40' }
                - { series: 'weir_pipeline_running{job="weir",instance="a"}', values: '1x40' }
                - { series: 'weir_pipeline_running{job="weir",instance="b"}', values: '1x40' }
                - { series: 'up{job="weir",instance="a"}', values: '1x40' }
                - { series: 'up{job="weir",instance="b"}', values: '1x40' }
                - { series: 'up{job="weir",instance="c"}', values: '0x40' }
            """;

    @TempDir
    private Path folder;

    @Test
    void consumerGroup_isAskedForBusyPodsAndMoreByLag() throws Exception {
        assertAnswer(Variant.BASE, TWO_PODS, "1.5");
        assertAnswer(Variant.BASE, TWO_PODS + series("weir_consumer_lag_seconds", "b", "60"), "4.5");
    }

    @Test
    void limiter_ofMostPods_keepsThemAll_andOfOneDoesNot() throws Exception {
        String one = TWO_PODS + series("weir_limiter", "a", "1").replace("\"}", "\",kind=\"key-skew\"}");
        assertAnswer(Variant.BASE, one, "1.5");
        String both = one + series("weir_limiter", "b", "1").replace("\"}", "\",kind=\"output-broker\"}");
        assertAnswer(Variant.BASE, both, "3");
    }

    @Test
    void shareGroup_isAskedForMoreByTheSecondsLeft() throws Exception {
        String idle = NOTHING
                + series("weir_stage_busy_seconds_total", "a", "0")
                + series("weir_stage_parallelism", "a", "1")
                + series("weir_share_lag_records", "a", "180");
        assertAnswer(Variant.SHARE_GROUP, idle, "0");
        String busy = TWO_PODS
                + series("weir_share_accepted_total", "a", "0+15000")
                + series("weir_share_lag_records", "a", "60000");
        assertAnswer(Variant.SHARE_GROUP, busy, "4.5");
    }

    @Test
    void podsWithoutWork_areKept_andNoPodsAreNoAnswer() throws Exception {
        String starting = NOTHING + series("up", "a", "0") + series("up", "b", "0");
        assertAnswer(Variant.BASE, starting, "2");
        assertAnswer(Variant.SHARE_GROUP, starting, "2");
        String others = NOTHING + series("up", "a", "1").replace("weir", "other");
        assertAnswer(Variant.BASE, others, "");
        assertAnswer(Variant.SHARE_GROUP, others, "");
    }

    /** Regression: beside a consumer group, the lag of share groups was left out, and of several, only one counted. */
    @Test
    void dashboardsLag_isTheSumOfAllGroups() throws Exception {
        JsonNode dashboard = new ObjectMapper()
                .readTree(Image.ROOT
                        .resolve("deploy/grafana/dashboards/weir-pipeline.json")
                        .toFile());
        String lag = StreamSupport.stream(dashboard.required("panels").spliterator(), false)
                .filter(panel -> panel.at("/type").asText().equals("stat")
                        && panel.at("/title").asText().equals("Lag"))
                .map(panel -> panel.at("/targets/0/expr").asText().replace("$pipeline", ".*"))
                .findFirst()
                .orElseThrow();
        String shared = NOTHING
                + lag("weir_share_lag_records", "clicks", "a", "700")
                + lag("weir_share_lag_records", "clicks", "b", "700")
                + lag("weir_share_lag_records", "views", "a", "50");
        assertAnswer(lag, shared, "750");
        assertAnswer(
                lag,
                shared
                        + lag("weir_consumer_lag_records", "orders", "a", "3")
                        + lag("weir_consumer_lag_records", "orders", "b", "4"),
                "757");
    }

    private static String lag(String name, String pipeline, String instance, String value) {
        return series(name, instance, value).replace("\"}", "\",pipeline=\"" + pipeline + "\"}");
    }

    private static String series(String name, String instance, String value) {
        return "    - { series: '" + name + "{job=\"weir\",instance=\"" + instance + "\"}', values: '" + value
                + "x40' }\n";
    }

    private void assertAnswer(Variant variant, String series, String pods) throws Exception {
        String query = variant.render(Variant.SCALING)
                .one("ScaledObject")
                .tree()
                .at("/spec/triggers/0/metadata/query")
                .asText();
        assertAnswer(query, series, pods);
    }

    private void assertAnswer(String query, String series, String value) throws Exception {
        Files.writeString(
                folder.resolve("rules.yaml"),
                "groups:\n  - name: weir\n    rules:\n      - record: answer\n        expr: |\n" + query.indent(10));
        String samples = value.isEmpty() ? "[]" : "[{ labels: answer, value: " + value + " }]";
        Path test = Files.writeString(
                folder.resolve("test.yaml"),
                "rule_files: [rules.yaml]\nevaluation_interval: 15s\ntests:\n" + series
                        + "  promql_expr_test:\n    - { expr: answer, eval_time: 5m, exp_samples: " + samples + " }\n");
        Promtool.assertHolds(test);
    }
}
