package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.group.GroupSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All members of a fleet at one moment, their pipelines, the topics that connect them, and the pipeline that limits the
 * fleet. Immutable.
 */
final class FleetView {

    /** A pipeline is a possible limit of the fleet if its delay is at least this fraction of the largest delay. */
    private static final double CLOSE = 0.5;

    private final Instant at;
    private final List<FleetMember> members;
    private final List<FleetPipeline> pipelines;
    private final List<String> groups;
    private final List<String> trouble;

    /**
     * Creates a view.
     *
     * @param groups the groups as the brokers describe them
     * @param trouble one sentence for each failed lookup
     */
    FleetView(Instant at, List<MemberAnswer> answers, List<GroupSnapshot> groups, List<String> trouble) {
        this.at = at;
        this.members = answers.stream()
                .map(FleetMember::new)
                // Members that do not answer come first: users look for them.
                .sorted(Comparator.comparing(FleetMember::answers))
                .toList();
        this.groups = groups.stream().map(GroupSnapshot::group).toList();
        this.trouble = List.copyOf(trouble);
        Map<String, List<FleetMember>> byKey = new LinkedHashMap<>();
        this.groups.forEach(each -> byKey.put(each, new ArrayList<>()));
        for (FleetMember each : members) {
            // Without a group, only the member itself can name its pipeline.
            if (each.answers() || each.group() != null) {
                byKey.computeIfAbsent(each.pipelineKey(), key -> new ArrayList<>())
                        .add(each);
            }
        }
        this.pipelines = byKey.entrySet().stream()
                .map(each -> new FleetPipeline(
                        each.getKey(),
                        each.getValue(),
                        groups.stream()
                                .filter(group -> group.group().equals(each.getKey()))
                                .findFirst()
                                .orElse(null)))
                .toList();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("at", at.toString());
        groups.forEach(json.putArray("groups")::add);
        json.set("limits", limits());
        ArrayNode list = json.putArray("pipelines");
        pipelines.forEach(each -> list.add(each.toJson()));
        writeEdges(json.putArray("edges"));
        ArrayNode all = json.putArray("members");
        members.forEach(each -> all.add(each.toJson()));
        ArrayNode told = json.putArray("trouble");
        trouble.forEach(told::add);
        pipelines.forEach(pipeline -> pipeline.shared()
                .forEach((console, count) -> told.add(count + " members of " + pipeline.key() + " have one console, "
                        + console + ", which reports one of them")));
        return json;
    }

    private void writeEdges(ArrayNode edges) {
        for (FleetPipeline from : pipelines) {
            for (FleetPipeline to : pipelines) {
                if (from != to) {
                    from.writes().stream()
                            .filter(to.reads()::contains)
                            .forEach(topic -> edges.addObject()
                                    .put("from", from.key())
                                    .put("to", to.key())
                                    .put("topic", topic));
                }
            }
        }
    }

    /**
     * Returns the pipelines that may limit the fleet, the most likely one first. It has the longest delay: the time
     * that it needs for its waiting records at its current rate.
     */
    private ObjectNode limits() {
        ObjectNode limits = JsonNodeFactory.instance.objectNode();
        List<FleetPipeline> known = pipelines.stream()
                .filter(each -> each.delaySeconds() >= 0)
                .sorted(Comparator.comparingDouble(FleetPipeline::delaySeconds).reversed())
                .toList();
        List<FleetPipeline> unknown =
                pipelines.stream().filter(each -> each.delaySeconds() < 0).toList();
        double most = known.isEmpty() ? 0 : known.getFirst().delaySeconds();
        List<FleetPipeline> close = most < FleetPipeline.KEEPS_UP_SECONDS
                ? List.of()
                : known.stream()
                        .filter(each -> each.delaySeconds() >= CLOSE * most)
                        .toList();
        List<FleetPipeline> candidates =
                Stream.of(close, unknown).flatMap(List::stream).toList();
        limits.put(
                "confidence",
                pipelines.isEmpty() || (close.isEmpty() && !unknown.isEmpty())
                        ? FleetMember.UNKNOWN_TEXT
                        : candidates.size() > 1 || close.stream().anyMatch(each -> each.silent() > 0)
                                ? "candidates"
                                : "sure");
        limits.put("sentence", sentence(close, unknown));
        candidates.stream().map(FleetPipeline::key).forEach(limits.putArray("candidates")::add);
        ArrayNode why = limits.putArray("why");
        unknown.forEach(each -> why.add(whyUnknown(each)));
        close.stream().filter(each -> each.silent() > 0).forEach(each -> why.add(silent(each)));
        if (close.size() == 1 && unknown.isEmpty()) {
            JsonNode limiter = close.getFirst().limiter();
            if (limiter.isMissingNode()) {
                why.add("No member of " + close.getFirst().key() + " says what limits it");
            } else {
                limits.set("limiter", limiter);
                limits.put(
                        "advice",
                        "There: " + limiter.path("sentence").asText() + ". To do: "
                                + limiter.path("advice").asText());
            }
        }
        return limits;
    }

    private String sentence(List<FleetPipeline> close, List<FleetPipeline> unknown) {
        if (pipelines.isEmpty()) {
            return "There is no pipeline to look at";
        }
        if (close.isEmpty()) {
            return unknown.isEmpty()
                    ? "All pipelines keep up: none has more than " + (int) FleetPipeline.KEEPS_UP_SECONDS
                            + " s of work in front of it"
                    : "What limits the whole is not known";
        }
        List<String> names = close.stream()
                .map(each -> each.key() + " (" + ahead(each) + ")")
                .toList();
        if (close.size() == 1 && unknown.isEmpty()) {
            return close.getFirst().key()
                    + (close.getFirst().silent() > 0 ? " limits the whole, by what is known: " : " limits the whole: ")
                    + ahead(close.getFirst());
        }
        return "One of several limits the whole: " + String.join(", ", names)
                + (unknown.isEmpty() ? "" : "; of others it is not known");
    }

    private static String ahead(FleetPipeline pipeline) {
        double delay = pipeline.delaySeconds();
        String records = String.format(Locale.ROOT, "%,d records", pipeline.lag());
        return Double.isInfinite(delay)
                ? String.format(
                        Locale.ROOT, "%s wait and none was taken in the last %.0f s", records, pipeline.seconds())
                : String.format(Locale.ROOT, "%s wait in front of it, %.0f s of its work", records, delay);
    }

    private static String whyUnknown(FleetPipeline pipeline) {
        if (pipeline.members().isEmpty()) {
            return pipeline.key() + " has no members";
        }
        if (pipeline.silent() > 0) {
            return silent(pipeline);
        }
        return (pipeline.lag() < 0 ? "The lag" : "The rate") + " of " + pipeline.key() + " is not known";
    }

    private static String silent(FleetPipeline pipeline) {
        return pipeline.silent() + " of " + pipeline.members().size() + " members of " + pipeline.key()
                + " report no rate, so it may be higher";
    }
}
