package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a user's own Maven project with only {@code weir-kafka} installed: compiles the README's program, runs it
 * against a broker, and stops it with a signal.
 */
@Timeout(300)
class NewcomerTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final int ORDERS = 20_000;

    @TempDir
    private Path folder;

    @Test
    void readmeLines_inAProjectOfTheirOwn_runAndDrainOnSigterm() throws Exception {
        Path project = Files.createDirectory(folder.resolve("invoicing"));
        Path repository = folder.resolve("repository");
        install(repository, "weir-parent", ROOT.resolve("pom.xml"), "pom");
        for (String module : List.of("weir-stream", "weir-lean", "weir-kafka")) {
            Path jar = ROOT.resolve(module).resolve("target/" + module + "-0.1.0-SNAPSHOT.jar");
            assertThat(jar).as("package first: ./mvnw verify does").exists();
            install(repository, module, jar, "jar");
            install(repository, module, ROOT.resolve(module).resolve("pom.xml"), "pom");
        }
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("orders", 6);
            cluster.createTopic("invoices", 6);
            cluster.createTopic("orders-dead", 1);
            Records.produce(cluster.bootstrapServers(), "orders", 0, ORDERS, 100);
            writeProject(project, cluster.bootstrapServers());
            mvnw(project, repository, "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath");
            String classPath = Files.readString(project.resolve("classpath")).trim();
            assertThat(thirdParties(classPath))
                    .containsExactlyInAnyOrder(
                            "weir-kafka",
                            "weir-stream",
                            "weir-lean",
                            "agrona",
                            "kafka-clients",
                            "slf4j-api",
                            "lz4-java",
                            "snappy-java",
                            "zstd-jni");

            Process program = start(project, classPath);
            await().atMost(Duration.ofMinutes(1)).until(() -> written(cluster) >= ORDERS || !program.isAlive());
            program.destroy();
            assertThat(program.waitFor(30, TimeUnit.SECONDS))
                    .as("ended by SIGTERM")
                    .isTrue();

            assertThat(Records.readAll(cluster.bootstrapServers(), "invoices", IsolationLevel.READ_UNCOMMITTED))
                    .as(Files.readString(project.resolve("output")))
                    .hasSize(ORDERS)
                    .allSatisfy(invoice ->
                            assertThat(new String(invoice.value(), UTF_8)).startsWith("to be paid: "));
            assertThat(cluster.committedOffsets("invoicing")).isEqualTo(cluster.endOffsets("orders"));
        }
    }

    private static long written(KafkaCluster cluster) {
        return cluster.endOffsets("invoices").values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Copies a file to where {@code ./mvnw install} would put it. Maven would take longer than the test. */
    private static void install(Path repository, String artifact, Path file, String extension) throws IOException {
        Path place = Files.createDirectories(repository.resolve("dev/weir/" + artifact + "/0.1.0-SNAPSHOT"));
        Files.copy(file, place.resolve(artifact + "-0.1.0-SNAPSHOT." + extension));
    }

    private static void mvnw(Path project, Path repository, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ROOT.resolve("mvnw").toString(),
                "-B",
                "-q",
                "-Dmaven.repo.local=" + repository,
                "-Dmaven.repo.local.tail=" + System.getProperty("weir.localRepository"),
                "-Daether.enhancedLocalRepository.trackingFilename=none"));
        command.addAll(Arrays.asList(arguments));
        Path log = Files.createTempFile(repository.getParent(), "maven", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        // The process is too short to benefit from the JVM's optimizing compiler.
        builder.environment()
                .merge("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1", (set, quick) -> set + " " + quick);
        Process maven = builder.start();
        assertThat(maven.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(maven.exitValue()).as(Files.readString(log)).isZero();
    }

    private static void writeProject(Path project, String bootstrapServers) throws IOException {
        Matcher code = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(code.find()).as("the README has a block of Java").isTrue();
        Path sources = Files.createDirectories(project.resolve("src/main/java"));
        Files.writeString(sources.resolve("Invoicing.java"), code.group(1).replace("localhost:9092", bootstrapServers));
        try (var pom = Objects.requireNonNull(NewcomerTest.class.getResourceAsStream("/newcomer/pom.xml"))) {
            Files.copy(pom, project.resolve("pom.xml"));
        }
    }

    private static List<String> thirdParties(String classPath) {
        return Arrays.stream(classPath.split(":", -1))
                .map(jar -> Path.of(jar).getFileName().toString().replaceAll("-\\d.*", ""))
                .toList();
    }

    private static Process start(Path project, String classPath) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-cp", "target/classes:" + classPath, "Invoicing")
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(project.resolve("output").toFile())
                .start();
    }
}
