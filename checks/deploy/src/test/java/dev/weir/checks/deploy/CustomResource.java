package dev.weir.checks.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;

/**
 * A kind with its {@code CustomResourceDefinition}. Unknown fields are errors here; a cluster would remove them. Rules
 * in CEL ({@code x-kubernetes-validations}) are not evaluated. Stateless.
 */
final class CustomResource {

    private final JsonNode spec;

    /** Creates the kind from the definition that its project publishes. */
    CustomResource(JsonNode definition) {
        spec = definition.required("spec");
    }

    String kind() {
        return spec.at("/names/kind").asText();
    }

    /** Returns the faults of the object, or an empty list. */
    List<String> faults(JsonNode object) {
        String group = spec.required("group").asText();
        for (JsonNode version : spec.required("versions")) {
            String apiVersion = group + "/" + version.required("name").asText();
            if (apiVersion.equals(object.required("apiVersion").asText())) {
                JsonNode published = version.required("schema").required("openAPIV3Schema");
                return compile(published.deepCopy()).validate(object.toString(), InputFormat.JSON).stream()
                        .map(Error::toString)
                        .toList();
            }
        }
        return List.of("no version " + object.required("apiVersion").asText() + " of " + kind());
    }

    private static Schema compile(JsonNode schema) {
        refuseUnknown(schema);
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema.toString());
    }

    private static void refuseUnknown(JsonNode schema) {
        if (schema.has("properties")) {
            boolean isOpen = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()
                    || schema.has("additionalProperties");
            if (!isOpen) {
                ((ObjectNode) schema).put("additionalProperties", false);
            }
            schema.required("properties").forEach(CustomResource::refuseUnknown);
        }
        for (String inner : List.of("items", "additionalProperties")) {
            if (schema.path(inner).isObject()) {
                refuseUnknown(schema.required(inner));
            }
        }
    }
}
