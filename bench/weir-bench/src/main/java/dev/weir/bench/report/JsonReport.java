package dev.weir.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.explain.Explanation;
import dev.weir.bench.explain.Explanations;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.Comparison;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.PointResult;
import dev.weir.bench.statistics.RatioInterval;
import dev.weir.metrics.Limiter;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The results and verdicts of a campaign as JSON. Missing figures are null. Stateless, thread-safe. */
final class JsonReport {

    static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonReport() {}

    static String lines(Analysis analysis) {
        StringBuilder lines = new StringBuilder();
        Iterator<Explanation> explanations = Explanations.of(analysis).iterator();
        int ofCampaign = analysis.campaign().points().size();
        for (int i = 0; i < analysis.points().size(); i++) {
            PointResult point = analysis.points().get(i);
            for (DriverResult driver : point.drivers()) {
                ObjectNode line = NODES.objectNode();
                line.put("type", i < ofCampaign ? "result" : "phase");
                line.put("scenario", point.point().scenario());
                line.put("point", point.point().id());
                ObjectNode dimensions = line.putObject("dimensions");
                point.point().dimensions().forEach(dimensions::put);
                line.setAll(driver(driver));
                put(line, explanations.next().limiter());
                lines.append(write(line)).append('\n');
            }
        }
        return lines.append(write(summary(analysis))).append('\n').toString();
    }

    /** Returns a line for each attempt that was replaced by a later one. */
    static String replaced(List<Run> replaced) {
        StringBuilder lines = new StringBuilder();
        for (Run run : replaced) {
            ObjectNode line = NODES.objectNode();
            line.put("type", "attempt");
            line.put("point", run.point());
            line.put("driver", run.driver());
            line.put("round", run.round());
            line.put("failure", run.failure());
            lines.append(write(line)).append('\n');
        }
        return lines.toString();
    }

    /** Returns the summary, which is the last line. */
    static ObjectNode summary(Analysis analysis) {
        Campaign campaign = analysis.campaign();
        ObjectNode line = NODES.objectNode();
        line.put("type", "summary");
        line.put("campaign", campaign.id());
        line.put("name", campaign.name());
        line.put("baseline", campaign.baseline());
        line.put("control", campaign.control());
        line.put("confidence", Analysis.CONFIDENCE);
        line.put("commit", campaign.environment().commit());
        line.put("simulated", campaign.isOfModel());
        Progress progress = Progress.of(analysis);
        line.put("runsPlanned", progress.planned());
        line.put("runsDone", progress.done());
        line.put("runsFailed", progress.failed());
        line.put("runsNotQuoted", progress.notQuoted());
        line.put("complete", progress.done() == progress.planned());
        return line;
    }

    /** The progress of a campaign. */
    record Progress(int planned, int done, int failed, int notQuoted) {
        static Progress of(Analysis analysis) {
            Campaign campaign = analysis.campaign();
            int done = 0;
            int failed = 0;
            int notQuoted = 0;
            int points = 0;
            // The planned points come first; phases of runs follow and are not counted.
            for (PointResult point :
                    analysis.points().subList(0, campaign.points().size())) {
                boolean isChosen = !campaign.choosesPoints()
                        || point.drivers().stream()
                                .anyMatch(driver -> !driver.runs().isEmpty());
                points += isChosen ? 1 : 0;
                for (DriverResult driver : point.drivers()) {
                    for (Run run : driver.runs()) {
                        done += run.failure() == null ? 1 : 0;
                        failed += run.failure() == null ? 0 : 1;
                        notQuoted += run.failure() == null && !run.isValid() ? 1 : 0;
                    }
                }
            }
            // An adaptive campaign that has not begun has chosen no points yet, so all points count.
            int planned = (points == 0 ? campaign.points().size() : points)
                    * campaign.drivers().size()
                    * campaign.rounds();
            return new Progress(planned, done, failed, notQuoted);
        }
    }

    static ObjectNode driver(DriverResult driver) {
        ObjectNode node = NODES.objectNode();
        node.put("driver", driver.driver());
        node.put("runs", driver.runs().size());
        node.put("quoted", driver.quoted());
        ObjectNode metrics = node.putObject("metrics");
        for (Metric metric : Metric.values()) {
            Double median = driver.medians().get(metric);
            Comparison comparison = driver.comparisons().get(metric);
            if (median == null && comparison == null) {
                continue;
            }
            ObjectNode figure = metrics.putObject(name(metric));
            put(figure, "median", median == null ? Double.NaN : median);
            figure.put("unit", metric.unit());
            figure.put("quoted", !driver.isBound(metric));
            figure.put("bound", driver.isBound(metric));
            if (driver.isBound(metric)) {
                figure.put("limit", DriverResult.LIMIT);
            }
            if (comparison != null) {
                figure.setAll(comparison(comparison));
            }
        }
        put(node, "worstPartitionP99Millis", driver.worstPartitionP99Millis());
        put(node, "worstConsumerP99Millis", driver.worstConsumerP99Millis());
        put(node, Totals.CEILING, driver.metrics().getOrDefault(Totals.CEILING, Double.NaN));
        put(node, Totals.EFFICIENCY, driver.metrics().getOrDefault(Totals.EFFICIENCY, Double.NaN));
        ObjectNode others = node.putObject("others");
        driver.metrics().forEach((name, value) -> put(others, name, value));
        put(node.putObject("ledger"), driver.ledger());
        ArrayNode changed = NODES.arrayNode();
        for (Run run : driver.runs()) {
            if (!run.timeline().isEmpty()) {
                TimelineReport.put(changed.addObject().put("round", run.round()), run);
            }
        }
        if (!changed.isEmpty()) {
            node.set("changedRuns", changed);
        }
        ObjectNode flags = node.putObject("flags");
        for (Flag flag : Flag.values()) {
            Integer runs = driver.flags().get(flag);
            if (runs != null) {
                flags.put(name(flag), runs);
            }
        }
        return node;
    }

    /** Writes delivery counts, with {@code topics} and {@code groups} if there are several. */
    private static void put(ObjectNode node, Ledger ledger) {
        node.put("expected", ledger.expected())
                .put("delivered", ledger.delivered())
                .put("lost", ledger.lost())
                .put("duplicates", ledger.duplicates())
                .put("outOfOrder", ledger.outOfOrder())
                .put("retried", ledger.retried())
                .put("redelivered", ledger.redelivered());
        if (!ledger.topics().isEmpty()) {
            ArrayNode topics = node.putArray("topics");
            ledger.topics().forEach(topic -> put(topics.addObject(), topic));
        }
        if (!ledger.groups().isEmpty()) {
            ArrayNode groups = node.putArray("groups");
            ledger.groups().forEach(group -> put(groups.addObject(), group));
        }
    }

    private static ObjectNode comparison(Comparison comparison) {
        RatioInterval interval = comparison.interval();
        ObjectNode node = NODES.objectNode();
        put(node, "ratio", interval.ratio());
        put(node, "low", interval.isBounded() ? interval.low() : Double.NaN);
        put(node, "high", interval.isBounded() ? interval.high() : Double.NaN);
        put(node, "medianRatio", interval.medianRatio());
        node.put("rounds", interval.rounds());
        put(node, "p", interval.p());
        put(node, "adjustedP", comparison.adjustedP());
        node.put("verdict", name(comparison.verdict()));
        node.put("words", comparison.words());
        return node;
    }

    static void put(ObjectNode node, String name, double value) {
        if (Double.isFinite(value)) {
            node.put(name, value);
        } else {
            node.putNull(name);
        }
    }

    /** Writes the limiter of a rate in the form of all commands' JSON; null if there is none. */
    static void put(ObjectNode node, @Nullable Limiter limiter) {
        if (limiter == null) {
            node.putNull("limiter");
            return;
        }
        node.putObject("limiter")
                .put("kind", limiter.kind().id())
                .put("name", limiter.name())
                .put("sentence", limiter.sentence())
                .put("advice", limiter.advice())
                .put("expected_gain", limiter.expectedGain())
                .putNull("measured_gain");
    }

    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String write(ObjectNode node) {
        try {
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values was not written", e);
        }
    }
}
