package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests workloads that vary members, producers, groups, brokers and the load's spread, with real processes. */
@Timeout(300)
class BenchDimensionsTest extends BenchTestBase {

    private static final String GROUP = """
            name: NAME
            scenario: work
            drivers: [DRIVER]
            baseline: DRIVER
            topic: {partitions: 3, valueBytes: 50, trace: 'TRACE', partitionSkew: 1, producers: 2}
            options: {ordering: none, concurrency: 4, work.millis: 1}
            explore: {members: 2}
            consumers: CONSUMERS
            group: {share.partition.max.record.locks: 500, consumer.session.timeout.ms: 50000}
            producer: {linger.ms: 3}
            method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 2,
              measureSeconds: 4}
            """;

    private Run run(String driver, int consumers) throws Exception {
        Path trace = folder.resolve("trace.txt");
        Files.writeString(trace, "# seconds, records per second\n0 200\n2 400\n4 200\n");
        ResultsFolder results = bench.run(GROUP.replace("NAME", "dimensions-" + driver)
                .replace("DRIVER", driver)
                .replace("CONSUMERS", Integer.toString(consumers))
                .replace("TRACE", trace.toString()));
        Run run = results.runs().getFirst();
        assertThat(run.failure()).isNull();
        assertThat(run.ledger().lost()).as("%s", run.ledger()).isZero();
        assertThat(run.flags()).doesNotContain(Flag.UNEVEN, Flag.GUARANTEE_BROKEN);
        Map<String, Double> metrics = run.totals().metrics();
        assertThat(metrics.get("load: hottest partition %")).isCloseTo(100 / (1 + 1 / 2.0 + 1 / 3.0), within(1.5));
        assertThat(metrics.get("planned/s"))
                .as("of the trace, while it was measured")
                .isCloseTo(300, within(1.0));
        assertThat(run.totals().recordsPerSecond()).isBetween(200.0, 400.0);
        assertThat(names(run)).contains("host: busy %, by second", "generator, client: produce ms");
        Set<String> tags = results.latencyIntervals(run.key()).stream()
                .map(histogram -> String.valueOf(histogram.getTag()))
                .collect(Collectors.toSet());
        assertThat(tags).contains(LatencyTags.responseOfConsumer(0), LatencyTags.responseOfConsumer(1));
        assertThat(Reports.csv(results))
                .anySatisfy(file -> assertThat(file.getFileName()).hasToString("series.csv"));
        return run;
    }

    private static Set<String> names(Run run) {
        return run.intervals().stream()
                .map(Interval::figures)
                .flatMap(figures -> figures.keySet().stream())
                .collect(Collectors.toSet());
    }

    @Test
    @Tag("long")
    void recordsThatAreSentByAPlan_haveTheirKeys() throws Exception {
        CompletableFuture<ResultsFolder> run = CompletableFuture.supplyAsync(() -> {
            try {
                return bench.run("""
                        name: keyed
                        scenario: work
                        drivers: [weir]
                        baseline: weir
                        topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100, keys: 8, keySkew: 1}
                        options: {ordering: key, concurrency: 8, work.millis: 2}
                        explore: {members: 2}
                        method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 2,
                          measureSeconds: 8}
                        """);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Map<Integer, Integer> counts = new HashMap<>();
        Map<Integer, Integer> partitions = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bench.existing().bootstrapServers(),
                        "group.id", "looks-at-keys",
                        "auto.offset.reset", "earliest",
                        "metadata.max.age.ms", "500"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(Pattern.compile("weir-bench-.*"));
            while (!run.isDone()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.key() != null && record.serializedValueSize() == 50) {
                        int key = ByteBuffer.wrap(record.key()).getInt();
                        counts.merge(key, 1, Integer::sum);
                        partitions.put(key, record.partition());
                    }
                }
            }
        }
        Run keyed = run.get().runs().getFirst();
        assertThat(keyed.failure()).isNull();
        assertThat(keyed.ledger().lost()).as("%s", keyed.ledger()).isZero();
        assertThat(keyed.flags()).doesNotContain(Flag.GUARANTEE_BROKEN);
        assertThat(counts.keySet()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(partitions.entrySet())
                .allSatisfy(each -> assertThat(each.getValue()).isEqualTo(each.getKey() / 4));
        assertThat(counts.get(0)).as("Zipf's first, of %s", counts).isGreaterThan(2 * counts.get(3));
    }

    @Test
    @Tag("long")
    void consumerGroup_hasAsManyProcessesAsConsumers_andTheTracesLoad() throws Exception {
        Run run = run("plain", 3);
        assertThat(run.totals().metrics())
                .containsEntry("group: consumers", 3.0)
                .containsEntry("group: most partitions of a consumer", 1.0)
                .containsEntry("group: fewest partitions of a consumer", 1.0);
        assertThat(names(run)).contains("client: fetches/s", "client: records per poll", "client: fetches under way");
    }

    @Test
    @Tag("long")
    void shareGroup_sharesItsConsumersOutAmongItsProcesses() throws Exception {
        Run run = run("kafka-share", 5);
        assertThat(run.totals().metrics()).containsEntry("group: consumers", 5.0);
        assertThat(names(run)).contains("client: fetches/s");
    }

    /** Only forked brokers can change their settings. */
    @Test
    @Tag("long")
    void brokers_areSetAndStartedAgain_asThePointsAsk() throws Exception {
        String yaml = """
                name: brokers
                scenario: work
                drivers: [kafka-share]
                baseline: kafka-share
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                options: {ordering: none, concurrency: 2, work.millis: 1}
                explore: {members: 1}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 2,
                  measureSeconds: 3, freshBrokers: true}
                vary:
                  - {brokers: [1, 2], broker.num.io.threads: [3, 4]}
                """;
        Path root = Path.of(System.getProperty("weir.root"));
        CampaignRunner.Settings settings =
                new CampaignRunner.Settings(root, folder.resolve("forked-data"), folder.resolve("brokers"), 7, false);
        ResultsFolder results =
                new CampaignRunner(Workload.parse("test", yaml, false), settings, BenchAtCluster.SILENT).run();
        assertThat(results.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().lost()).isZero();
            assertThat(names(run))
                    .contains("broker: records locked", "broker: share fetch total ms", "broker: requests queued");
        });
        assertThat(results.campaign().environment().settings()).containsEntry("broker.num.io.threads", "3");
    }

    @Test
    @Tag("long")
    void brokers_ofSeveralReleases_areMeasuredBesideEachOther() throws Exception {
        String yaml = """
                name: releases
                scenario: work
                drivers: [kafka-share, weir-share-lean]
                baseline: kafka-share
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                options: {ordering: none, concurrency: 2, work.millis: 1}
                explore: {members: 1}
                method: {rounds: 1, control: false, heapMegabytes: 64, intervalMillis: 250, maxWarmUpSeconds: 2,
                  measureSeconds: 3}
                vary:
                  - brokerVersion: [4.2.0, 4.3.1]
                """;
        Path root = Path.of(System.getProperty("weir.root"));
        CampaignRunner.Settings settings =
                new CampaignRunner.Settings(root, folder.resolve("release-data"), folder.resolve("releases"), 7, false);
        ResultsFolder results =
                new CampaignRunner(Workload.parse("test", yaml, false), settings, BenchAtCluster.SILENT).run();
        assertThat(results.runs()).hasSize(4).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.ledger().lost()).isZero();
            assertThat(names(run)).contains("broker: share fetch total ms", "broker: requests queued");
        });
        assertThat(results.campaign().environment().versions()).containsEntry("brokers", "kafka-4.2.0, kafka-4.3.1");
    }
}
