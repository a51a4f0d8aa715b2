package dev.weir.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import java.util.List;
import java.util.Locale;

/**
 * Reports the changes and faults that occurred during runs, and the phases of the runs between them, as tables and as
 * JSON. Stateless, thread-safe.
 */
final class TimelineReport {
    private static final String ROW = "    %9s  %9s  %10s  %8s  %9s  %10s  %10s  %9s  %9s  %10s  %s";

    private static final String COST = "    %9s  %9s  %11s  %10s  %10s  %8s  %6s  %s";

    private TimelineReport() {}

    /**
     * Returns the phases and disturbances of a run as tables for a terminal, or an empty string if the run has no
     * phases.
     */
    static String text(Run run) {
        if (run.phases().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(
                String.format(Locale.ROOT, "  %s, round %d, phase by phase:\n", run.driver(), run.round() + 1));
        text.append(String.format(
                Locale.ROOT,
                ROW,
                "from s",
                "to s",
                "planned/s",
                "work ms",
                "consumers",
                "sent",
                "handled",
                "handled/s",
                "p50 ms",
                "p99 ms",
                "lag, begun by"));
        text.append('\n');
        List<String> captions = Captions.of(run.phases());
        for (int i = 0; i < captions.size(); i++) {
            Phase phase = run.phases().get(i);
            text.append(String.format(
                            Locale.ROOT,
                            ROW,
                            seconds(phase.fromMillis()),
                            seconds(phase.toMillis()),
                            Figures.of(phase.producerRate()),
                            Figures.of(phase.workMillis()),
                            phase.consumers(),
                            String.format(Locale.ROOT, "%,d", phase.sent()),
                            String.format(Locale.ROOT, "%,d", phase.records()),
                            Figures.of(phase.recordsPerSecond()),
                            Figures.of(phase.p50Millis()),
                            Figures.of(phase.p99Millis()),
                            String.format(Locale.ROOT, "%,d, %s", phase.lagRecords(), phase.begunBy())))
                    .append("\n      ")
                    .append(captions.get(i))
                    .append('\n');
        }
        return text.append(disturbances(run)).toString();
    }

    private static String disturbances(Run run) {
        if (run.disturbances().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(
                String.format(Locale.ROOT, "  %s, round %d, what it recovered from:\n", run.driver(), run.round() + 1));
        text.append(String.format(
                        Locale.ROOT,
                        COST,
                        "from s",
                        "to s",
                        "recovered",
                        "late",
                        "latest ms",
                        "again",
                        "lost",
                        "after"))
                .append('\n');
        for (Disturbance each : run.disturbances()) {
            text.append(String.format(
                            Locale.ROOT,
                            COST,
                            seconds(each.fromMillis()),
                            seconds(each.toMillis()),
                            Double.isNaN(each.recoveryMillis())
                                    ? "not in time"
                                    : String.format(Locale.ROOT, "%.1f s", each.recoveryMillis() / 1e3),
                            String.format(Locale.ROOT, "%,d", each.late()),
                            Figures.of(each.longestMillis()),
                            each.again() == Interval.UNKNOWN ? "" : String.format(Locale.ROOT, "%,d", each.again()),
                            String.format(Locale.ROOT, "%,d", each.lost()),
                            each.order()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f", millis / 1e3);
    }

    /** Adds {@code timeline}, {@code phases} and {@code disturbances} if the run was changed while it was measured. */
    static void put(ObjectNode node, Run run) {
        if (run.timeline().isEmpty()) {
            return;
        }
        ArrayNode timeline = node.putArray("timeline");
        run.timeline().forEach(entry -> timeline.add(JsonReport.JSON.valueToTree(entry)));
        ArrayNode phases = node.putArray("phases");
        List<String> captions = Captions.of(run.phases());
        for (int i = 0; i < captions.size(); i++) {
            Phase phase = run.phases().get(i);
            ObjectNode each = phases.addObject();
            each.put("caption", captions.get(i));
            each.put("fromMillis", phase.fromMillis());
            each.put("toMillis", phase.toMillis());
            each.put("begunBy", phase.begunBy());
            JsonReport.put(each, "producerRate", phase.producerRate());
            JsonReport.put(each, "workMillis", phase.workMillis());
            each.put("consumers", phase.consumers());
            each.put("sent", phase.sent());
            each.put("records", phase.records());
            JsonReport.put(each, "recordsPerSecond", phase.recordsPerSecond());
            JsonReport.put(each, "p50Millis", phase.p50Millis());
            JsonReport.put(each, "p99Millis", phase.p99Millis());
            each.put("lagRecords", phase.lagRecords());
        }
        ArrayNode disturbances = node.putArray("disturbances");
        for (Disturbance disturbance : run.disturbances()) {
            ObjectNode each = disturbances.addObject();
            each.put("order", disturbance.order());
            each.put("fromMillis", disturbance.fromMillis());
            each.put("toMillis", disturbance.toMillis());
            each.put("recovered", !Double.isNaN(disturbance.recoveryMillis()));
            JsonReport.put(each, "recoveryMillis", disturbance.recoveryMillis());
            each.put("late", disturbance.late());
            JsonReport.put(each, "longestMillis", disturbance.longestMillis());
            if (disturbance.again() == Interval.UNKNOWN) {
                each.putNull("again");
            } else {
                each.put("again", disturbance.again());
            }
            each.put("lost", disturbance.lost());
        }
    }

    /**
     * Returns the timelines of these runs as sections for workload files, each with a comment that names its run.
     * Returns an empty string if no run has a timeline.
     */
    static String yaml(List<Run> runs) {
        StringBuilder yaml = new StringBuilder();
        for (Run run : runs) {
            if (!run.timeline().isEmpty()) {
                yaml.append("# ").append(run.key().fileName()).append('\n').append(TimelineEntry.yaml(run.timeline()));
            }
        }
        return yaml.toString();
    }
}
