package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the output of {@code weir demo}, its exit code, and its reaction to a signal. */
@Timeout(120)
class DemoTest {

    private @Nullable Process started;

    @AfterEach
    void endProcess() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @Test
    void json_lastLineIsTheVerifiedSummary() throws Exception {
        String output = WeirCommand.output("demo", "--records", "5000", "--seed", "7", "--json");

        Map<String, Object> summary = flattened(output.lines().toList().getLast());
        assertThat(summary)
                .containsEntry("records_in", 5000L)
                .containsEntry("lost", 0L)
                .containsEntry("duplicates", 0L)
                .containsEntry("out_of_order", 0L)
                .containsEntry("misplaced", 0L)
                .containsEntry("seed", 7L);
        assertThat(number(summary, "records_out") + number(summary, "dead_lettered"))
                .isEqualTo(5000);
        assertThat(number(summary, "dead_lettered")).isPositive();
        assertThat(number(summary, "elapsed_ms")).isPositive();
        assertThat(number(summary, "records_per_second"))
                .isCloseTo(5_000_000 / number(summary, "elapsed_ms"), within(1.0));
        assertThat(number(summary, "latency_ms.p50")).isBetween(0.0, number(summary, "latency_ms.p99"));
        assertThat(number(summary, "latency_ms.p99")).isLessThanOrEqualTo(number(summary, "latency_ms.max"));
        assertThat(number(summary, "latency_ms.max")).isLessThanOrEqualTo(1.001 * number(summary, "elapsed_ms"));
        assertThat(summary.entrySet().stream()
                        .filter(field -> field.getKey().matches("stages\\.\\d+\\.name"))
                        .map(Map.Entry::getValue))
                .containsExactly("consume", "parse JSON", "parse URL", "decompress", "encode", "route", "produce");
        assertThat(summary.entrySet().stream()
                        .filter(field -> field.getKey().endsWith("_share"))
                        .map(field -> ((Number) field.getValue()).doubleValue()))
                .hasSize(7 * 3)
                .allSatisfy(share -> assertThat(share).isBetween(0.0, 1.0))
                .anySatisfy(share -> assertThat(share).isPositive());
    }

    @Test
    void termination_endsTrafficEarly_drainsAndVerifies() throws Exception {
        Process demo = start("--seconds", "3600", "--rate", "500", "--json");
        try (BufferedReader errors = demo.errorReader()) {
            String line;
            do {
                line = errors.readLine();
                assertThat(line).as("the demo ended before it showed progress").isNotNull();
            } while (!line.contains(" in flight "));
            demo.toHandle().destroy(); // Process.destroy would also close the output that the demo has yet to print.
            List<String> lines = demo.inputReader().lines().toList();
            assertThat(demo.waitFor())
                    .as(() -> errors.lines().toList().toString())
                    .isZero();

            Map<String, Object> summary = flattened(lines.getLast());
            assertThat(number(summary, "records_in")).isBetween(1.0, 500.0 * 120);
            assertThat(number(summary, "records_out") + number(summary, "dead_lettered"))
                    .isEqualTo(number(summary, "records_in"));
            assertThat(summary)
                    .containsEntry("lost", 0L)
                    .containsEntry("duplicates", 0L)
                    .containsEntry("latency_ms.measured_from", "planned");
        }
    }

    private Process start(String... options) throws IOException {
        List<String> command = ChildJvm.command();
        command.addAll(List.of("dev.weir.cli.Main", "demo"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).start();
        started = process;
        return process;
    }

    private static double number(Map<String, Object> summary, String field) {
        assertThat(summary).containsKey(field);
        return ((Number) summary.get(field)).doubleValue();
    }

    /** Returns the values of a JSON object by path, such as {@code latency_ms.p50} and {@code stages.0.name}. */
    private static Map<String, Object> flattened(String json) throws IOException {
        Map<String, Object> values = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                String path = parser.getParsingContext().pathAsPointer().toString();
                String name = path.substring(Math.min(1, path.length())).replace('/', '.');
                switch (parser.currentToken()) {
                    case VALUE_STRING -> values.put(name, parser.getText());
                    case VALUE_NUMBER_INT -> values.put(name, parser.getLongValue());
                    case VALUE_NUMBER_FLOAT -> values.put(name, parser.getDoubleValue());
                    default -> {}
                }
            }
        }
        return values;
    }
}
