package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A member of a fleet with the values that it reports. Unknown numbers are {@value #UNKNOWN}. Immutable. */
final class FleetMember {

    /** An unknown number. */
    static final long UNKNOWN = -1;

    /** The text shown for an unknown value. */
    static final String UNKNOWN_TEXT = "unknown";

    private final MemberAnswer answer;

    FleetMember(MemberAnswer answer) {
        this.answer = answer;
    }

    boolean answers() {
        return answer.state() != null;
    }

    @Nullable
    String group() {
        return answer.address().group();
    }

    /** The address of this member's console; null if not known. */
    @Nullable
    URI console() {
        return answer.address().console();
    }

    private JsonNode state() {
        JsonNode state = answer.state();
        return state == null ? JsonNodeFactory.instance.missingNode() : state;
    }

    /** The name of this member's pipeline; empty if the member does not answer. */
    String pipeline() {
        return state().path("pipeline").asText("");
    }

    /** Describes this member's subscription; empty if not known. */
    String subscription() {
        return state().path("reads").asText("");
    }

    /**
     * Returns the key of this member's pipeline: the member's group, or the pipeline's name and subscription if the
     * member has no known group.
     */
    String pipelineKey() {
        String group = answer.address().group();
        if (group != null) {
            return group;
        }
        if (!answers()) {
            return UNKNOWN_TEXT;
        }
        return subscription().isEmpty() ? pipeline() : pipeline() + " of " + subscription();
    }

    /** The topics of this member's partitions. */
    Set<String> reads() {
        Set<String> topics = new TreeSet<>();
        state().path("partitions").forEach(each -> topics.add(each.path("topic").asText()));
        return topics;
    }

    /** The topics that this member has written to. */
    Set<String> writes() {
        Set<String> topics = new TreeSet<>();
        state().path("writes").forEach(each -> topics.add(each.asText()));
        return topics;
    }

    long partitions() {
        return state().path("partitions").isArray() ? state().path("partitions").size() : UNKNOWN;
    }

    /** Returns the number of this member's unfinished records; unknown if the number is unknown for any partition. */
    long lag() {
        return partitions() == UNKNOWN
                        || state().path("partitions")
                                .valueStream()
                                .anyMatch(each -> each.path("lag").asLong(-1) < 0)
                ? UNKNOWN
                : state().path("partitions")
                        .valueStream()
                        .mapToLong(each -> each.path("lag").asLong())
                        .sum();
    }

    /**
     * Returns the number of records per second emitted by the source of this member's pipeline. The rate covers several
     * seconds, because a pipeline may get no records for one second without being stalled. Returns {@value #UNKNOWN} if
     * the console reports neither a count of records for a known period nor a positive rate.
     */
    double inPerSecond() {
        return rate(0);
    }

    /** Returns the records per second finished by the last stage of this pipeline. See {@link #inPerSecond}. */
    double outPerSecond() {
        return rate(state().path("stages").size() - 1);
    }

    private double rate(int index) {
        JsonNode stage = state().path("stages").path(index);
        JsonNode taken = stage.path("recent_out");
        if (taken.isIntegralNumber() && seconds() > 0) {
            return taken.asLong() / seconds();
        }
        double told = stage.path("recent_out_per_second")
                .asDouble(stage.path("out_per_second").asDouble(UNKNOWN));
        // A rate of zero may be a small rate that the console has rounded down, so it is treated as unknown.
        return told > 0 ? told : UNKNOWN;
    }

    /** The number of seconds that {@link #inPerSecond} and {@link #outPerSecond} cover; 0 if not known. */
    double seconds() {
        return state().path("figures").path("seconds").asDouble(0);
    }

    /** The limiter of this member's pipeline, according to its console; missing if not known. */
    JsonNode limiter() {
        return state().path("limiter").isObject() ? state().path("limiter") : JsonNodeFactory.instance.missingNode();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        MemberAddress address = answer.address();
        json.put(
                "url",
                address.console() == null ? UNKNOWN_TEXT : address.console().toString());
        json.put("group", address.group()).put("client_id", address.clientId()).put("member_id", address.memberId());
        json.put("pipeline_key", pipelineKey()).put("answers", answers());
        if (!answers()) {
            return json.put("reason", answer.reason());
        }
        json.put("pipeline", pipeline());
        for (String each : List.of("state", "live", "ready", "progressing")) {
            JsonNode value = state().path(each);
            json.set(each, value.isMissingNode() ? json.textNode(UNKNOWN_TEXT) : value);
        }
        number(json, "partitions", (double) partitions());
        number(json, "lag", (double) lag());
        number(json, "in_per_second", inPerSecond());
        number(json, "out_per_second", outPerSecond());
        json.set("limiter", limiter().isMissingNode() ? json.textNode(UNKNOWN_TEXT) : limiter());
        return json;
    }

    static void number(ObjectNode json, String name, double value) {
        if (value < 0) {
            json.put(name, UNKNOWN_TEXT);
        } else if (value == Math.rint(value)) {
            json.put(name, (long) value);
        } else {
            json.put(name, value);
        }
    }
}
