package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that the dashboard and the alert rules name existing meters. */
class GrafanaFilesTest {

    private static final Set<String> NAMES = PipelineMeters.ALL.stream()
            .flatMap(kind -> kind.meters().stream())
            .map(MeterSpec::prometheusName)
            .collect(Collectors.toSet());

    @Test
    void metrics_ofDashboardAndRules_exist() throws IOException {
        List<String> named = new ArrayList<>(
                GrafanaFiles.metricsNamed(GrafanaFiles.dashboard().toString()));
        GrafanaFiles.ruleExpressions().forEach(rule -> named.addAll(GrafanaFiles.metricsNamed(rule)));
        assertThat(named).hasSizeGreaterThan(30).isSubsetOf(NAMES);
    }

    @Test
    void meters_ofTheTable_areDrawn() throws IOException {
        assertThat(GrafanaFiles.metricsNamed(GrafanaFiles.dashboard().toString()))
                .containsAll(NAMES.stream()
                        .filter(name -> !Set.of(
                                        "weir_partition_paused",
                                        "weir_dispatcher_threads",
                                        "weir_dispatcher_completed_total",
                                        "weir_breaker_opened_total")
                                .contains(name))
                        .toList());
    }

    @Test
    void dashboard_read_canBeProvisioned() throws IOException {
        JsonNode dashboard = GrafanaFiles.dashboard();
        assertThat(dashboard.get("uid").asText()).isEqualTo("weir-pipeline");
        assertThat(dashboard.at("/templating/list/0/name").asText()).isEqualTo("datasource");
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
            assertThat(panel.get("title").asText()).isNotBlank();
            assertThat(panel.at("/gridPos/x").asInt() + panel.at("/gridPos/w").asInt())
                    .isLessThanOrEqualTo(24);
        }
        // No data source of the author.
        assertThat(dashboard.findValuesAsText("uid")).containsOnly("weir-pipeline", "${datasource}");
    }
}
