package dev.weir.cli.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * An answer that may have unknown values. An unknown field has the text {@value #UNKNOWN}, and the reasons are at the
 * end of the answer. Confined to the thread of the call.
 */
final class Answer {

    /** The text of a field with an unknown value. */
    static final String UNKNOWN = "unknown";

    static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode fields = JSON.createObjectNode();
    private final Set<String> reasons = new LinkedHashSet<>();

    ObjectNode fields() {
        return fields;
    }

    void unknown(String name, String why) {
        unknown(fields, name, why);
    }

    void unknown(ObjectNode part, String name, String why) {
        part.put(name, UNKNOWN);
        because(why);
    }

    /** Adds a reason to the list at the end of the answer. */
    void because(String why) {
        reasons.add(why);
    }

    /** Copies a field. Marks it as unknown if the console did not report it. */
    void copy(JsonNode from, String name, ObjectNode to) {
        copy(from, name, to, name, null);
    }

    /**
     * Copies a field under another name.
     *
     * @param why the reason to report if the value is missing; null to report that the console does not send it
     */
    void copy(JsonNode from, String name, ObjectNode to, String as, @Nullable String why) {
        JsonNode value = from.path(name);
        if (value.isMissingNode() || value.isNull()) {
            unknown(to, as, why == null ? "the console does not report " + name : why);
        } else {
            to.set(as, value);
        }
    }

    /** Adds up to {@code most} entries of a list, and the number of omitted entries, if any. */
    static void list(ObjectNode to, String name, Iterable<? extends JsonNode> entries, int most) {
        ArrayNode list = to.putArray(name);
        long all = StreamSupport.stream(entries.spliterator(), false).count();
        StreamSupport.stream(entries.spliterator(), false).limit(most).forEach(list::add);
        if (all > most) {
            to.put(name + "_left_off", all - most);
        }
    }

    ObjectNode whole() {
        if (!reasons.isEmpty()) {
            ArrayNode list = fields.putArray(UNKNOWN);
            reasons.forEach(list::add);
        }
        return fields;
    }
}
