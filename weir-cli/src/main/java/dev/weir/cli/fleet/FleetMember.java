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

    static final long UNKNOWN = -1;

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

    @Nullable
    URI console() {
        return answer.address().console();
    }

    private JsonNode state() {
        JsonNode state = answer.state();
        return state == null ? JsonNodeFactory.instance.missingNode() : state;
    }

    /** Name of this member's pipeline; empty if the member does not answer. */
    String pipeline() {
        return state().path("pipeline").asText("");
    }

    /** This member's subscription as text; empty if unknown. */
    String subscription() {
        return state().path("reads").asText("");
    }

    /** Key of this member's pipeline: the group or, if it is unknown, the pipeline's name and subscription. */
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

    /** Number of this member's unfinished records; unknown if it is unknown for any partition. */
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
     * Records per second emitted by the source of this member's pipeline, over several seconds. {@value #UNKNOWN} if
     * the console does not report enough to compute the rate.
     */
    double inPerSecond() {
        return rate(0);
    }

    /** Records per second finished by the last stage. See {@link #inPerSecond}. */
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
        // Zero may be a small rate that the console has rounded down.
        return told > 0 ? told : UNKNOWN;
    }

    /** Number of seconds of {@link #inPerSecond} and {@link #outPerSecond}; 0 if unknown. */
    double seconds() {
        return state().path("figures").path("seconds").asDouble(0);
    }

    /** Limiter of this member's pipeline, from its console; missing if unknown. */
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
