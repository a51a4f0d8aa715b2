package dev.weir.bench.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The JSON schema of workload files, for editors. Stateless. */
public final class WorkloadSchema {
    private static final ObjectMapper JSON = new ObjectMapper();

    private WorkloadSchema() {}

    /** The schema (draft 2020-12) as a text of several lines. */
    public static String json() {
        ObjectNode schema = object("A campaign of weir bench.");
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        ArrayNode required = schema.putArray("required");
        ObjectNode properties = schema.withObject("/properties");
        for (Key key : Key.ALL.values()) {
            int dot = key.path().indexOf('.');
            if (dot < 0) {
                properties.set(key.path(), value(key));
            } else {
                String section = key.path().substring(0, dot);
                if (!properties.has(section)) {
                    properties.set(section, object("Keys of " + section + "."));
                }
                properties
                        .withObject("/" + section + "/properties")
                        .set(key.path().substring(dot + 1), value(key));
            }
            if (key.fallback() == null) {
                required.add(key.path());
            }
        }
        ArrayNode clientProperties = properties
                .putObject(Key.CLIENT)
                .put("type", "object")
                .put("description", Key.ABOUT_CLIENT)
                .putObject("propertyNames")
                .putArray("enum");
        Key.CLIENT_PROPERTIES.forEach(clientProperties::add);
        properties
                .putObject("vary")
                .put("type", "array")
                .put(
                        "description",
                        "Each entry is a dimension: dotted keys with lists of values; those of an entry vary together.")
                .putObject("items")
                .put("type", "object")
                .putObject("additionalProperties")
                .put("type", "array");
        properties
                .putObject("quick")
                .put("type", "object")
                .put("description", "Dotted keys with the values that --quick sets instead.");
        return schema.toPrettyString();
    }

    private static ObjectNode object(String about) {
        ObjectNode node = JSON.createObjectNode();
        node.put("type", "object").put("description", about).put("additionalProperties", false);
        return node;
    }

    private static ObjectNode value(Key key) {
        ObjectNode node = JSON.createObjectNode();
        node.put("description", key.about());
        switch (key.type()) {
            case TEXT -> node.put("type", "string");
            case TEXTS -> node.put("type", "array").putObject("items").put("type", "string");
            case BOOLEAN -> node.put("type", "boolean");
            case INTEGER ->
                node.put("type", "integer").put("minimum", (long) key.min()).put("maximum", (long) key.max());
            case NUMBER -> node.put("type", "number").put("minimum", key.min()).put("maximum", key.max());
        }
        if (!key.choices().isEmpty()) {
            key.choices().forEach(node.putArray("enum")::add);
        }
        if (key.fallback() != null && key.type() != Key.Type.TEXTS) {
            node.put("default", key.fallback());
        }
        return node;
    }
}
