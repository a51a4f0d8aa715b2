package dev.weir.cli.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The arguments of one call, checked against the parameters of its tool. Immutable. */
final class Arguments {

    private static final int MAX_TEXT = 1_000;

    private final Map<String, Parameter> parameters;
    private final JsonNode given;

    private Arguments(Map<String, Parameter> parameters, JsonNode given) {
        this.parameters = parameters;
        this.given = given;
    }

    /** A parameter of a tool. */
    sealed interface Parameter {

        String description();

        /** The reason why a value is refused; null if it is accepted. */
        @Nullable
        String refusal(JsonNode value);

        void writeTo(ObjectNode schema);

        /** A text of 1 to 1,000 characters. */
        record Text(String description) implements Parameter {
            @Override
            public @Nullable String refusal(JsonNode value) {
                boolean fits = value.isTextual()
                        && !value.textValue().isBlank()
                        && value.textValue().length() <= MAX_TEXT;
                return fits ? null : "a text of 1 to " + MAX_TEXT + " characters";
            }

            @Override
            public void writeTo(ObjectNode schema) {
                schema.put("type", "string").put("minLength", 1).put("maxLength", MAX_TEXT);
            }
        }

        /** A whole number within bounds. */
        record Count(String description, int min, int max, int otherwise) implements Parameter {
            @Override
            public @Nullable String refusal(JsonNode value) {
                // In JSON schema, 5.0 is an integer too.
                boolean whole = value.isNumber() && value.doubleValue() == Math.rint(value.doubleValue());
                boolean fits = whole && value.doubleValue() >= min && value.doubleValue() <= max;
                return fits ? null : "a whole number from " + min + " to " + max;
            }

            @Override
            public void writeTo(ObjectNode schema) {
                schema.put("type", "integer")
                        .put("minimum", min)
                        .put("maximum", max)
                        .put("default", otherwise);
            }
        }

        /** True or false; false by default. */
        record Flag(String description) implements Parameter {
            @Override
            public @Nullable String refusal(JsonNode value) {
                return value.isBoolean() ? null : "true or false";
            }

            @Override
            public void writeTo(ObjectNode schema) {
                schema.put("type", "boolean").put("default", false);
            }
        }
    }

    /**
     * Checks the arguments of a call.
     *
     * @param given an object; missing if there are none
     */
    static Arguments of(Tool tool, JsonNode given) throws RpcException {
        if (!given.isObject() && !given.isMissingNode() && !given.isNull()) {
            throw RpcException.invalidParams("arguments of " + tool.name() + " must be an object");
        }
        Map<String, Parameter> parameters = tool.parameters();
        for (Map.Entry<String, JsonNode> each : given.properties()) {
            Parameter parameter = parameters.get(each.getKey());
            if (parameter == null) {
                throw RpcException.invalidParams(tool.name() + " has no argument " + each.getKey() + "; it has "
                        + (parameters.isEmpty() ? "none" : String.join(", ", new TreeSet<>(parameters.keySet()))));
            }
            String wanted = parameter.refusal(each.getValue());
            if (wanted != null) {
                throw RpcException.invalidParams(
                        "argument " + each.getKey() + " of " + tool.name() + " must be " + wanted);
            }
        }
        for (String each : tool.required()) {
            if (!given.has(each)) {
                throw RpcException.invalidParams(tool.name() + " needs the argument " + each);
            }
        }
        return new Arguments(parameters, given);
    }

    @Nullable
    String text(String name) {
        return given.path(name).textValue();
    }

    /** A number, or its default. */
    int number(String name) {
        int otherwise = parameters.get(name) instanceof Parameter.Count number ? number.otherwise() : 0;
        return given.has(name) ? given.path(name).intValue() : otherwise;
    }

    boolean flag(String name) {
        return given.path(name).booleanValue();
    }
}
