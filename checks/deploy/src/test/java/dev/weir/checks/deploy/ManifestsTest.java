package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import dev.weir.checks.deploy.Manifests.Manifest;
import dev.weir.cli.pipe.PipeCommand;
import dev.weir.command.terminal.DurationConverter;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Checks that {@code deploy/kubernetes} equals the chart's output, and matches Kubernetes, the image and the command.
 * Regenerate it with {@code -Dweir.write=true}.
 */
class ManifestsTest {

    private static final String HEADER = "# Rendered from deploy/helm/weir: docs/guide/kubernetes.md says how.\n";

    /** The time after a drain in which the JVM makes the last commit and leaves the group. */
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
                        configurations:
                          - names.yaml
                        # The number of pods is the autoscaler's.
                        patches:
                          - target:
                              kind: %s
                              name: weir
                            patch: |
                              - op: remove
                                path: /spec/replicas
                        """.formatted(workload)));
        expected.put(component.resolve("names.yaml"), HEADER + """
                # A namePrefix reaches the autoscaler too.
                nameReference:
                  - kind: %s
                    fieldSpecs:
                      - kind: ScaledObject
                        path: spec/scaleTargetRef/name
                """.formatted(workload));
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

    /** The team's folder adds a second workload and a name prefix. */
    @ParameterizedTest
    @EnumSource
    void scaling_inATeamsKustomization_findsItsWorkload_andLeavesOthersAlone(Variant variant) throws Exception {
        String kind = variant.render(Map.of()).workload().kind();
        Path team = Files.createDirectories(folder.resolve("team-" + variant));
        Files.writeString(team.resolve("other.yaml"), """
                apiVersion: apps/v1
                kind: %s
                metadata: { name: other }
                spec: { replicas: 4 }
                """.formatted(kind));
        Path relative = team.toRealPath().relativize(variant.folder().toRealPath());
        Files.writeString(team.resolve("kustomization.yaml"), """
                namePrefix: orders-
                resources: [%s, other.yaml]
                components: [%s/scaling]
                """.formatted(relative, relative));
        Manifests built = Manifests.kustomized(team, folder);
        Map<String, JsonNode> workloads = built.all().stream()
                .filter(manifest -> manifest.kind().equals(kind))
                .collect(Collectors.toMap(Manifest::name, Manifest::tree));
        assertThat(workloads).containsOnlyKeys("orders-weir", "orders-other");
        assertThat(workloads.get("orders-weir").at("/spec").has("replicas")).isFalse();
        assertThat(workloads.get("orders-other").at("/spec/replicas").asInt()).isEqualTo(4);
        assertThat(built.one("ScaledObject")
                        .tree()
                        .at("/spec/scaleTargetRef/name")
                        .asText())
                .isEqualTo("orders-weir");
        String jobLabel =
                built.one("ServiceMonitor").tree().at("/spec/jobLabel").asText();
        JsonNode labels = built.one("Service").tree().at("/metadata/labels");
        assertThat(labels.required(jobLabel).asText()).isEqualTo("weir");
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
        Matcher kinds = Pattern.compile("kind=~\"([^\"]+)\"").matcher(query);
        assertThat(kinds.find()).isEqualTo(variant != Variant.SHARE_GROUP);
        if (variant != Variant.SHARE_GROUP) {
            assertThat(Stream.of(Limiter.Kind.values()).map(Limiter.Kind::id))
                    .contains(kinds.group(1).split("\\|"));
        }
        assertThat(trigger.at("/metadata/ignoreNullValues").asText()).isEqualTo("false");
        JsonNode endpoint =
                manifests.one("ServiceMonitor").tree().at("/spec/endpoints").required(0);
        assertThat(endpoint.required("port").asText())
                .isEqualTo(
                        manifests.one("Service").tree().at("/spec/ports/0/name").asText());
        assertThat(endpoint.required("path").asText()).isEqualTo("/metrics");
    }

    @Test
    void clientProperties_ofAFile_areWrittenAsTheyStandThere() throws IOException {
        Path values = Files.writeString(folder.resolve("values.yaml"), """
                clientProperties:
                  fetch.max.bytes: 52428800
                  a.fraction: 0.25
                  a.switch: true
                  a.text: 64m
                  config.providers: env,file
                serviceMonitor:
                  enabled: true
                  labels: { release: prometheus }
                """);
        Manifests manifests = Variant.render(values);
        assertThat(manifests
                        .configMap("weir-client")
                        .required("client.properties")
                        .asText()
                        .lines())
                .contains(
                        "fetch.max.bytes=52428800",
                        "a.fraction=0.25",
                        "a.switch=true",
                        "a.text=64m",
                        "config.providers=env,file");
        assertThat(manifests
                        .one("ServiceMonitor")
                        .tree()
                        .at("/metadata/labels/release")
                        .asText())
                .isEqualTo("prometheus");
    }

    /** Regression: a certificate of several lines made the ConfigMap unreadable, and backslashes disappeared. */
    @Test
    void clientProperties_withLinesAndBackslashes_reachTheClientUnchanged() throws IOException {
        Path values = Files.writeString(folder.resolve("values.yaml"), """
                clientProperties:
                  ssl.truststore.type: PEM
                  ssl.truststore.certificates: |
                    -----BEGIN CERTIFICATE-----
                    MIIB+z=
                    -----END CERTIFICATE-----
                  a.path: 'C:\\kafka\\new'
                  a.text: "one\\r\\ntwo"
                """);
        Properties written = new Properties();
        written.load(new StringReader(Variant.render(values)
                .configMap("weir-client")
                .required("client.properties")
                .asText()));
        assertThat(written)
                .containsEntry(
                        "ssl.truststore.certificates",
                        "-----BEGIN CERTIFICATE-----\nMIIB+z=\n-----END CERTIFICATE-----\n")
                .containsEntry("a.path", "C:\\kafka\\new")
                .containsEntry("a.text", "one\r\ntwo");
    }

    @Test
    void valuesThatContradictEachOther_areRefused() {
        Map.of(
                        "clientProperties.weir\\.revoke\\.deadline=120s", "stop.revokeSeconds",
                        "clientProperties.group\\.instance\\.id=x", "staticMembers",
                        "clientProperties.config\\.providers=file", "config.providers",
                        "autoscaling.minReplicas=7", "minReplicas is more than autoscaling.maxReplicas")
                .forEach((value, said) -> {
                    int equals = value.indexOf('=');
                    Map<String, String> values = Map.of(
                            "autoscaling.enabled", "true", value.substring(0, equals), value.substring(equals + 1));
                    assertThatThrownBy(() -> Variant.render(Variant.CHART, values))
                            .as(value)
                            .hasMessageContaining(said);
                });
    }

    /** Regression: the pods of a share group ended with a usage error at each start. */
    @ParameterizedTest
    @ValueSource(strings = {"weir.buffer.bytes=64MB", "weir.workers=8", "WEIR.FETCH=client"})
    void clientProperties_ofConsumerGroups_areRefusedInAShareGroup(String property) {
        Map<String, String> values =
                Map.of("clientProperties." + property.split("=", 2)[0].replace(".", "\\."), property.split("=", 2)[1]);
        assertThatThrownBy(() -> Variant.SHARE_GROUP.render(values))
                .hasMessageContaining(property.split("=", 2)[0] + " does not go with share.enabled");
        assertThat(Variant.BASE.render(values).all()).isNotEmpty();
        assertThat(Variant.SHARE_GROUP
                        .render(Map.of("clientProperties.weir\\.produce", "client"))
                        .all())
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"namespace=\"orders\"", "namespace=\"orders\","})
    void matchers_withAndWithoutComma_areThoseOfEachSeries(String matchers) {
        Map<String, String> values = new HashMap<>(Variant.SCALING);
        values.put("autoscaling.matchers", matchers);
        String query = Variant.BASE
                .render(values)
                .one("ScaledObject")
                .tree()
                .at("/spec/triggers/0/metadata/query")
                .asText();
        assertThat(Pattern.compile("\\{([^}]*)}").matcher(query).results().map(found -> found.group(1)))
                .isNotEmpty()
                .allMatch(found -> found.startsWith("namespace=\"orders\",job=\"weir\""));
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
