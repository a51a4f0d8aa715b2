package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.group.GroupSnapshot;
import java.net.URI;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One pipeline of a fleet, with the members that run it. Immutable. */
final class FleetPipeline {

    /** A pipeline keeps up if it needs less than this time for its waiting records. Some records always wait. */
    static final double KEEPS_UP_SECONDS = 5;

    /** JSON field for the number of members that report a limiter. */
    private static final String VOTES = "members";

    private final String key;
    private final List<FleetMember> members;
    private final @Nullable GroupSnapshot group;

    /**
     * Creates a pipeline.
     *
     * @param group the group as described by the brokers; null if the user gave the addresses of the members
     */
    FleetPipeline(String key, List<FleetMember> members, @Nullable GroupSnapshot group) {
        this.key = key;
        this.members = List.copyOf(members);
        this.group = group;
    }

    String key() {
        return key;
    }

    List<FleetMember> members() {
        return members;
    }

    long answering() {
        return members.stream().filter(FleetMember::answers).count();
    }

    Set<String> reads() {
        Set<String> topics = new TreeSet<>();
        members.forEach(each -> topics.addAll(each.reads()));
        if (group != null) {
            group.partitions().forEach(each -> topics.add(each.partition().topic()));
        }
        return topics;
    }

    Set<String> writes() {
        Set<String> topics = new TreeSet<>();
        members.forEach(each -> topics.addAll(each.writes()));
        return topics;
    }

    /** Lag of the whole group as reported by the brokers or, without a group, by the members. */
    long lag() {
        if (group != null) {
            boolean known =
                    !group.partitions().isEmpty() && group.partitions().stream().allMatch(each -> each.records() >= 0);
            return known ? group.records() : FleetMember.UNKNOWN;
        }
        return (long) sum(told().stream().map(each -> (double) each.lag()).toList());
    }

    /** Records read per second by the members that report a rate: a lower bound. */
    double inPerSecond() {
        return atLeast(told().stream().map(FleetMember::inPerSecond).toList());
    }

    /** Records finished per second by the members that report a rate: a lower bound. */
    double outPerSecond() {
        return atLeast(told().stream().map(FleetMember::outPerSecond).toList());
    }

    private static double atLeast(List<Double> values) {
        return sum(values.stream().filter(each -> each >= 0).toList());
    }

    /** Number of members that report no rate. */
    long silent() {
        return members.size()
                - told().stream().filter(each -> each.inPerSecond() >= 0).count();
    }

    /** Returns the members to add up: one for each console, and all members without a console. */
    private List<FleetMember> told() {
        Set<URI> seen = new HashSet<>();
        return members.stream()
                .filter(each -> each.console() == null || seen.add(each.console()))
                .toList();
    }

    /** Returns consoles with several members, and their numbers of members. */
    Map<URI, Long> shared() {
        Map<URI, Long> counts = new LinkedHashMap<>();
        for (FleetMember each : members) {
            if (each.console() != null) {
                counts.merge(each.console(), 1L, Long::sum);
            }
        }
        counts.values().removeIf(count -> count < 2);
        return counts;
    }

    /** Number of seconds of the rates; 0 if unknown. */
    double seconds() {
        return members.stream().mapToDouble(FleetMember::seconds).max().orElse(0);
    }

    private static double sum(List<Double> values) {
        return values.isEmpty() || values.stream().anyMatch(each -> each < 0)
                ? FleetMember.UNKNOWN
                : values.stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * Number of seconds that the members need for the waiting records: infinite without progress, {@value
     * FleetMember#UNKNOWN} if the lag or the rate is unknown.
     */
    double delaySeconds() {
        long lag = lag();
        double rate = inPerSecond();
        if (lag < 0 || (lag > 0 && rate < 0)) {
            return FleetMember.UNKNOWN;
        }
        return lag == 0 ? 0 : rate == 0 ? Double.POSITIVE_INFINITY : lag / rate;
    }

    /** Returns the limiter that most members report; missing if none does. */
    JsonNode limiter() {
        Map<String, ObjectNode> named = new LinkedHashMap<>();
        for (FleetMember each : members) {
            JsonNode limiter = each.limiter();
            if (limiter instanceof ObjectNode one) {
                String name =
                        one.path("kind").asText() + "\n" + one.path("name").asText();
                ObjectNode first = named.computeIfAbsent(name, key -> one.deepCopy());
                first.put(VOTES, first.path(VOTES).asInt() + 1);
            }
        }
        return named.values().stream()
                .<JsonNode>map(each -> each)
                .max(Comparator.comparingInt(each -> each.path(VOTES).asInt()))
                .orElse(JsonNodeFactory.instance.missingNode());
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("key", key).put("name", key);
        json.put("members", members.size()).put("answering", answering());
        if (group != null) {
            json.put("group", group.group()).put("group_type", group.type()).put("group_state", group.state());
        }
        reads().forEach(json.putArray("reads")::add);
        writes().forEach(json.putArray("writes")::add);
        FleetMember.number(json, "lag", (double) lag());
        double delay = delaySeconds();
        json.put("stands_still", Double.isInfinite(delay));
        FleetMember.number(json, "delay_s", Double.isInfinite(delay) ? FleetMember.UNKNOWN : delay);
        FleetMember.number(json, "in_per_second", inPerSecond());
        FleetMember.number(json, "out_per_second", outPerSecond());
        JsonNode limiter = limiter();
        json.set("limiter", limiter.isMissingNode() ? json.textNode(FleetMember.UNKNOWN_TEXT) : limiter);
        return json;
    }
}
