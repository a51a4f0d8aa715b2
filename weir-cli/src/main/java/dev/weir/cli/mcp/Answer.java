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
 * An answer that tells what is not known from what is zero: a field without evidence has the text {@value #UNKNOWN},
 * and the reasons stand at the end. Confined to the thread of its call.
 */
final class Answer {

    /** The value of a field without evidence. */
    static final String UNKNOWN = "unknown";

    static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectNode fields = JSON.createObjectNode();
    private final Set<String> reasons = new LinkedHashSet<>();

    ObjectNode fields() {
        return fields;
    }

    /** Says that a field of the answer is not known. */
    void unknown(String name, String why) {
        unknown(fields, name, why);
    }

    /** Says that a field of a part of the answer is not known. */
    void unknown(ObjectNode part, String name, String why) {
        part.put(name, UNKNOWN);
        because(why);
    }

    /** Adds a reason why something is not known. */
    void because(String why) {
        reasons.add(why);
    }

    /** Copies a field, or says that the console did not tell it. */
    void copy(JsonNode from, String name, ObjectNode to) {
        copy(from, name, to, name, null);
    }

    /**
     * Copies a field under another name.
     *
     * @param why it may be missing; null for a console that does not tell it
     */
    void copy(JsonNode from, String name, ObjectNode to, String as, @Nullable String why) {
        JsonNode value = from.path(name);
        if (value.isMissingNode() || value.isNull()) {
            unknown(to, as, why == null ? "the console does not tell " + name : why);
        } else {
            to.set(as, value);
        }
    }

    /** Adds the first entries of a list, and how many were left off. */
    static void list(ObjectNode to, String name, Iterable<? extends JsonNode> entries, int most) {
        ArrayNode list = to.putArray(name);
        long all = StreamSupport.stream(entries.spliterator(), false).count();
        StreamSupport.stream(entries.spliterator(), false).limit(most).forEach(list::add);
        if (all > most) {
            to.put(name + "_left_off", all - most);
        }
    }

    /** The whole answer. */
    ObjectNode whole() {
        if (!reasons.isEmpty()) {
            ArrayNode list = fields.putArray(UNKNOWN);
            reasons.forEach(list::add);
        }
        return fields;
    }
}
