package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.checks.deploy.Manifests.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares the chart's objects for KEDA and the Prometheus operator with the definitions published by these projects.
 * {@code -Dweir.crds=FOLDER} names a folder with the definitions.
 */
class CustomResourceTest {

    private static final String DEFINITION = """
            kind: CustomResourceDefinition
            spec:
              group: example.com
              names: { kind: Kettle }
              versions:
                - name: v1
                  schema:
                    openAPIV3Schema:
                      type: object
                      required: [spec]
                      properties:
                        apiVersion: { type: string }
                        kind: { type: string }
                        metadata: { type: object }
                        spec:
                          type: object
                          properties:
                            cups: { type: integer }
                            port:
                              anyOf: [{ type: integer }, { type: string }]
                              x-kubernetes-int-or-string: true
                            teas:
                              type: array
                              items: { type: object, properties: { name: { type: string } } }
                            labels: { type: object, additionalProperties: { type: string } }
                            free: { type: object, x-kubernetes-preserve-unknown-fields: true, properties: {} }
            """;

    @Test
    void objectThatFits_isTaken() {
        assertThat(faults("{ cups: 2, port: tea, teas: [{ name: green }], labels: { a: b }, free: { c: 1 } }"))
                .isEmpty();
    }

    @Test
    void unknownFieldOfAnyDepth_missingField_wrongType_orUnknownVersion_isRefused() {
        assertThat(faults("{ cupz: 2 }")).singleElement().asString().contains("cupz");
        assertThat(faults("{ teas: [{ nam: green }] }"))
                .singleElement()
                .asString()
                .contains("nam");
        assertThat(faults("{ cups: two }")).singleElement().asString().contains("/spec/cups");
        assertThat(faults("{ labels: { a: 1 } }")).singleElement().asString().contains("/spec/labels/a");
        CustomResource kettle = new CustomResource(tree(DEFINITION));
        assertThat(kettle.faults(tree("{ apiVersion: example.com/v1, kind: Kettle }")))
                .singleElement()
                .asString()
                .contains("spec");
        assertThat(kettle.faults(tree("{ apiVersion: example.com/v2, kind: Kettle }")))
                .containsExactly("no version example.com/v2 of Kettle");
    }

    private static List<String> faults(String spec) {
        return new CustomResource(tree(DEFINITION))
                .faults(tree("{ apiVersion: example.com/v1, kind: Kettle, metadata: { name: k }, spec: %s }"
                        .formatted(spec)));
    }

    private static JsonNode tree(String yaml) {
        return Manifests.of(yaml).all().get(0).tree();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void rendered_fitsThePublishedDefinitions_andAWrongFieldOrTypeDoesNot(Variant variant) throws IOException {
        List<CustomResource> published = published();
        List<Manifest> custom = variant.render(Variant.SCALING).all().stream()
                .filter(manifest -> !manifest.isBuiltIn())
                .toList();
        assertThat(custom).extracting(Manifest::kind).contains("ScaledObject", "ServiceMonitor");
        Map<String, String> entries = Map.of("ScaledObject", "/spec/triggers/0", "ServiceMonitor", "/spec/endpoints/0");
        for (Manifest manifest : custom) {
            CustomResource definition = published.stream()
                    .filter(resource -> resource.kind().equals(manifest.kind()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no definition of " + manifest.kind()));
            assertThat(definition.faults(manifest.tree()))
                    .as(manifest.fileName())
                    .isEmpty();
            String inner = entries.get(manifest.kind());
            ObjectNode unknown = manifest.tree().deepCopy();
            ((ObjectNode) unknown.at(inner)).put("intervall", "15s");
            assertThat(definition.faults(unknown)).singleElement().asString().contains("intervall");
            ObjectNode wrong = manifest.tree().deepCopy();
            String text = manifest.kind().equals("ScaledObject") ? "type" : "path";
            ((ObjectNode) wrong.at(inner)).put(text, 15);
            assertThat(definition.faults(wrong)).singleElement().asString().contains(inner + "/" + text);
        }
    }

    private static List<CustomResource> published() throws IOException {
        String folder = System.getProperty("weir.crds");
        assumeTrue(folder != null, "weir.crds names no folder of published definitions");
        List<CustomResource> published = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            for (Path file : files.toList()) {
                Manifests.of(Files.readString(file)).all().stream()
                        .filter(manifest -> manifest.kind().equals("CustomResourceDefinition"))
                        .forEach(manifest -> published.add(new CustomResource(manifest.tree())));
            }
        }
        return published;
    }
}
