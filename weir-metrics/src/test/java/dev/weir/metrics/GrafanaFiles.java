package dev.weir.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The files of {@code deploy/grafana}. */
final class GrafanaFiles {

    private static final Path FOLDER = Path.of(System.getProperty("weir.root"), "deploy/grafana");

    static final Path RULES = FOLDER.resolve("alerts/weir.yaml");

    private static final Pattern EXPRESSION = Pattern.compile("(?m)^ +expr: (.+)$");

    private GrafanaFiles() {}

    static JsonNode dashboard() throws IOException {
        return new ObjectMapper()
                .readTree(FOLDER.resolve("dashboards/weir-pipeline.json").toFile());
    }

    /** Returns the dashboard's queries as Grafana sends them for all pipelines. */
    static List<String> queries() throws IOException {
        return dashboard().findValuesAsText("expr").stream()
                .map(query -> query.replace("$__rate_interval", "1m").replace("$pipeline", ".*"))
                .toList();
    }

    static List<String> ruleExpressions() throws IOException {
        return EXPRESSION
                .matcher(Files.readString(RULES))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    static List<String> metricsNamed(String text) {
        return Pattern.compile("\\bweir_\\w+")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
