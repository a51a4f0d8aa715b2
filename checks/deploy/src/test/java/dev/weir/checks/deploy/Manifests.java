package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Rendered Kubernetes objects.
 *
 * @param all the objects in rendering order
 */
record Manifests(List<Manifest> all) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern SEPARATOR = Pattern.compile("(?m)^---$");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z0-9_]+)\\)");

    record Manifest(String text, JsonNode tree) {

        String kind() {
            return tree.required("kind").asText();
        }

        String name() {
            return tree.at("/metadata/name").asText();
        }

        String fileName() {
            return kind().toLowerCase(Locale.ROOT) + "-" + name() + ".yaml";
        }

        /** Returns whether the object's kind is built into Kubernetes. */
        boolean isBuiltIn() {
            return List.of("v1", "apps/v1", "policy/v1", "networking.k8s.io/v1")
                    .contains(tree.required("apiVersion").asText());
        }
    }

    /** Renders a folder with {@code kubectl kustomize}. Without {@code kubectl}, the test is skipped. */
    static Manifests kustomized(Path root, Path outFolder) throws IOException, InterruptedException {
        Path out = outFolder.resolve("built-" + root.getFileName());
        Process process;
        try {
            process = new ProcessBuilder("kubectl", "kustomize", root.toString())
                    .redirectOutput(out.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            return abort("kubectl is not there");
        }
        assertThat(process.waitFor()).isZero();
        return of(Files.readString(out));
    }

    /** Reads documents with {@code ---} between them. */
    static Manifests of(String yaml) {
        List<Manifest> all = new ArrayList<>();
        for (String document : SEPARATOR.splitAsStream(yaml).toList()) {
            String text = document.replaceAll("(?m)^# Source: .*\\R", "").strip() + "\n";
            Object tree = new Load(LoadSettings.builder().build()).loadFromString(text);
            if (tree != null) {
                all.add(new Manifest(text, JSON.valueToTree(tree)));
            }
        }
        assertThat(all).isNotEmpty();
        return new Manifests(List.copyOf(all));
    }

    Manifest one(String kind) {
        return all.stream()
                .filter(manifest -> manifest.kind().equals(kind))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind));
    }

    Manifest workload() {
        return all.stream()
                .filter(manifest ->
                        manifest.kind().equals("Deployment") || manifest.kind().equals("StatefulSet"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no workload"));
    }

    JsonNode pod() {
        return workload().tree().at("/spec/template/spec");
    }

    JsonNode container() {
        return pod().required("containers").required(0);
    }

    JsonNode configMap(String name) {
        return all.stream()
                .filter(manifest ->
                        manifest.kind().equals("ConfigMap") && manifest.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ConfigMap " + name))
                .tree()
                .required("data");
    }

    /**
     * Returns the variables of a pod's container: from ConfigMaps, then its own. Leaves out Secrets, which are
     * optional.
     */
    Map<String, String> environment(String podName) {
        Map<String, String> environment = new HashMap<>();
        for (JsonNode source : container().required("envFrom")) {
            if (source.has("configMapRef")) {
                configMap(source.at("/configMapRef/name").asText())
                        .properties()
                        .forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
            } else {
                assertThat(source.at("/secretRef/optional").asBoolean()).isTrue();
            }
        }
        for (JsonNode variable : container().required("env")) {
            boolean isName =
                    variable.at("/valueFrom/fieldRef/fieldPath").asText().equals("metadata.name");
            environment.put(
                    variable.required("name").asText(),
                    isName ? podName : variable.required("value").asText());
        }
        return environment;
    }

    /** Returns the arguments of a container, with variables substituted as in Kubernetes. */
    List<String> arguments(Map<String, String> environment) {
        return Image.texts(container().required("args")).stream()
                .map(word -> REFERENCE.matcher(word).replaceAll(reference -> {
                    String value = environment.get(reference.group(1));
                    assertThat(value).as("%s in %s", reference.group(1), word).isNotNull();
                    return Matcher.quoteReplacement(value);
                }))
                .toList();
    }

    long graceSeconds() {
        return pod().required("terminationGracePeriodSeconds").asLong();
    }
}
