package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import dev.weir.checks.deploy.Manifests.Manifest;
import dev.weir.cli.pipe.PipeCommand;
import dev.weir.cli.terminal.DurationConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/**
 * {@code deploy/kubernetes} is what the chart renders, and fits Kubernetes, the image and the command. Written anew
 * with {@code -Dweir.write=true}.
 */
class ManifestsTest {

    private static final String HEADER = "# Rendered from deploy/helm/weir: docs/guide/kubernetes.md says how.\n";

    /** For which the JVM waits after a drain: the last commit, and word to the group. */
    private static final long AFTER_DRAIN_SECONDS = 23;

    private static final long COMMIT_SECONDS = 10;

    @TempDir
    private static Path folder;

    private static Image image;

    @BeforeAll
    static void openImage() throws IOException {
        image = Image.open(folder);
    }

    @ParameterizedTest
    @EnumSource
    void folder_isWhatTheChartRenders(Variant variant) throws IOException {
        List<Manifest> core = variant.render(Map.of()).all();
        List<Manifest> scaling = variant.render(Variant.SCALING).all().stream()
                .filter(manifest -> !manifest.isBuiltIn())
                .toList();
        Map<Path, String> expected = new TreeMap<>();
        for (Manifest manifest : core) {
            expected.put(variant.folder().resolve(manifest.fileName()), HEADER + manifest.text());
        }
        expected.put(variant.folder().resolve("kustomization.yaml"), kustomization("Kustomization", core, ""));
        Path component = variant.folder().resolve("scaling");
        for (Manifest manifest : scaling) {
            expected.put(component.resolve(manifest.fileName()), HEADER + manifest.text());
        }
        String workload = variant.render(Map.of()).workload().kind();
        expected.put(
                component.resolve("kustomization.yaml"), kustomization("Component", scaling, """
                        # The number of pods is the autoscaler's.
                        patches:
                          - target:
                              kind: %s
                            patch: |
                              - op: remove
                                path: /spec/replicas
                        """.formatted(workload)));
        if (Boolean.getBoolean("weir.write")) {
            Files.createDirectories(component);
            for (Map.Entry<Path, String> file : expected.entrySet()) {
                Files.writeString(file.getKey(), file.getValue());
            }
        }
        assertThat(filesIn(variant.folder())).isEqualTo(expected);
    }

    private static String kustomization(String kind, List<Manifest> resources, String more) {
        String version = kind.equals("Component") ? "v1alpha1" : "v1beta1";
        return HEADER + "apiVersion: kustomize.config.k8s.io/" + version + "\nkind: " + kind + "\nresources:\n"
                + resources.stream()
                        .map(manifest -> "  - " + manifest.fileName() + "\n")
                        .collect(Collectors.joining())
                + more;
    }

    private static Map<Path, String> filesIn(Path folder) throws IOException {
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.find(folder, 2, (file, attributes) -> attributes.isRegularFile())) {
            for (Path file : found.toList()) {
                files.put(file, Files.readString(file));
            }
        }
        return files;
    }

    @ParameterizedTest
    @EnumSource
    void objects_fitThePublishedApi(Variant variant) throws IOException {
        for (Manifest manifest : variant.render(Variant.SCALING).all()) {
            if (manifest.isBuiltIn()) {
                KubernetesSchemas.check(manifest.tree());
            }
        }
    }

    @Test
    void unknownField_missingField_orWrongType_isRefused() {
        JsonNode deployment = Variant.BASE.render(Map.of()).workload().tree();
        ObjectNode unknown = deployment.deepCopy();
        ((ObjectNode) unknown.at("/spec/template/spec")).put("terminationGracePeriod", 60);
        assertThatThrownBy(() -> KubernetesSchemas.check(unknown)).hasMessageContaining("terminationGracePeriod");
        ObjectNode missing = deployment.deepCopy();
        ((ObjectNode) missing.required("spec")).remove("selector");
        assertThatThrownBy(() -> KubernetesSchemas.check(missing)).hasMessageContaining("selector");
        ObjectNode wrong = deployment.deepCopy();
        ((ObjectNode) wrong.at("/spec/template/spec")).put("terminationGracePeriodSeconds", "a minute");
        assertThatThrownBy(() -> KubernetesSchemas.check(wrong)).hasMessageContaining("a minute");
    }

    @ParameterizedTest
    @EnumSource
    void arguments_areOptionsOfTheCommand_andEachVariableIsUsed(Variant variant) {
        Manifests manifests = variant.render(Map.of());
        List<String> written = Image.texts(manifests.container().required("args"));
        assertThat(written).startsWith("pipe");
        for (Map.Entry<String, JsonNode> setting : manifests.configMap("weir").properties()) {
            String name = setting.getKey();
            String option = "--"
                    + name.substring("WEIR_".length()).toLowerCase(Locale.ROOT).replace('_', '-');
            assertThat(written).contains(option + "=$(" + name + ")");
        }
        Map<String, String> environment = manifests.environment("weir-0");
        List<String> arguments = manifests.arguments(environment);
        CommandLine.ParseResult parsed = new CommandLine(new PipeCommand())
                .registerConverter(Duration.class, new DurationConverter())
                .parseArgs(arguments.subList(1, arguments.size()).toArray(String[]::new));
        assertThat(parsed.unmatched()).isEmpty();
        assertThat(written)
                .anyMatch(word -> word.startsWith("--client-config="
                        + manifests.container().at("/volumeMounts/0/mountPath").asText() + "/"));
    }

    @ParameterizedTest
    @EnumSource
    void stop_hasTimeForDrainAndRebalance(Variant variant) {
        Manifests manifests = variant.render(Map.of());
        String properties =
                manifests.configMap("weir-client").required("client.properties").asText();
        long drain = seconds("--drain-timeout=([0-9]+)s", manifests.container().toString());
        long revoke = variant == Variant.SHARE_GROUP ? 0 : seconds("weir\\.revoke\\.deadline=([0-9]+)s", properties);
        assertThat(manifests.graceSeconds())
                .isGreaterThanOrEqualTo(drain + AFTER_DRAIN_SECONDS)
                .isGreaterThanOrEqualTo(drain + revoke + COMMIT_SECONDS)
                .isLessThanOrEqualTo(drain + 60);
        assertThat(manifests.container().has("lifecycle")).as("no preStop").isFalse();
    }

    private static long seconds(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(result -> Long.valueOf(result.group(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + pattern + " in " + text));
    }

    @ParameterizedTest
    @EnumSource
    void versionUserAndPorts_areThoseOfTheImage_andProbesThoseOfTheCommand(Variant variant) {
        Manifests manifests = variant.render(Map.of());
        JsonNode container = manifests.container();
        JsonNode port = container.required("ports").required(0);
        assertThat(container.required("args").toString())
                .contains("--metrics=0.0.0.0:" + port.required("containerPort").asInt());
        assertThat(image.tags()).contains(container.required("image").asText());
        assertThat(image.config().required("ExposedPorts").toString())
                .contains(port.required("containerPort").asText());
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(container.at("/" + probe + "/httpGet/port").asText())
                    .isEqualTo(port.required("name").asText());
        }
        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/health/ready");
        JsonNode asPod = manifests.pod().required("securityContext");
        assertThat(asPod.required("runAsUser").asText() + ":"
                        + asPod.required("runAsGroup").asText())
                .isEqualTo(image.config().required("User").asText());
        assertThat(asPod.required("runAsNonRoot").asBoolean()).isTrue();
        assertThat(asPod.at("/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        JsonNode inside = container.required("securityContext");
        assertThat(inside.required("readOnlyRootFilesystem").asBoolean()).isTrue();
        assertThat(inside.required("allowPrivilegeEscalation").asBoolean()).isFalse();
        assertThat(inside.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
        assertThat(manifests.pod().required("volumes").toString()).contains("\"name\":\"tmp\",\"emptyDir\"");
        assertThat(container.required("volumeMounts").toString()).contains("\"mountPath\":\"/tmp\"");
    }

    @ParameterizedTest
    @EnumSource
    void autoscaler_asksForMetersThatThereAre(Variant variant) throws IOException {
        Manifests manifests = variant.render(Variant.SCALING);
        JsonNode scaled = manifests.one("ScaledObject").tree().required("spec");
        assertThat(scaled.at("/scaleTargetRef/kind").asText())
                .isEqualTo(manifests.workload().kind());
        assertThat(manifests.workload().tree().required("spec").has("replicas")).isFalse();
        JsonNode trigger = scaled.required("triggers").required(0);
        assertThat(trigger.required("type").asText()).isEqualTo("prometheus");
        String query = trigger.at("/metadata/query").asText();
        String page = Files.readString(Image.ROOT.resolve("docs/reference/metrics.md"));
        List<String> meters = Pattern.compile("weir_[a-z_]+")
                .matcher(query)
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(meters).isNotEmpty().allSatisfy(meter -> assertThat(page).contains("| `" + meter + "` |"));
        JsonNode endpoint =
                manifests.one("ServiceMonitor").tree().at("/spec/endpoints").required(0);
        assertThat(endpoint.required("port").asText())
                .isEqualTo(
                        manifests.one("Service").tree().at("/spec/ports/0/name").asText());
        assertThat(endpoint.required("path").asText()).isEqualTo("/metrics");
    }

    @Test
    void chart_passesLint_andRefusesWhatItDoesNotKnow() {
        LintResult lint = new Helm(Variant.CHART).lint().call();
        assertThat(lint.isFailed()).as(lint.getMessages().toString()).isFalse();
        assertThatThrownBy(() -> Variant.BASE.render(Map.of("replica", "3"))).hasMessageContaining("replica");
        Map<String, String> both = new HashMap<>(Map.of("share.enabled", "true", "staticMembers", "true"));
        assertThatThrownBy(() -> Variant.render(Variant.CHART, both)).hasMessageContaining("do not go together");
    }
}
