package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker in this JVM whose second listener uses TLS and SASL. Clients have the broker's certificate. Confined to one
 * thread.
 */
final class SecuredKafka implements AutoCloseable {
    static final String PASSWORD = "hush-8c1f";
    static final String STORE_PASSWORD = "store-52d7e0";

    private final KafkaCluster cluster;
    private final Path folder;

    private SecuredKafka(KafkaCluster cluster, Path folder) {
        this.cluster = cluster;
        this.folder = folder;
    }

    static SecuredKafka start(Path folder) throws IOException, InterruptedException {
        Path keys = folder.resolve("keys.p12");
        keytool("-genkeypair", "-keystore", keys.toString(), "-alias", "broker", "-keyalg", "EC", "-dname", "CN=weir");
        KafkaCluster cluster = KafkaCluster.builder()
                .secured()
                .brokerConfig("listener.name.secured.sasl.enabled.mechanisms", "PLAIN")
                .brokerConfig(
                        "listener.name.secured.plain.sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required user_bench=\"" + PASSWORD
                                + "\";")
                .brokerConfig("listener.name.secured.ssl.keystore.location", keys.toString())
                .brokerConfig("listener.name.secured.ssl.keystore.password", STORE_PASSWORD)
                .brokerConfig("listener.name.secured.ssl.key.password", STORE_PASSWORD)
                // The default policy of topics.
                .brokerConfig("log.cleanup.policy", "compact")
                .brokerConfig("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .brokerConfig("super.users", "User:ANONYMOUS") // Uses the open listener.
                .brokerConfig("allow.everyone.if.no.acl.found", "true")
                .start();
        return new SecuredKafka(cluster, folder);
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                STORE_PASSWORD,
                "-validity",
                "2",
                "-ext",
                "SAN=ip:127.0.0.1"));
        command.addAll(1, List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** Returns the cluster with its open listener, to check results. */
    KafkaCluster cluster() {
        return cluster;
    }

    String bootstrapServers() {
        return cluster.securedBootstrapServers();
    }

    /** Denies the user DELETE on this topic and on the cluster. All other operations stay allowed. */
    void forbidToDelete(String topic) throws Exception {
        List<AclBinding> rights = new ArrayList<>();
        for (ResourcePattern of : List.of(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL))) {
            rights.add(new AclBinding(of, entry(AclOperation.DELETE, AclPermissionType.DENY)));
            rights.add(new AclBinding(of, entry(AclOperation.ALL, AclPermissionType.ALLOW)));
        }
        cluster.admin().createAcls(rights).all().get();
    }

    private static AccessControlEntry entry(AclOperation operation, AclPermissionType permission) {
        return new AccessControlEntry("User:bench", "*", operation, permission);
    }

    Map<String, String> clientProperties(String password) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("security.protocol", "SASL_SSL");
        properties.put("sasl.mechanism", "PLAIN");
        properties.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"bench\" password=\""
                        + password + "\";");
        properties.put("ssl.truststore.type", "PKCS12");
        properties.put("ssl.truststore.location", folder.resolve("keys.p12").toString());
        properties.put("ssl.truststore.password", STORE_PASSWORD);
        return properties;
    }

    Path clientConfig(String password) throws IOException {
        List<String> lines = clientProperties(password).entrySet().stream()
                .map(property -> property.getKey() + "=" + property.getValue())
                .toList();
        return Files.write(folder.resolve("client-" + password.length() + ".properties"), lines);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
