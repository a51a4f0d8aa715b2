package dev.weir.bench.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.workload.WorkloadException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentFileTest {
    private static final Path FOLDER = Path.of("/somewhere");

    private static BenchEnvironment parsed(String yaml) {
        return EnvironmentFile.parse("environments/x.yaml", yaml, FOLDER);
    }

    @Test
    void eachKindOfWorker_isRead() {
        BenchEnvironment environment = parsed("""
                brokers: {bootstrapServers: "k1:9092,k2:9092", clientConfig: client.properties, topicPrefix: perf-}
                workers:
                  - {here: true, runs: [generator]}
                  - {ssh: bench@h1, options: [-p, 2222], runs: [driver], java: /opt/jdk/bin/java, home: /opt/weir}
                  - {pod: worker-0, namespace: perf, container: jvm, context: lab}
                  - {image: "eclipse-temurin:25-jre", namespace: perf, clockAheadMillis: -250}
                """);
        assertThat(environment.name()).isEqualTo("x");
        assertThat(environment.brokers())
                .isEqualTo(new BenchEnvironment.BrokersAt(
                        "k1:9092,k2:9092", FOLDER.resolve("client.properties"), "perf-", false));
        assertThat(environment.workers().subList(0, 3))
                .containsExactly(
                        new Worker(new Place.Here(), "", Set.of(Worker.Role.GENERATOR), "java", "", 0),
                        new Worker(
                                new Place.Ssh("ssh", "bench@h1", List.of("-p", "2222")),
                                "",
                                Set.of(Worker.Role.DRIVER),
                                "/opt/jdk/bin/java",
                                "/opt/weir",
                                0),
                        new Worker(
                                new Place.Pod("kubectl", "lab", "perf", "worker-0", "jvm"),
                                "",
                                Set.of(Worker.Role.values()),
                                "java",
                                "",
                                0));
        Worker made = environment.workers().get(3);
        assertThat(made.image()).isEqualTo("eclipse-temurin:25-jre");
        assertThat(made.clockAheadMillis()).isEqualTo(-250);
        assertThat(made.label()).isEqualTo("image eclipse-temurin:25-jre");
        assertThat(environment.isHere()).isFalse();
        assertThat(environment.described())
                .isEqualTo("this machine (generator), ssh bench@h1 (driver), pod perf/worker-0 (driver and generator),"
                        + " image eclipse-temurin:25-jre (driver and generator)");
    }

    @Test
    void thisMachineAlone_isHere() {
        assertThat(parsed("{brokers: {forked: true}, workers: [{here: true}]}").isHere())
                .isTrue();
        assertThat(BenchEnvironment.HERE.isHere()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{workers: [{here: true}]} | an environment has brokers and workers",
                "{brokers: {forked: true}} | an environment has brokers and workers",
                "{brokers: {}, workers: [{here: true}]} | 1:11: brokers are forked: true",
                "{brokers: {forked: true, keepTopics: true}, workers: [{here: true}]} | brokers are forked: true",
                "{brokers: {forked: yes}, workers: [{here: true}]} | 1:20: forked is true or false: yes",
                "{brokers: {forked: true}, worker: [{here: true}]} | did you mean workers?",
                "{brokers: {forked: true}, workers: []} | workers must be a list with one entry or more",
                "{brokers: {forked: true}, workers: [{host: a}]} | there is no key host",
                "{brokers: {forked: true}, workers: [{here: true, ssh: a}]} | one of here: true, ssh, pod and image",
                "{brokers: {forked: true}, workers: [{here: false}]} | one of here: true, ssh, pod and image",
                "{brokers: {forked: true}, workers: [{ssh: -oProxyCommand=x}]} | ssh must be a single word",
                "{brokers: {forked: true}, workers: [{ssh: a b}]} | ssh must be a single word",
                "{brokers: {forked: true}, workers: [{ssh: a, namespace: b}]} | container apply only to pod",
                "{brokers: {forked: true}, workers: [{pod: a, options: [b]}]} | options apply only to ssh",
                "{brokers: {forked: true}, workers: [{image: a, container: b}]} | has one container",
                "{brokers: {forked: true}, workers: [{here: true, java: b}]} | do not apply to here: true",
                "{brokers: {forked: true}, workers: [{ssh: a, home: ~/weir}]} | home begins with /: ~/weir",
                "{brokers: {forked: true}, workers: [{here: true, runs: [driver]}]} | no worker runs generator",
                "{brokers: {forked: true}, workers: [{here: true, runs: [broker]}]} | or one of them: broker",
                "{brokers: {forked: true}, workers: [{here: true, clockAheadMillis: 1s}]} | a whole number: 1s",
                "{brokers: {forked: true}, workers: [{here: true, here: true}]} | 1:50: here is there twice",
                "{brokers: {forked: true} | is not valid YAML"
            })
    void mistake_isRefused_withItsPlace(String yaml, String why) {
        assertThatThrownBy(() -> parsed(yaml))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("environments/x.yaml")
                .hasMessageContaining(why);
    }

    /** Regression: an umlaut in another encoding was reported as MalformedInputException: Input length = 1. */
    @Test
    void fileOfAnotherEncoding_isRefusedAsThat(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("x.yaml"), "# Größe\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> EnvironmentFile.named(file.toString(), FOLDER))
                .isInstanceOf(WorkloadException.class)
                .hasMessage("environment " + file + " cannot be read: it is not UTF-8 text");
    }

    @Test
    void environmentThatIsNowhere_isRefused_withTheFilesThatWereLookedFor() {
        assertThatThrownBy(() -> EnvironmentFile.named("nowhere", FOLDER))
                .hasMessageContaining("there is no environment nowhere")
                .hasMessageContaining("/somewhere/environments/nowhere.yaml");
    }

    @Test
    void filesOfThisRepository_areRead() throws Exception {
        Path root = Path.of("..").toRealPath();
        try (Stream<Path> files = Files.list(root.resolve("environments"))) {
            List<String> names = files.map(file -> file.getFileName().toString().replace(".yaml", ""))
                    .toList();
            assertThat(names)
                    .hasSizeGreaterThan(2)
                    .allSatisfy(name ->
                            assertThat(EnvironmentFile.named(name, root).name()).isEqualTo(name));
        }
    }

    @Test
    void words_reachTheHostAsTheyAre() {
        List<String> command = new Place.Ssh("ssh", "h1", List.of("-p", "22"))
                .command(List.of("sh", "-c", "echo \"$0's\" $HOME", "a b"));
        assertThat(command).startsWith("ssh", "-T", "-p", "22", "-o", "BatchMode=yes");
        assertThat(command.subList(command.indexOf("--"), command.size()))
                .containsExactly("--", "h1", "'sh' '-c' 'echo \"$0'\\''s\" $HOME' 'a b'");
        assertThat(new Place.Pod("kubectl", "lab", "perf", "w", "c").command(List.of("a", "b")))
                .containsExactly(
                        "kubectl", "--context=lab", "--namespace=perf", "exec", "-i", "w", "-c", "c", "--", "a", "b");
    }
}
