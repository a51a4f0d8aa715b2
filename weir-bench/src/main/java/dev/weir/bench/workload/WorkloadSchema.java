package dev.weir.bench.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The JSON schema of workload files, for editors: of a draft (7) that all of them know. Stateless.
 *
 * <p>A key may stand in its section or be dotted, at the top, in an entry of {@code vary} and in {@code quick} alike.
 */
public final class WorkloadSchema {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DEFINITIONS = "definitions";
    private static final String CLIENT_NAME = "client.name";
    private static final String CLIENT_VALUE = "client.value";

    private WorkloadSchema() {}

    /** The schema as a text of several lines. */
    public static String json() {
        ObjectNode schema = JSON.createObjectNode();
        schema.put("$schema", "http://json-schema.org/draft-07/schema#");
        schema.put("title", "A campaign of weir bench");
        ObjectNode properties = keys(schema, key -> true, false);
        ObjectNode vary = properties
                .putObject(WorkloadFile.VARY)
                .put("type", "array")
                .put(
                        "description",
                        "Each entry is a dimension: keys with lists of values; those of an entry vary together.");
        keys(vary.putObject("items"), key -> !WorkloadFile.isFixed(key.path()), true);
        keys(
                properties.putObject(WorkloadFile.QUICK).put("description", "What --quick sets instead."),
                key -> true,
                false);
        ArrayNode required = schema.putArray("required");
        ObjectNode definitions = schema.putObject(DEFINITIONS);
        for (Key key : Key.ALL.values()) {
            definitions.set(key.path(), definition(key));
            if (key.fallback() == null) {
                required.add(key.path());
            }
        }
        definitions
                .putObject(CLIENT_VALUE)
                .putArray("type")
                .add("string")
                .add("number")
                .add("boolean");
        Key.CLIENT_PROPERTIES.forEach(definitions.putObject(CLIENT_NAME).putArray("enum")::add);
        return schema.toPrettyString();
    }

    /** Makes a node have those keys, each with a value or, if {@code many}, with a list of them; gives its properties. */
    private static ObjectNode keys(ObjectNode node, Predicate<Key> wanted, boolean many) {
        ObjectNode properties = section(node);
        for (Key key : Key.ALL.values()) {
            if (wanted.test(key)) {
                properties.set(key.path(), value(key.path(), many));
                int dot = key.path().indexOf('.');
                if (dot > 0) {
                    String name = key.path().substring(0, dot);
                    ObjectNode inSection = properties.has(name)
                            ? properties.withObject("/" + name + "/properties")
                            : section(properties.putObject(name));
                    inSection.set(key.path().substring(dot + 1), value(key.path(), many));
                }
            }
        }
        ObjectNode client =
                properties.putObject(Key.CLIENT).put("type", "object").put("description", Key.ABOUT_CLIENT);
        client.set("propertyNames", value(CLIENT_NAME, false));
        client.set("additionalProperties", value(CLIENT_VALUE, many));
        String dotted = Key.CLIENT_PROPERTIES.stream()
                .map(property -> property.replace(".", "[.]"))
                .collect(Collectors.joining("|", "^" + Key.CLIENT + "[.](", ")$"));
        node.putObject("patternProperties").set(dotted, value(CLIENT_VALUE, many));
        return properties;
    }

    private static ObjectNode section(ObjectNode node) {
        return node.put("type", "object").put("additionalProperties", false).putObject("properties");
    }

    private static ObjectNode value(String definition, boolean many) {
        ObjectNode reference = JSON.createObjectNode().put("$ref", "#/" + DEFINITIONS + "/" + definition);
        if (!many) {
            return reference;
        }
        ObjectNode list = JSON.createObjectNode().put("type", "array").put("minItems", 1);
        list.set("items", reference);
        return list;
    }

    private static ObjectNode definition(Key key) {
        ObjectNode node = JSON.createObjectNode();
        node.put("description", key.about());
        String fallback = key.fallback();
        switch (key.type()) {
            case TEXT, PATH -> node.put("type", "string");
            case SIZES -> node.put("type", "string").put("pattern", ValueSizes.PATTERN);
            case TARGET -> node.put("type", "string").put("pattern", LatencyTarget.PATTERN);
            case TEXTS ->
                node.put("type", "array").put("minItems", 1).putObject("items").put("type", "string");
            case BOOLEAN -> node.put("type", "boolean");
            case INTEGER ->
                node.put("type", "integer").put("minimum", (long) key.min()).put("maximum", (long) key.max());
            case NUMBER -> node.put("type", "number").put("minimum", key.min()).put("maximum", key.max());
        }
        if (fallback != null) {
            switch (key.type()) {
                case TEXT, TEXTS, SIZES, TARGET, PATH -> node.put("default", fallback);
                case BOOLEAN -> node.put("default", Boolean.parseBoolean(fallback));
                case INTEGER -> node.put("default", Long.parseLong(fallback));
                case NUMBER -> node.put("default", Double.parseDouble(fallback));
            }
        }
        if (!key.choices().isEmpty()) {
            key.choices().forEach(node.putArray("enum")::add);
        }
        return node;
    }
}
