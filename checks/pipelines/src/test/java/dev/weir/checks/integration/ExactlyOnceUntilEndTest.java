package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests bounded reads whose last transactions are aborted after the input has ended. The run itself must write these
 * records again.
 */
@Timeout(120)
class ExactlyOnceUntilEndTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    /** Few enough for one stage to hold all of them. */
    private static final int COUNT = 60;

    /** Opened at the end of the input. Handlers wait for it. */
    private final CountDownLatch end = new CountDownLatch(1);

    /** Creates the topics. The output topic is compacted, so it refuses a record without a key. */
    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 1, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic(name + "-log", 1);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
    }

    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
    }

    private static WriteFailures rule(String name, WriteFailures.Action action) {
        return action == WriteFailures.Action.SKIP
                ? WriteFailures.skip()
                : WriteFailures.deadLetter(DeadLetterTopic.of(name + "-dead", producer()));
    }

    private static ExactlyOnceFlow<byte[], byte[]> flow(String name, FetchPath path) {
        return KafkaSource.from(
                        ConsumerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .groupId(name)
                                .fetch(path)
                                // With this protocol, a member keeps its partition when another member joins.
                                .property("group.protocol", "consumer")
                                .build(),
                        Subscription.topics(name).untilEnd())
                .exactlyOnce()
                .commitInterval(Duration.ofSeconds(10));
    }

    /** Returns a source that emits nothing until its input has ended and the latch is open. */
    private Source<ConsumerRecord<byte[], byte[]>> afterTheEnd(
            Source<ConsumerRecord<byte[], byte[]>> records, CountDownLatch also) {
        return records.watch(ended -> end.countDown()).mapBlocking(2 * COUNT, Ordering.input(), record -> {
            end.await();
            also.await();
            return record;
        });
    }

    /** Returns two records for each input: one that the broker may refuse, and one for a log topic. */
    private static List<ProducerRecord<byte[], byte[]>> poisoned(String name, ConsumerRecord<byte[], byte[]> record) {
        long number = number(record);
        byte[] key = number == 40 ? null : record.key();
        byte[] value = number == 20 ? new byte[3_000_000] : record.value();
        return List.of(
                new ProducerRecord<>(name + "-out", key, value),
                new ProducerRecord<>(name + "-log", record.key(), record.value()));
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return Records.numbers(List.of(record)).getFirst();
    }

    private static List<Long> numbers(LongPredicate which) {
        return LongStream.range(0, COUNT).filter(which).boxed().toList();
    }

    private static List<Long> seen(String topic) {
        return ExactlyOnceLedger.committed(KAFKA.cluster(), topic);
    }

    private static void awaitEnd(RunningPipeline run) throws Exception {
        DrainReport report = run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(report.leftUndone()).isEmpty();
        assertThat(report.drained()).isTrue();
    }

    private static long aborted(RunningPipeline run) {
        return run.handles(TransactionHandle.class).getFirst().snapshot().aborted();
    }

    private static void assertAllDone(String name, LongPredicate isWritten) {
        assertThat(seen(name + "-out")).isEqualTo(numbers(isWritten));
        assertThat(seen(name + "-log")).isEqualTo(numbers(number -> true));
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
    }

    // Regression: a refusal after the end of the input left inputs unfinished.
    @ParameterizedTest
    @CsvSource({"SKIP,CLIENT", "DEAD_LETTER,LEAN"})
    void recordsThatAreRefused_comeUnderTheRule_inTheSameRun(WriteFailures.Action action, FetchPath path)
            throws Exception {
        String name = "refused-" + action + "-" + path;
        createTopics(name);
        try (RunningPipeline run = flow(name, path)
                .onFailure(rule(name, action))
                .produceTo(producer(), records -> afterTheEnd(records, end).mapConcat(record -> poisoned(name, record)))
                .run()) {
            awaitEnd(run);
            assertThat(aborted(run)).isPositive();
        }
        assertAllDone(name, number -> number != 20 && number != 40);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead"))
                .extracting(DeadLetterRecord::offset)
                .isEqualTo(action == WriteFailures.Action.SKIP ? List.of() : List.of(20L, 40L));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"SKIP,LEAN", "DEAD_LETTER,CLIENT"})
    void recordsThatAreRefused_onTheOtherPath_comeUnderTheRule_inTheSameRun(WriteFailures.Action action, FetchPath path)
            throws Exception {
        recordsThatAreRefused_comeUnderTheRule_inTheSameRun(action, path);
    }

    /** An operator holds all records until the end of the stream, and then emits one element for all of them. */
    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    void recordsOfAGroupThatTheEndLetsGo_comeUnderTheRule_inTheSameRun(FetchPath path) throws Exception {
        String name = "grouped-" + path;
        createTopics(name);
        try (RunningPipeline run = flow(name, path)
                .onFailure(WriteFailures.deadLetter(DeadLetterTopic.of(name + "-dead", producer())))
                .produceTo(
                        producer(),
                        records -> records.grouped(COUNT + 1)
                                .mapConcat(group -> group)
                                .mapConcat(record -> poisoned(name, record)))
                .run()) {
            awaitEnd(run);
        }
        assertAllDone(name, number -> number != 20 && number != 40);
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead")).hasSize(2);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "LEAN")
    void recordsOfAGroup_onTheLeanPath_comeUnderTheRule_inTheSameRun(FetchPath path) throws Exception {
        recordsOfAGroupThatTheEndLetsGo_comeUnderTheRule_inTheSameRun(path);
    }

    // Regression: the inputs stayed unfinished.
    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void transactionWhoseProducerIsFenced_isWrittenAgain_inTheSameRun(FetchPath path) throws Exception {
        String name = "fenced-" + path;
        createTopics(name);
        AtomicBoolean fenced = new AtomicBoolean();
        try (RunningPipeline run = flow(name, path)
                .produceTo(
                        producer(),
                        records -> afterTheEnd(records, end)
                                .mapBlocking(2 * COUNT, Ordering.input(), record -> {
                                    // Meanwhile, earlier records are still being written in an open transaction.
                                    if (number(record) == COUNT - 1 && fenced.compareAndSet(false, true)) {
                                        fenceOpenTransaction(name);
                                    }
                                    return record;
                                })
                                .mapConcat(record -> List.of(
                                        new ProducerRecord<>(name + "-out", record.key(), record.value()),
                                        new ProducerRecord<>(name + "-log", record.key(), record.value()))))
                .run()) {
            awaitEnd(run);
            assertThat(aborted(run)).isPositive();
        }
        assertThat(fenced).isTrue();
        assertAllDone(name, number -> true);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void transactionWhoseProducerIsFenced_onTheClientsPath_isWrittenAgain(FetchPath path) throws Exception {
        transactionWhoseProducerIsFenced_isWrittenAgain_inTheSameRun(path);
    }

    private static void fenceOpenTransaction(String group) {
        CompletableFuture<List<String>> open = new CompletableFuture<>();
        ConsumerLedger.await("an open transaction", Duration.ofMinutes(1), () -> {
            List<String> ids = ongoing(group);
            return !ids.isEmpty() && open.complete(ids);
        });
        try {
            KAFKA.cluster().admin().fenceProducers(open.join()).all().get();
        } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<String> ongoing(String group) {
        try {
            return KAFKA
                    .cluster()
                    .admin()
                    .listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                    .all()
                    .get()
                    .stream()
                    .map(TransactionListing::transactionalId)
                    .filter(id -> id.startsWith(group + "-weir-"))
                    .toList();
        } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void drain_atTheEnd_waitsForWhatIsWrittenAgain(FetchPath path) throws Exception {
        String name = "drained-" + path;
        createTopics(name);
        CountDownLatch draining = new CountDownLatch(1);
        try (RunningPipeline run = flow(name, path)
                .onFailure(WriteFailures.skip())
                .produceTo(
                        producer(),
                        records -> afterTheEnd(records, draining).mapConcat(record -> poisoned(name, record)))
                .run()) {
            end.await();
            CompletableFuture<DrainReport> drained = new CompletableFuture<>();
            Thread.startVirtualThread(() -> {
                try {
                    run.stop();
                    draining.countDown();
                    drained.complete(run.drain(Duration.ofSeconds(60)));
                } catch (InterruptedException | RuntimeException failure) {
                    drained.completeExceptionally(failure);
                }
            });
            assertThat(drained.get(90, TimeUnit.SECONDS).leftUndone()).isEmpty();
            assertThat(aborted(run)).isPositive();
        }
        assertAllDone(name, number -> number != 20 && number != 40);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void drain_onTheClientsPath_waitsForWhatIsWrittenAgain(FetchPath path) throws Exception {
        drain_atTheEnd_waitsForWhatIsWrittenAgain(path);
    }

    private static int members(String group) {
        try {
            return KAFKA.cluster()
                    .admin()
                    .describeConsumerGroups(List.of(group))
                    .all()
                    .get()
                    .get(group)
                    .members()
                    .size();
        } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(failure);
        }
    }

    /** The member has no partition. It must stay until the group has committed the rewritten records. */
    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void memberWithoutAPartition_standsByUntilWhatIsWrittenAgainIsCommitted(FetchPath path) throws Exception {
        String name = "standby-" + path;
        createTopics(name);
        CountDownLatch joined = new CountDownLatch(1);
        try (RunningPipeline first = flow(name, path)
                .onFailure(WriteFailures.skip())
                .produceTo(
                        producer(), records -> afterTheEnd(records, joined).mapConcat(record -> poisoned(name, record)))
                .run()) {
            end.await();
            try (RunningPipeline second = flow(name, path)
                    .produceTo(
                            producer(),
                            records -> records.map(
                                    record -> new ProducerRecord<>(name + "-log", record.key(), record.value())))
                    .run()) {
                ConsumerLedger.await("two members", Duration.ofSeconds(40), () -> members(name) == 2);
                joined.countDown();
                awaitEnd(first);
                awaitEnd(second);
            }
        }
        assertAllDone(name, number -> number != 20 && number != 40);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void memberWithoutAPartition_onTheClientsPath_standsBy(FetchPath path) throws Exception {
        memberWithoutAPartition_standsByUntilWhatIsWrittenAgainIsCommitted(path);
    }
}
