package dev.weir.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * Prints a profile for people: a line per stage, and its most expensive methods, allocations and waits. Confined to one
 * thread.
 */
final class ProfileTable {

    private static final int METHODS = 3;
    private static final List<String> UNITS = List.of("B", "kB", "MB", "GB", "TB");

    private final PrintStream out;

    ProfileTable(PrintStream out) {
        this.out = out;
    }

    void print(JsonNode profile) {
        out.printf(
                Locale.ROOT,
                "%,d samples (%s) in %.1f s%s%n",
                profile.path("samples").asLong(),
                profile.path("sampler").asText(),
                profile.path("seconds").asDouble(),
                profile.path("lost").asLong() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, ", %,d lost", profile.path("lost").asLong()));
        out.printf(Locale.ROOT, "%7s  %9s  %s%n", "CPU", "allocated", "stage");
        profile.path("stages").forEach(this::printStage);
        other("Weir itself", profile.path("engine_share"));
        other("Kafka client", profile.path("client_share"));
        other("everything else", profile.path("other_share"));
        out.flush();
    }

    private void printStage(JsonNode stage) {
        out.printf(
                Locale.ROOT,
                "%7s  %9s  %s%n",
                percent(stage.path("cpu_share")),
                bytes(stage.path("allocated_bytes").asDouble()),
                stage.path("name").asText());
        first(stage.path("top"))
                .forEach(method -> out.printf(
                        Locale.ROOT,
                        "%20s %s CPU and %,d ms, with all it calls %s and %,d ms: %s%n",
                        "",
                        percent(method.path("self_share")),
                        method.path("self_ms").asLong(),
                        percent(method.path("total_share")),
                        method.path("total_ms").asLong(),
                        method.path("method").asText()));
        first(stage.path("allocation"))
                .forEach(each -> out.printf(
                        Locale.ROOT,
                        "%20s allocates %s: %s%n",
                        "",
                        bytes(each.path("bytes").asDouble()),
                        each.path("class").asText()));
        first(stage.path("blocked"))
                .forEach(wait -> out.printf(
                        Locale.ROOT,
                        "%20s waits %,d ms (%s): %s%n",
                        "",
                        wait.path("ms").asLong(),
                        wait.path("kind").asText(),
                        wait.path("at").asText()));
    }

    private void other(String name, JsonNode share) {
        out.printf(Locale.ROOT, "%7s  %9s  %s%n", percent(share), "", name);
    }

    private static List<JsonNode> first(JsonNode all) {
        return all.valueStream().limit(METHODS).toList();
    }

    private static String percent(JsonNode share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share.asDouble());
    }

    private static String bytes(double bytes) {
        double left = bytes;
        int unit = 0;
        while (left >= 1000 && unit < UNITS.size() - 1) {
            left /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", left, UNITS.get(unit));
    }
}
