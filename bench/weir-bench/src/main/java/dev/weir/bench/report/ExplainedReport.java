package dev.weir.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.explain.Explanation;
import dev.weir.bench.explain.Explanations;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;

/**
 * Reports what limited each driver at each point of a results folder, with the figures that show it. Stateless,
 * thread-safe.
 */
public final class ExplainedReport {

    private ExplainedReport() {}

    /** Returns a line of JSON for each point and driver. */
    public static String lines(ResultsFolder folder) {
        StringBuilder lines = new StringBuilder();
        for (Explanation each : Explanations.of(Analysis.of(folder))) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("type", "explanation");
            line.put("point", each.point().id());
            line.put("driver", each.driver());
            JsonReport.put(line, each.limiter());
            line.put("sentence", each.sentence());
            ArrayNode evidence = line.putArray("evidence");
            each.evidence().forEach(evidence::add);
            lines.append(JsonReport.write(line)).append('\n');
        }
        return lines.toString();
    }

    /** Returns a paragraph for each point and driver, for a terminal. */
    public static String text(ResultsFolder folder) {
        StringBuilder text = new StringBuilder();
        String point = "";
        for (Explanation each : Explanations.of(Analysis.of(folder))) {
            if (!each.point().id().equals(point)) {
                point = each.point().id();
                text.append(each.point().label()).append('\n');
            }
            var limiter = each.limiter();
            text.append("  ").append(each.driver()).append(": ");
            text.append(limiter == null ? "" : limiter.kind().id() + ", ")
                    .append(each.sentence())
                    .append('\n');
            if (limiter != null) {
                text.append("    to do: ").append(limiter.advice()).append('\n');
            }
            if (!each.evidence().isEmpty()) {
                text.append("    seen: ")
                        .append(String.join("; ", each.evidence()))
                        .append('\n');
            }
        }
        return text.toString();
    }
}
