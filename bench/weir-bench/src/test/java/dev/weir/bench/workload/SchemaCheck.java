package dev.weir.bench.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Checks documents against a JSON schema that contains only the keywords of {@link WorkloadSchema}. Any other keyword
 * is an error, so no keyword is ignored. Confined to one thread.
 */
final class SchemaCheck {
    private final JsonNode root;
    private final List<String> faults = new ArrayList<>();

    SchemaCheck(JsonNode schema) {
        this.root = schema;
    }

    List<String> faults(JsonNode document) {
        check("the file", root, document);
        return faults;
    }

    private void check(String place, JsonNode schema, JsonNode value) {
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            JsonNode says = keyword.getValue();
            switch (keyword.getKey()) {
                case "$schema", "title", "description", "default", "definitions" -> {}
                case "$ref" -> check(place, root.at(says.asText().substring(1)), value);
                case "type" -> require(isOfType(says, value), place, "is no " + says);
                case "pattern" -> require(value.asText().matches(says.asText()), place, "is not like " + says);
                case "enum" -> require(contains(says, value), place, "is none of " + says);
                case "minimum" -> require(value.asDouble() >= says.asDouble(), place, "is below " + says);
                case "maximum" -> require(value.asDouble() <= says.asDouble(), place, "is above " + says);
                case "minItems" -> require(value.size() >= says.asInt(), place, "has fewer elements than " + says);
                case "items" -> value.forEach(element -> check(place + "[]", says, element));
                case "required" ->
                    says.forEach(name -> require(value.has(name.asText()), place, "lacks " + name.asText()));
                case "properties" ->
                    value.properties().stream()
                            .filter(entry -> says.has(entry.getKey()))
                            .forEach(entry -> check(entry.getKey(), says.get(entry.getKey()), entry.getValue()));
                case "propertyNames" ->
                    value.fieldNames().forEachRemaining(name -> check(place, says, new TextNode(name)));
                case "patternProperties" ->
                    says.properties()
                            .forEach(pattern -> value.properties().stream()
                                    .filter(entry -> entry.getKey().matches(pattern.getKey()))
                                    .forEach(entry -> check(entry.getKey(), pattern.getValue(), entry.getValue())));
                case "additionalProperties" ->
                    value.properties().stream()
                            .filter(entry -> !isNamed(schema, entry.getKey()))
                            .forEach(entry -> {
                                require(!says.isBoolean() || says.asBoolean(), place, "has no key " + entry.getKey());
                                check(entry.getKey(), says, entry.getValue());
                            });
                default -> throw new AssertionError("a keyword that is not checked: " + keyword.getKey());
            }
        }
    }

    private static boolean isNamed(JsonNode schema, String name) {
        return schema.path("properties").has(name)
                || schema.path("patternProperties").properties().stream()
                        .anyMatch(pattern -> name.matches(pattern.getKey()));
    }

    private void require(boolean holds, String place, String fault) {
        if (!holds) {
            faults.add(place + ": " + fault);
        }
    }

    private static boolean contains(JsonNode list, JsonNode value) {
        for (JsonNode element : list) {
            if (element.equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfType(JsonNode types, JsonNode value) {
        if (types.isArray()) {
            for (JsonNode type : types) {
                if (isOfType(type, value)) {
                    return true;
                }
            }
            return false;
        }
        return switch (types.asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            default -> throw new AssertionError("a type that is not checked: " + types);
        };
    }
}
