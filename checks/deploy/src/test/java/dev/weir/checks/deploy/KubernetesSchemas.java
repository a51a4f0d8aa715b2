package dev.weir.checks.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.io.IOException;
import java.util.Map;

/**
 * Checks objects against the Kubernetes API, with the classes of its Java client. Refuses unknown fields, missing
 * required fields, and values of the wrong type. Stateless.
 */
final class KubernetesSchemas {

    @FunctionalInterface
    private interface Reader {
        Object read(String json) throws IOException;
    }

    private static final Map<String, Reader> READERS = Map.of(
            "ConfigMap", V1ConfigMap::fromJson,
            "Deployment", V1Deployment::fromJson,
            "NetworkPolicy", V1NetworkPolicy::fromJson,
            "PodDisruptionBudget", V1PodDisruptionBudget::fromJson,
            "Service", V1Service::fromJson,
            "StatefulSet", V1StatefulSet::fromJson);

    private KubernetesSchemas() {}

    /** Throws {@link IllegalArgumentException} or a JSON reader's exception if the API refuses the object. */
    static void check(JsonNode object) throws IOException {
        String kind = object.required("kind").asText();
        Reader reader = READERS.get(kind);
        if (reader == null) {
            throw new AssertionError("no schema for " + kind + ": add it here");
        }
        reader.read(object.toString());
    }
}
