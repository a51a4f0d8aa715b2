package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests consuming, transforming and producing in transactions, as a reader with read_committed sees it. */
@Timeout(300)
class ExactlyOnceFlowTest {

    private static final int COUNT = 20_000;

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static void createTopics(String name, int records) {
        cluster.createTopic(name + "-in", 4);
        cluster.createTopic(name + "-out", 4);
        Records.produce(cluster.bootstrapServers(), name + "-in", 0, records, ExactlyOnceLedger.KEYS);
    }

    private static ConsumerSettings.Builder<byte[], byte[]> consumer(String name) {
        return ConsumerLedger.settings(cluster, name);
    }

    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .build();
    }

    private static ExactlyOnceFlow<byte[], byte[]> untilEnd(String name) {
        return KafkaSource.from(
                        consumer(name).build(),
                        Subscription.topics(name + "-in").untilEnd())
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20));
    }

    private static ProducerRecord<byte[], byte[]> to(String topic, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic, record.key(), record.value());
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return Long.parseLong(new String(record.value(), StandardCharsets.US_ASCII));
    }

    private static TransactionHandle.Snapshot transactions(RunningPipeline run) {
        return run.handles(TransactionHandle.class).getFirst().snapshot();
    }

    private static TransactionHandle.Snapshot runToEnd(Pipeline pipeline) throws Exception {
        try (RunningPipeline run = pipeline.run()) {
            assertThat(run.completion()
                            .toCompletableFuture()
                            .get(240, TimeUnit.SECONDS)
                            .leftUndone())
                    .isEmpty();
            return transactions(run);
        }
    }

    @Test
    void cluster_hasTheSecondVersionOfTransactions() throws Exception {
        assertThat(cluster.admin()
                        .describeFeatures()
                        .featureMetadata()
                        .get(20, TimeUnit.SECONDS)
                        .finalizedFeatures()
                        .get("transaction.version")
                        .maxVersionLevel())
                .isEqualTo((short) 2);
    }

    // Regression: in a classic group, the other members fenced each later run.
    @Test
    void staticMember_thatComesBack_hasTheTransactionalIdsOfItsRunBefore() throws Exception {
        createTopics("static", 100);
        Pipeline pipeline = KafkaSource.from(
                        consumer("static")
                                .property("group.instance.id", "pod-1")
                                .build(),
                        Subscription.topics("static-in").untilEnd())
                .exactlyOnce()
                .produceTo(producer(), records -> records.map(record -> to("static-out", record)));
        runToEnd(pipeline);
        Records.produce(cluster.bootstrapServers(), "static-in", 100, 100);
        runToEnd(pipeline);
        assertThat(cluster.admin().listTransactions().all().get(20, TimeUnit.SECONDS).stream()
                        .map(TransactionListing::transactionalId)
                        .filter(id -> id.startsWith("static-weir-"))
                        .map(id -> id.substring(0, id.lastIndexOf('-')))
                        .distinct())
                .hasSize(1);
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "static-out", 200);
    }

    @Test
    void byKey_inSeveralTransactions_isSeenOnceAndInOrder() throws Exception {
        createTopics("keyed", COUNT);
        TransactionHandle.Snapshot seen = runToEnd(untilEnd("keyed")
                .commitRecords(1_000)
                .produceTo(
                        producer(),
                        records -> records.mapBlocking(32, RecordOrdering.byKey(), record -> {
                                    ConsumerLedger.work(Duration.ofNanos(100_000));
                                    return record;
                                })
                                .map(record -> to("keyed-out", record))));
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "keyed-out", COUNT);
        assertThat(cluster.committedOffsets("keyed")).isEqualTo(cluster.endOffsets("keyed-in"));
        assertThat(seen.committed()).isGreaterThan(5);
        assertThat(seen.aborted()).isZero();
        assertThat(seen.commitMax()).isPositive();
    }

    /** All pipelines write in the same transactions. The listener gets the positions of the records. */
    @Test
    void pipelinePerPartition_isSeenOnce_andTheListenerHearsOfEachRecordThatIsCommitted() throws Exception {
        createTopics("parts", COUNT / 10);
        List<RecordMetadata> told = new CopyOnWriteArrayList<>();
        TransactionHandle.Snapshot seen = runToEnd(untilEnd("parts")
                .commitRecords(300)
                .whenCommitted(told::addAll)
                .produceTo(
                        producer(),
                        records -> records.groupBy(
                                ConsumerRecord::partition,
                                8,
                                ofOne -> ofOne.mapBlocking(4, RecordOrdering.byKey(), record -> record)
                                        .map(record -> to("parts-out", record)))));
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "parts-out", COUNT / 10);
        assertThat(seen.committed()).isPositive();
        assertThat(told).hasSize(COUNT / 10);
        assertThat(told.stream()
                        .map(place -> place.partition() + "@" + place.offset())
                        .distinct())
                .hasSize(COUNT / 10);
    }

    @Test
    void listenerThatFails_failsTheRun_andWhatItWasToldOfStays() throws Exception {
        createTopics("untold", 1_000);
        try (RunningPipeline run = untilEnd("untold")
                .whenCommitted(records -> {
                    throw new IOException("planned");
                })
                .produceTo(producer(), records -> records.map(record -> to("untold-out", record)))
                .run()) {
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasRootCauseMessage("planned");
        }
        assertThat(ExactlyOnceLedger.committed(cluster, "untold-out")).isNotEmpty();
    }

    @Test
    @Tag("long")
    void oneToMany_filteredAndGrouped_overTwoTopics_isSeenOnce() throws Exception {
        createTopics("many", COUNT);
        cluster.createTopic("many-second", 2);
        runToEnd(untilEnd("many")
                .commitRecords(500)
                .produceTo(
                        producer(),
                        records -> records.mapBlocking(16, Ordering.unordered(), record -> record)
                                .filter(record -> number(record) % 10 != 0)
                                .mapConcat(record -> List.of(to("many-out", record), to("many-second", record)))
                                .grouped(7)
                                .mapConcat(group -> group)));
        List<Long> expected = LongStream.range(0, COUNT)
                .filter(number -> number % 10 != 0)
                .boxed()
                .toList();
        assertThat(ExactlyOnceLedger.committed(cluster, "many-out").stream()
                        .sorted()
                        .toList())
                .isEqualTo(expected);
        assertThat(ExactlyOnceLedger.committed(cluster, "many-second").stream()
                        .sorted()
                        .toList())
                .isEqualTo(expected);
        assertThat(cluster.committedOffsets("many")).isEqualTo(cluster.endOffsets("many-in"));
    }

    @Test
    void handlerThatFails_leavesNothingOfItsTransactionVisible() throws Exception {
        createTopics("failing", COUNT);
        try (RunningPipeline run = untilEnd("failing")
                .commitInterval(Duration.ofSeconds(20))
                .produceTo(
                        producer(),
                        records -> records.map(record -> {
                            if (number(record) == COUNT / 2) {
                                throw new IllegalStateException("planned");
                            }
                            return to("failing-out", record);
                        }))
                .run()) {
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("planned");
            assertThat(transactions(run).aborted()).isPositive();
        }
        assertVisibleIsCommitted("failing", COUNT / 2);
        runToEnd(untilEnd("failing")
                .produceTo(producer(), records -> records.map(record -> to("failing-out", record))));
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "failing-out", COUNT);
    }

    @Test
    void recordThatIsTooLarge_failsTheRun_andNothingOfItsTransactionIsVisible() {
        createTopics("large", 100);
        try (RunningPipeline run = untilEnd("large")
                .commitInterval(Duration.ofSeconds(20))
                .produceTo(
                        producer(),
                        records -> records.map(record -> number(record) == 50
                                ? new ProducerRecord<>("large-out", record.key(), new byte[3 * 1024 * 1024])
                                : to("large-out", record)))
                .run()) {
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("large-out");
        }
        assertVisibleIsCommitted("large", 50);
    }

    private static void assertVisibleIsCommitted(String group, long failed) {
        long committed = cluster.committedOffsets(group).values().stream()
                .mapToLong(offset -> offset)
                .sum();
        assertThat(ExactlyOnceLedger.committed(cluster, group + "-out"))
                .as("visible outputs of %d committed inputs", committed)
                .hasSize((int) committed)
                .doesNotContain(failed);
    }

    @Test
    void producerThatIsFenced_rewinds_withoutARebalance() throws Exception {
        createTopics("fenced", COUNT);
        AtomicBoolean fenced = new AtomicBoolean();
        ReentrantLock one = new ReentrantLock();
        try (RunningPipeline run = untilEnd("fenced")
                .commitInterval(Duration.ofMillis(200))
                .produceTo(
                        producer(),
                        records -> records.mapBlocking(8, RecordOrdering.byKey(), record -> {
                                    // The handler waits for the fencing, so that this run has records to repeat.
                                    if (number(record) >= COUNT / 2 && !fenced.get()) {
                                        one.lockInterruptibly();
                                        try {
                                            if (!fenced.get()) {
                                                fenceOpenTransactions("fenced");
                                                fenced.set(true);
                                            }
                                        } finally {
                                            one.unlock();
                                        }
                                    }
                                    return record;
                                })
                                .map(record -> to("fenced-out", record)))
                .run()) {
            assertThat(run.completion()
                            .toCompletableFuture()
                            .get(240, TimeUnit.SECONDS)
                            .leftUndone())
                    .isEmpty();
            assertThat(transactions(run).aborted()).isPositive();
            assertThat(transactions(run).rewoundRecords()).isPositive();
            assertThat(run.handles(ConsumerHandle.class).getFirst().snapshot().rebalances())
                    .as("rebalances that took partitions away")
                    .isZero();
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "fenced-out", COUNT);
    }

    /** Fences the open transaction. Waits for one, because the handler runs before its own record is written. */
    private static void fenceOpenTransactions(String group) {
        List<String> open = new ArrayList<>();
        ConsumerLedger.await("an open transaction", Duration.ofMinutes(1), () -> {
            try {
                cluster
                        .admin()
                        .listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                        .all()
                        .get()
                        .stream()
                        .map(TransactionListing::transactionalId)
                        .filter(id -> id.startsWith(group + "-weir-"))
                        .forEach(open::add);
            } catch (InterruptedException | ExecutionException failure) {
                throw new AssertionError(failure);
            }
            return !open.isEmpty();
        });
        try {
            cluster.admin().fenceProducers(open).all().get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    void rebalances_inTheMiddleOfTransactions_areNotSeen(String protocol) throws Exception {
        rebalance("moving-" + protocol, Map.of("group.protocol", protocol));
    }

    private static void rebalance(String name, Map<String, String> protocol) throws Exception {
        createTopics(name, COUNT);
        Map<String, String> properties = new HashMap<>(protocol);
        properties.put("client.id", "first");
        try (RunningPipeline first = member(name, properties)) {
            awaitEnds(name, 1_000);
            try (RunningPipeline second = member(name, protocol)) {
                ConsumerLedger.await(
                        "the second has partitions and transactions",
                        Duration.ofSeconds(40),
                        () -> transactions(second).committed() > 3);
                assertThat(first.drain(Duration.ofSeconds(20)).leftUndone()).isEmpty();
                ConsumerLedger.await(
                        "all is committed",
                        Duration.ofMinutes(1),
                        () -> cluster.committedOffsets(name).equals(cluster.endOffsets(name + "-in")));
                assertThat(second.drain(Duration.ofSeconds(20)).leftUndone()).isEmpty();
            }
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, name + "-out", COUNT);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
                "org.apache.kafka.clients.consumer.RangeAssignor"
            })
    void rebalances_onTheClassicProtocol_areNotSeen(String assignor) throws Exception {
        rebalance(
                "moving-" + assignor.substring(assignor.lastIndexOf('.') + 1),
                Map.of("group.protocol", "classic", "partition.assignment.strategy", assignor));
    }

    private static RunningPipeline member(String name, Map<String, String> properties) {
        ConsumerSettings.Builder<byte[], byte[]> settings = consumer(name);
        properties.forEach(settings::property);
        return KafkaSource.from(settings.build(), name + "-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(50))
                .produceTo(
                        producer(),
                        records -> records.mapBlocking(16, RecordOrdering.byKey(), record -> {
                                    ConsumerLedger.work(Duration.ofMillis(10));
                                    return record;
                                })
                                .map(record -> to(name + "-out", record)))
                .run();
    }

    private static void awaitEnds(String name, long records) {
        ConsumerLedger.await(
                records + " records written",
                Duration.ofSeconds(40),
                () -> cluster.endOffsets(name + "-out").values().stream()
                                .mapToLong(end -> end)
                                .sum()
                        >= records);
    }
}
