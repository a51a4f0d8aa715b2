package dev.weir.console.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Formats settings as the code, properties and options that make them permanent. Stateless. */
final class Lasting {

    private Lasting() {}

    static List<String> lines(Map<String, Long> settings) {
        List<String> lines = new ArrayList<>();
        List<String> options = new ArrayList<>();
        new TreeMap<>(settings).forEach((key, value) -> {
            lines.addAll(ofOne(key, value));
            if (!key.startsWith(Moves.ALTERNATIVE)) { // the console cannot switch alternative code
                options.add("--set " + quoted(key + "=" + value));
            }
        });
        if (!options.isEmpty()) {
            lines.add("until the next start: weir console PID " + String.join(" ", options));
        }
        return lines;
    }

    private static String quoted(String option) {
        return option.matches("[A-Za-z0-9._=/-]+") ? option : "'" + option.replace("'", "'\\''") + "'";
    }

    private static List<String> ofOne(String key, long value) {
        if (key.equals(Moves.WINDOW)) {
            return List.of(
                    "code: ConsumerSettings.builder().maxOutstandingRecords(" + value + ")",
                    "properties: weir.max.outstanding.records=" + value);
        }
        if (key.equals(Moves.BYTES)) {
            return List.of(
                    "code: ConsumerSettings.builder().bufferBytes(" + value + ")",
                    "properties: weir.buffer.bytes=" + value);
        }
        if (key.startsWith(Moves.ALTERNATIVE)) {
            return List.of("code: the other code of the stage \"" + key.substring(Moves.ALTERNATIVE.length()) + "\"");
        }
        String name = key.substring(key.indexOf('.') + 1, key.lastIndexOf('.'));
        if (key.startsWith("dispatcher.")) {
            return List.of(
                    "code: a dispatcher \"" + name + "\" with " + value + " threads",
                    "properties: dispatcher." + name + ".size=" + value + " (or WEIR_DISPATCHER_"
                            + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_") + "_SIZE=" + value + ")");
        }
        List<String> lines = new ArrayList<>(List.of("code: " + value + " workers in the stage \"" + name + "\""
                + " (the first argument of its mapBlocking, mapAsync or mapParallel)"));
        if (name.equals("work") || name.equals("handle")) {
            lines.add("weir pipe: --concurrency " + value);
        }
        return lines;
    }
}
