package dev.weir.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Reports the findings of {@code weir bench explore} as JSON lines and as text. Stateless, thread-safe. */
public final class ExploredReport {
    private static final String LINES = "explored.jsonl";
    private static final String TEXT = "explored.txt";

    private ExploredReport() {}

    /** The result of perturbing a driver at the rate found by the exploration. */
    private record Recovery(boolean recovered, double millis, boolean projected) {

        /** Combines the trials of one kind of perturbation by majority. */
        static Recovery of(List<Trial> trials) {
            long passed = trials.stream().filter(Trial::passed).count();
            long failed = trials.stream()
                    .filter(trial -> trial.outcome().result() == Outcome.Result.FAILED)
                    .count();
            if (passed <= failed) {
                return new Recovery(false, Double.NaN, false);
            }
            Outcome last = trials.stream()
                    .filter(Trial::passed)
                    .reduce((before, after) -> after)
                    .orElseThrow()
                    .outcome();
            return new Recovery(true, last.recoveryMillis(), last.projected());
        }

        String text() {
            return !recovered
                    ? "did not recover"
                    : String.format(Locale.ROOT, "%srecovered in %.1f s", projected ? "would have " : "", millis / 1e3);
        }
    }

    /**
     * Stores the findings so far in the folder, from which {@link #lines(ResultsFolder)} and
     * {@link #text(ResultsFolder)} read them.
     */
    public static void write(ResultsFolder folder, List<Explored> all) {
        folder.write(LINES, lines(all).getBytes(StandardCharsets.UTF_8));
        folder.write(TEXT, text(all).getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the JSON lines stored in a folder; empty if the folder is not from an exploration. */
    public static String lines(ResultsFolder folder) {
        return read(folder.path().resolve(LINES));
    }

    /** Returns the text stored in a folder; empty if the folder is not from an exploration. */
    public static String text(ResultsFolder folder) {
        return read(folder.path().resolve(TEXT));
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e, e);
        }
    }

    /** Returns a line of JSON for each search. */
    public static String lines(List<Explored> all) {
        return all.stream().map(ExploredReport::line).collect(Collectors.joining());
    }

    private static String line(Explored explored) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("type", "explored");
        line.put("point", explored.point());
        line.put("driver", explored.driver());
        line.put("verdict", explored.finding().verdict().name());
        line.put("target", explored.target());
        line.put("members", explored.members());
        number(line, "low", explored.finding().low());
        number(line, "high", explored.finding().high());
        number(line, "unstableAt", explored.finding().unstableAt());
        number(line, "holdSeconds", explored.holdSeconds());
        number(line, "latencyMs", explored.latencyMillis());
        ArrayNode perturbations = line.putArray("perturbations");
        recoveries(explored).forEach((kind, recovery) -> {
            ObjectNode one = perturbations.addObject();
            one.put("kind", kind.label());
            one.put("recovered", recovery.recovered());
            number(one, "recoveryMs", recovery.millis());
            one.put("projected", recovery.projected());
        });
        number(line, "ceiling", explored.ceiling());
        number(line, "efficiency", explored.efficiency());
        JsonReport.put(line, explored.limiter());
        if (!explored.timeline().isEmpty()) {
            line.set("timeline", JsonReport.JSON.valueToTree(explored.timeline()));
        }
        ArrayNode steps = line.putArray("steps");
        for (Trial trial : explored.finding().trials()) {
            ObjectNode step = steps.addObject();
            step.put("kind", trial.attempt().kind().label());
            number(step, "rate", trial.attempt().rate());
            step.put("passed", trial.passed());
            step.put("result", trial.outcome().result().name());
            step.put("why", trial.outcome().why());
        }
        try {
            return JsonReport.JSON.writeValueAsString(line) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Writes a number, rounded to one decimal. A number below 10 is rounded to three significant digits instead. An
     * unknown number becomes null.
     */
    private static void number(ObjectNode line, String name, double value) {
        if (Double.isFinite(value)) {
            double tenths = Math.round(value * 10) / 10.0;
            double digits = new BigDecimal(value).round(new MathContext(3)).doubleValue();
            line.put(name, Math.abs(value) < 10 ? digits : tenths);
        } else {
            line.putNull(name);
        }
    }

    private static Map<Kind, Recovery> recoveries(Explored explored) {
        Map<Kind, List<Trial>> byKind = explored.finding().perturbations().stream()
                .collect(Collectors.groupingBy(
                        trial -> trial.attempt().kind(), LinkedHashMap::new, Collectors.toList()));
        Map<Kind, Recovery> recoveries = new LinkedHashMap<>();
        byKind.forEach((kind, trials) -> recoveries.put(kind, Recovery.of(trials)));
        return recoveries;
    }

    /** Returns a table of all searches, and the details of each search. */
    public static String text(List<Explored> all) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-24s %-16s %-15s %21s %10s %10s %12s%n",
                "driver",
                "point",
                "verdict",
                "records/s",
                "latency ms",
                "ceiling/s",
                "efficiency %"));
        for (Explored each : all) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-24s %-16s %-15s %21s %10s %10s %12s%n",
                    each.driver(),
                    each.point(),
                    each.finding().verdict(),
                    interval(each),
                    Figures.of(each.latencyMillis()),
                    Figures.of(each.ceiling()),
                    Figures.of(each.efficiency())));
        }
        all.forEach(each -> text.append(details(each)));
        return text.toString();
    }

    private static String interval(Explored explored) {
        return Figures.of(explored.finding().low()) + " to "
                + Figures.of(explored.finding().high());
    }

    private static String details(Explored explored) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n%s at %s, %s, %d members, %d trials%n",
                explored.driver(),
                explored.point(),
                explored.target(),
                explored.members(),
                explored.finding().trials().size()));
        if (!explored.timeline().isEmpty()) {
            text.append(explored.timeline().stream()
                    .map(entry -> String.format(
                            Locale.ROOT, "%s at %.0f s", entry.order().text(), entry.atMillis() / 1e3))
                    .collect(Collectors.joining("; ", "  changed while it was looked for: ", System.lineSeparator())));
        }
        if (Double.isFinite(explored.holdSeconds())) {
            text.append(String.format(
                    Locale.ROOT,
                    "  held for %s s at %s/s%n",
                    Figures.of(explored.holdSeconds()),
                    Figures.of(explored.finding().low())));
        }
        Map<Kind, Recovery> recoveries = recoveries(explored);
        if (!recoveries.isEmpty()) {
            double at = explored.finding().perturbations().getFirst().attempt().rate();
            text.append(String.format(Locale.ROOT, "  perturbed at %s/s:%n", Figures.of(at)));
            recoveries.forEach((kind, recovery) ->
                    text.append(String.format(Locale.ROOT, "    %-10s  %s%n", kind.label(), recovery.text())));
        }
        Limiter limiter = explored.limiter();
        text.append(
                limiter == null
                        ? String.format("  limiter: none is evident%n")
                        : String.format(
                                "  limiter: %s: %s%n  to do: %s%n",
                                limiter.kind().id(), limiter.sentence(), limiter.advice()));
        return text.toString();
    }
}
