package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the chart renders no secrets, that a changed secret replaces the pods, and that only scrapers can connect
 * to pods.
 */
class SecretsTest {

    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required";

    @TempDir
    private Path folder;

    private Manifests rendered(String values) throws IOException {
        return Variant.render(Files.writeString(folder.resolve("values.yaml"), values));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssl.key.password: hunter2",
                "ssl.truststore.password: hunter2",
                "producer.ssl.keystore.password: 12345",
                "ssl.keystore.key: 'hunter2'",
                "sasl.oauthbearer.client.credentials.client.secret: hunter2",
                "sasl.oauthbearer.assertion.private.key.passphrase: hunter2",
                "basic.auth.user.info: me:hunter2",
                "sasl.jaas.config: '" + LOGIN + " username=\"me\" password=\"hunter2\";'",
                "sasl.jaas.config: '" + LOGIN + " password=hunter2;'",
                "sasl.jaas.config: 'x required clientId=\"a\" clientSecret=\"hunter2\";'",
                "sasl.oauthbearer.token.endpoint.url: https://me:hunter2@idp.example/token",
                "schema.registry.url: https://me:hunter2@registry.example"
            })
    void literalSecret_amongClientProperties_isRefused(String property) {
        assertThatThrownBy(() -> rendered("clientProperties:\n  " + property + "\n"))
                .hasMessageContaining(property.substring(0, property.indexOf(':')))
                .hasMessageContaining("weir-client")
                .hasMessageContaining("${env:")
                .hasMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "javaOptions: -Djavax.net.ssl.trustStorePassword=hunter2",
                "pipe: {options: ['--via=exec:call --password=hunter2']}",
                "pipe: {options: ['--via=exec:call https://me:hunter2@example.com']}",
                "pipe: {options: ['--via=each:curl -H \"Authorization: Bearer hunter2\" http://x']}",
                "pipe: {options: [\"--via=each:curl -H 'authorization: basic hunter2' http://x\"]}"
            })
    void literalSecret_amongOptions_isRefused(String value) {
        assertThatThrownBy(() -> rendered(value + "\n"))
                .hasMessageContaining("Secret weir-client")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void variablesOfTheSecret_andPlainSettings_areTaken() throws IOException {
        String written = rendered("""
                clientProperties:
                  ssl.key.password: ${env:KEY_PASSWORD}
                  sasl.jaas.config: '%s username="${env:USER}" password="${env:PASSWORD}";'
                  sasl.oauthbearer.token.endpoint.url: https://idp.example/token
                  sasl.oauthbearer.client.credentials.client.id: weir
                  sasl.oauthbearer.assertion.private.key.file: /etc/key.pem
                  ssl.keystore.location: /etc/keystore
                javaOptions: -Xmx700m -Dsome.flag=true
                pipe:
                  options:
                    - --token-file=/etc/weir/token
                    - --metrics-name=weir.example.com
                    - '--via=each:curl -H "Authorization: Bearer $TOKEN" http://x'
                """.formatted(LOGIN))
                .configMap("weir-client")
                .required("client.properties")
                .asText();
        assertThat(written).contains("password=\"${env:PASSWORD}\"", "idp.example/token", "client.id=weir");
    }

    @Test
    void changedSecretVersion_replacesThePods() throws IOException {
        JsonNode first = template(rendered("clientSecretVersion: 1\n"));
        JsonNode second = template(rendered("clientSecretVersion: 2\n"));
        assertThat(first.isMissingNode()).isFalse();
        assertThat(first).isNotEqualTo(second);
        assertThat(template(rendered("clientSecretVersion: 1\n"))).isEqualTo(first);
    }

    private static JsonNode template(Manifests manifests) {
        return manifests.workload().tree().at("/spec/template/metadata/annotations/checksum~1client-secret");
    }

    /** Kustomize derives the name of a generated Secret from its content. */
    @ParameterizedTest
    @EnumSource
    void generatedSecret_thatChanges_replacesThePods(Variant variant) throws Exception {
        Path team = Files.createDirectories(folder.resolve("team"));
        String first = secretOfPods(variant, team, "one");
        assertThat(first).startsWith("weir-client-");
        assertThat(secretOfPods(variant, team, "two"))
                .startsWith("weir-client-")
                .isNotEqualTo(first);
    }

    private String secretOfPods(Variant variant, Path team, String password) throws Exception {
        Files.writeString(team.resolve("kustomization.yaml"), """
                resources: [%s]
                secretGenerator:
                  - name: weir-client
                    literals: [KAFKA_PASSWORD=%s]
                """.formatted(
                        team.toRealPath().relativize(variant.folder().toRealPath()), password));
        return Manifests.kustomized(team, folder)
                .container()
                .at("/envFrom/1/secretRef/name")
                .asText();
    }

    @ParameterizedTest
    @EnumSource
    void networkPolicy_admitsScrapersAtTheMetricsPortAlone(Variant variant) {
        Manifests manifests = variant.render(Map.of());
        JsonNode policy = manifests.one("NetworkPolicy").tree().required("spec");
        assertThat(policy.at("/podSelector/matchLabels"))
                .isEqualTo(manifests.workload().tree().at("/spec/selector/matchLabels"));
        assertThat(policy.required("policyTypes").toString()).isEqualTo("[\"Ingress\"]");
        assertThat(policy.required("ingress")).hasSize(1);
        assertThat(policy.at("/ingress/0/from/0/namespaceSelector/matchLabels").toString())
                .contains("monitoring");
        assertThat(policy.at("/ingress/0/ports").toString()).isEqualTo("[{\"protocol\":\"TCP\",\"port\":\"metrics\"}]");
        assertThat(manifests.container().at("/ports/0/name").asText()).isEqualTo("metrics");
    }

    @Test
    void networkPolicy_ofNoPeers_admitsNobody_andCanBeLeftOut() throws IOException {
        JsonNode nobody =
                rendered("networkPolicy: {from: []}\n").one("NetworkPolicy").tree();
        assertThat(nobody.at("/spec/ingress").isArray()).isTrue();
        assertThat(nobody.at("/spec/ingress")).isEmpty();
        List<String> kinds = rendered("networkPolicy: {enabled: false}\n").all().stream()
                .map(Manifests.Manifest::kind)
                .toList();
        assertThat(kinds).isNotEmpty().doesNotContain("NetworkPolicy");
    }
}
