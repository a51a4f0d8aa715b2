package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Interval;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests campaigns on existing brokers, behind TLS and SASL. */
@Timeout(180)
class BenchExistingClusterTest {

    private static SecuredKafka kafka;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void startCluster() throws Exception {
        kafka = SecuredKafka.start(folder);
        kafka.cluster().createTopic("orders", 1);
    }

    @AfterAll
    static void stopCluster() {
        kafka.close();
    }

    @Test
    @Tag("long")
    void securedCluster_isUsedByAllDrivers_keepsNoSecret_andIsLeftAsItWas() throws Exception {
        Path workload = Files.writeString(folder.resolve("tiny.yaml"), """
                name: tiny
                scenario: at-least-once
                drivers: [plain, bare, weir-lean, pekko, reactor]
                topic: {partitions: 2, records: 200000, valueBytes: 50}
                method: {rounds: 1, control: false, countFetches: true, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2,
                  measureSeconds: 0.2, intervalMillis: 20}
                """);
        Path results = folder.resolve("results");
        String said = compare(workload, results, "--keep-topics");
        assertThat(said).contains("driver bare is left out: it does not speak SASL_SSL", "fetches are not counted");
        ResultsFolder made = ResultsFolder.open(results);
        assertThat(made.runs())
                .extracting(Run::driver)
                .containsExactlyInAnyOrder("plain", "weir-lean", "pekko", "reactor");
        assertThat(made.runs()).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().isClean()).as("%s", run.ledger()).isTrue();
            assertThat(run.totals().brokerCpuNanos()).isEqualTo(Interval.UNKNOWN);
            assertThat(run.intervals()).extracting(Interval::brokerCpuNanos).containsOnly(Interval.UNKNOWN);
        });
        assertThat(made.campaign().environment().settings())
                .containsEntry("cluster.client.security.protocol", "SASL_SSL")
                .containsEntry("cluster.client.sasl.jaas.config", "[hidden]")
                .containsEntry("cluster.id", kafka.cluster().clusterId());
        assertNoSecretIn(results);
        assertNoSecretIn(folder.resolve("data"));
        Set<String> kept = kafka.cluster().admin().listTopics().names().get();
        assertThat(kept).contains("orders").anyMatch(topic -> topic.startsWith("weir-bench-fill-p2-n100000-"));

        String guarded = "weir-bench-fill-p1-n1-v16-b1-none";
        kafka.cluster().createTopic(guarded, 1);
        kafka.forbidToDelete(guarded);
        Path work = Files.writeString(folder.resolve("work.yaml"), """
                name: work
                scenario: work
                drivers: [plain, parallel-consumer]
                topic: {partitions: 2, records: 200000, valueBytes: 50}
                method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.2}
                """);
        said = compare(work, folder.resolve("again"), "--seed=1");
        assertThat(ResultsFolder.open(folder.resolve("again")).runs())
                .extracting(Run::failure)
                .containsExactly(null, null);
        assertThat(said).contains("some topics that begin with weir-bench- are left at", guarded);
        assertThat(kafka.cluster().admin().listTopics().names().get()).containsExactlyInAnyOrder("orders", guarded);
        assertThat(kafka.cluster().admin().listGroups().all().get())
                .noneMatch(group -> group.groupId().startsWith("weir-bench-"));
    }

    @Test
    void wrongPassword_isReported_withoutIt() throws Exception {
        Path workload = Path.of(System.getProperty("weir.root"), "bench", "workloads", "plain-consumer.yaml");
        String[] arguments =
                arguments(workload, folder.resolve("refused"), kafka.clientConfig("not-" + SecuredKafka.PASSWORD));
        WeirCommand bench = WeirCommand.run(arguments);
        assertThat(bench.exitCode()).as(bench.err()).isEqualTo(1);
        assertThat(bench.err())
                .contains("authentication failed at " + kafka.bootstrapServers(), "--client-config")
                .doesNotContain(SecuredKafka.PASSWORD);
        assertThat(folder.resolve("refused")).doesNotExist();
    }

    private static String compare(Path workload, Path results, String option) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of(arguments(workload, results, kafka.clientConfig(SecuredKafka.PASSWORD))));
        arguments.add(option);
        WeirCommand bench = WeirCommand.run(arguments.toArray(String[]::new));
        assertThat(bench.exitCode()).as(bench.err()).isZero();
        assertThat(bench.out() + bench.err()).doesNotContain(SecuredKafka.PASSWORD, SecuredKafka.STORE_PASSWORD);
        return bench.err();
    }

    private static String[] arguments(Path workload, Path results, Path clientConfig) {
        return new String[] {
            "bench",
            "compare",
            workload.toString(),
            "--bootstrap-server=" + kafka.bootstrapServers(),
            "--client-config=" + clientConfig,
            "--results=" + results,
            "--data=" + folder.resolve("data")
        };
    }

    private static void assertNoSecretIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            assertThat(all).isNotEmpty();
            for (Path file : all) {
                assertThat(Files.readString(file))
                        .as("%s", file)
                        .doesNotContain(SecuredKafka.PASSWORD, SecuredKafka.STORE_PASSWORD);
            }
        }
    }
}
