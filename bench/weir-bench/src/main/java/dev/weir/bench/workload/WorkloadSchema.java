package dev.weir.bench.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.live.Fault;
import dev.weir.bench.live.Order;
import dev.weir.driver.LoadShape;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Creates the JSON schema of workload files, for editors. The schema uses draft 7, which all editors support.
 * Stateless.
 *
 * <p>A key may be nested in its section or written as a dotted path. Both forms are valid at the top level, in an entry
 * of {@code vary} and in {@code quick}.
 */
public final class WorkloadSchema {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DEFINITIONS = "definitions";
    private static final String PROPERTY_VALUE = "property.value";
    private static final String PROPERTY_NAME = ".property"; // suffix after the name of the section

    private WorkloadSchema() {}

    /** Returns the schema as indented JSON text. */
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
                        "Each entry is a dimension: keys with lists of values. The keys of an entry vary together.");
        keys(vary.putObject("items"), key -> !WorkloadFile.isFixed(key.path()), true);
        orders(properties);
        orders(keys(
                properties.putObject(WorkloadFile.QUICK).put("description", "Values that --quick uses instead."),
                key -> true,
                false));
        ArrayNode required = schema.putArray("required");
        ObjectNode definitions = schema.putObject(DEFINITIONS);
        for (Key key : Key.ALL.values()) {
            definitions.set(key.path(), definition(key));
            if (key.fallback() == null) {
                required.add(key.path());
            }
        }
        definitions
                .putObject(PROPERTY_VALUE)
                .putArray("type")
                .add("string")
                .add("number")
                .add("boolean");
        for (PropertySection section : PropertySection.ALL) {
            section.known()
                    .keySet()
                    .forEach(definitions
                            .putObject(section.name() + PROPERTY_NAME)
                            .putArray("enum")::add);
        }
        return schema.toPrettyString();
    }

    private static void orders(ObjectNode properties) {
        properties.set(WorkloadFile.TIMELINE, timeline());
        ObjectNode plan = properties
                .putObject(WorkloadFile.FAULTS)
                .put("description", "Faults at even intervals, in addition to the timeline.");
        plan.putArray("required").add("from").add("every").add(WorkloadFile.OF);
        ObjectNode keys = section(plan);
        time(keys, "from", "Time of the first fault, since the plan of records began.");
        time(keys, "every", "Interval between faults.");
        number(keys, "times", "Total number of faults; default: each once.");
        number(keys, "seed", "Shuffles their order in each turn; default: the order of the list.");
        ObjectNode of = keys.putObject(WorkloadFile.OF).put("type", "array").put("minItems", 1);
        order(section(of.putObject("items")));
    }

    private static ObjectNode timeline() {
        ObjectNode list = JSON.createObjectNode()
                .put("type", "array")
                .put("description", "Orders to a run in progress: entries with a time and one order each.");
        ObjectNode entry = list.putObject("items");
        entry.putArray("required").add("at");
        ObjectNode properties = section(entry);
        time(properties, "at", "Time of the order, since the plan began.");
        order(properties);
        properties.putObject("took").put("type", "string").put("description", "Part of a recorded entry; not read.");
        properties.putObject("did").put("type", "object").put("description", "Part of a recorded entry; not read.");
        return list;
    }

    private static void order(ObjectNode properties) {
        ObjectNode set = properties.putObject("set").put("description", "New values from then on.");
        set.putObject("patternProperties").set("^client[.].+$", value(PROPERTY_VALUE, false));
        ObjectNode values = section(set);
        number(values, Order.PRODUCER_RATE, "Records a second.");
        time(values, Order.WORK, "How long a handler blocks.");
        number(values, Order.CONSUMERS, "Consumers of the group.");
        types(properties.putObject("restart-consumers"), "string", "integer")
                .put("description", "Consumers that leave and join again: a number, or a share such as 50%.");
        time(properties, "pause", "Time for which all members are paused.");
        types(properties.putObject("drain"), "boolean", "string")
                .put("description", "true: nothing is sent and handlers take no time until all is done.");
        types(properties.putObject("discard-stats"), "boolean", "string")
                .put("description", "true: earlier measurements do not count.");
        time(properties, "extend", "Time that is added to the run.");
        types(properties.putObject("end"), "boolean", "string").put("description", "true: the run ends.");
        for (Fault.Kind kind : Fault.Kind.values()) {
            ArrayNode types = properties
                    .putObject(kind.label())
                    .put("description", kind.about())
                    .putArray("type")
                    .add("string");
            if (kind.isPlain()) {
                types.add("integer").add("boolean");
            }
        }
    }

    private static void time(ObjectNode properties, String name, String about) {
        properties
                .putObject(name)
                .put("type", "string")
                .put("description", about + " Such as 500us, 5ms, 1.5s, 5m or 1h.");
    }

    private static void number(ObjectNode properties, String name, String about) {
        types(properties.putObject(name), "number", "string").put("description", about);
    }

    private static ObjectNode types(ObjectNode node, String one, String other) {
        node.putArray("type").add(one).add(other);
        return node;
    }

    /**
     * Adds the given keys to a node and returns the node's {@code properties}.
     *
     * @param many whether each key takes a list of values instead of a single value
     */
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
        ObjectNode dotted = node.putObject("patternProperties");
        for (PropertySection section : PropertySection.ALL) {
            ObjectNode inSection =
                    properties.putObject(section.name()).put("type", "object").put("description", section.about());
            inSection.set("propertyNames", value(section.name() + PROPERTY_NAME, false));
            inSection.set("additionalProperties", value(PROPERTY_VALUE, many));
            dotted.set(
                    section.known().keySet().stream()
                            .map(property -> property.replace(".", "[.]"))
                            .collect(Collectors.joining("|", "^" + section.name() + "[.](", ")$")),
                    value(PROPERTY_VALUE, many));
        }
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
            case VERSION -> node.put("type", "string").put("pattern", "^(" + Spelling.VERSION + ")?$");
            case SIZES -> node.put("type", "string").put("pattern", ValueSizes.PATTERN);
            case LOAD -> node.put("type", "string").put("pattern", LoadShape.PATTERN);
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
                case TEXT, TEXTS, SIZES, LOAD, TARGET, PATH, VERSION -> node.put("default", fallback);
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
