package dev.weir.bench.live;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A command with its time, either planned in a workload file or executed in a run. Immutable. Recorded entries can be
 * pasted into a workload file, which ignores {@code took} and {@code did}.
 *
 * @param atMillis time since the plan began
 * @param tookMillis duration of the execution; 0 for a planned command
 * @param did the changes by key; empty for a planned command
 */
public record TimelineEntry(double atMillis, Order order, double tookMillis, Map<String, String> did) {
    private static final String AT = "at";
    private static final String TOOK = "took";
    private static final String DID = "did";
    private static final double MOST_MILLIS = 10 * 24 * 3600e3;

    /** Copies {@code did}. */
    public TimelineEntry {
        did = Map.copyOf(did);
    }

    /**
     * Creates an entry from its fields.
     *
     * @throws IllegalArgumentException if a field is wrong; the message names the error and the valid choices
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static TimelineEntry of(Map<String, Object> fields) {
        Map<String, Object> rest = new LinkedHashMap<>(fields);
        Object at = rest.remove(AT);
        Object took = rest.remove(TOOK);
        Object did = rest.remove(DID);
        if (at == null) {
            throw new IllegalArgumentException(
                    "an entry of timeline needs at, the time since the plan began, such as at: 30s");
        }
        Map<String, String> done = new TreeMap<>();
        if (did instanceof Map<?, ?> texts) {
            texts.forEach((key, value) -> done.put(String.valueOf(key), String.valueOf(value)));
        }
        return new TimelineEntry(
                Spans.millis(AT, String.valueOf(at), 0, MOST_MILLIS),
                Order.of(rest),
                took == null ? 0 : Spans.millis(TOOK, String.valueOf(took), 0, MOST_MILLIS),
                done);
    }

    /** Returns the fields as written to JSON and YAML. */
    @JsonValue
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(AT, Spans.text(atMillis));
        fields.putAll(order.fields());
        if (!did.isEmpty()) {
            fields.put(TOOK, Spans.text(tookMillis));
            fields.put(DID, new TreeMap<>(did));
        }
        return fields;
    }

    /**
     * Returns the entries as a section of a workload file.
     *
     * <pre>
     * timeline:
     *   - {at: 30.000s, set: {producerRate: "100"}}
     * </pre>
     */
    public static String yaml(List<TimelineEntry> entries) {
        StringBuilder yaml = new StringBuilder("timeline:\n");
        for (TimelineEntry entry : entries) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put(AT, Spans.text(entry.atMillis()));
            fields.putAll(entry.order().fields());
            yaml.append("  - ").append(flow(fields)).append('\n');
        }
        return yaml.toString();
    }

    private static String flow(Map<?, ?> fields) {
        StringBuilder text = new StringBuilder("{");
        fields.forEach((key, value) -> text.append(text.length() == 1 ? "" : ", ")
                .append(key)
                .append(": ")
                .append(
                        value instanceof Map<?, ?> map
                                ? flow(map)
                                : TextNode.valueOf(String.valueOf(value)))); // JSON is YAML.
        return text.append('}').toString();
    }
}
