package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the account of records whose partition was revoked, reset or recreated after they were pulled. Regression: a
 * summary did not count these records, and the progress line showed them in flight forever.
 */
@Timeout(120)
class DroppedRecordsTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int RECORDS = 300;
    private static final int WINDOW = 100;

    /** Records per batch; a fetch returns one batch. */
    private static final int BATCH = 50;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    @TempDir
    private static Path folder;

    private final Semaphore permits = new Semaphore(0, true);
    private final AtomicInteger done = new AtomicInteger();

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, FetchPath path) {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(path)
                .maxOutstandingRecords(WINDOW)
                .outOfRange(OutOfRangePolicy.NEAREST)
                .property("group.protocol", "classic")
                .property("max.poll.records", "50")
                .property("max.partition.fetch.bytes", "1")
                .property("heartbeat.interval.ms", "200")
                .property("auto.offset.reset", "earliest");
    }

    /** Four workers each hold a record until there is a permit. Other records wait for a worker. */
    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return KafkaSource.from(settings, subscription)
                .atLeastOnce()
                .mapBlocking(4, Ordering.unordered(), record -> {
                    permits.acquire();
                    return record;
                })
                .to(Sink.forEach(record -> done.incrementAndGet()))
                .run();
    }

    @AfterEach
    void letGo() {
        permits.release(1_000_000);
    }

    private static void create(String topic, int from) {
        KAFKA.cluster().createTopic(topic, 1);
        for (int n = 0; n < RECORDS; n += BATCH) {
            Records.produce(KAFKA.bootstrapServers(), topic, from + n, BATCH);
        }
    }

    private static ConsumerSnapshot snapshot(RunningPipeline running) {
        return ConsumerHandle.of(running).snapshot(Duration.ofSeconds(5));
    }

    private static long pulled(RunningPipeline running) {
        return running.stages().getFirst().elementsIn();
    }

    private static long count(List<RecordRange> ranges) {
        return ranges.stream().mapToLong(RecordRange::count).sum();
    }

    /** Checks that each pulled record is counted as done, dropped or left undone. */
    private void assertAccounted(RunningPipeline running) {
        ConsumerSnapshot last = snapshot(running);
        assertThat(done.get() + count(last.dropped()) + last.leftUndone())
                .as(() -> "%s done, %s".formatted(done, last))
                .isEqualTo(pulled(running));
    }

    private void assertNothingInFlight(RunningPipeline running) {
        ConsumerLedger.await(
                () -> "nothing is in flight: " + snapshot(running),
                SOON,
                () -> snapshot(running).inFlight() == 0
                        && pulled(running)
                                == done.get() + count(snapshot(running).dropped()));
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void recordsInMemory_whenRetentionOvertakesThePosition_areCountedAndNamed(FetchPath path) throws Exception {
        String topic = "retention-" + path;
        create(topic, 0);
        TopicPartition id = new TopicPartition(topic, 0);
        try (RunningPipeline running = run(settings(topic, path).build(), Subscription.topics(topic))) {
            ConsumerLedger.await("records are pulled", SOON, () -> pulled(running) > 4);
            KAFKA.cluster()
                    .admin()
                    .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(290)))
                    .all()
                    .get();
            // A partition is fetched again when half of its window is finished.
            ConsumerLedger.await(() -> "the position is lost: " + snapshot(running), SOON, () -> {
                permits.release(1);
                return !snapshot(running).skipped().isEmpty();
            });
            permits.release(1_000);
            assertNothingInFlight(running);
            ConsumerLedger.await(
                    "the rest is done",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).getOrDefault(id, 0L) == RECORDS);
            assertThat(running.drain(SOON).drained()).isTrue();
            assertAccounted(running);
            ConsumerSnapshot last = snapshot(running);
            assertThat(last.skipped()).singleElement().satisfies(range -> {
                assertThat(range.topic()).isEqualTo(topic);
                assertThat(range.to()).isEqualTo(290);
                assertThat(range.reason()).isEqualTo("out-of-range");
            });
            // Each record is counted once: done, dropped or skipped.
            assertThat(done.get() + count(last.dropped()) + count(last.skipped()))
                    .isEqualTo(RECORDS);
            assertThat(last.dropped()).allSatisfy(range -> {
                assertThat(range.reason()).isEqualTo("out-of-range");
                assertThat(range.isGone()).isTrue();
                assertThat(range.to() - range.from()).isGreaterThanOrEqualTo(range.count());
            });
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void recordsOfTheClientInMemory_whenTheTopicIsRecreated_areCountedAndNamed(FetchPath path) throws Exception {
        recordsInMemory_whenTheTopicIsRecreated_areCountedAndNamed(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void recordsInMemory_whenTheTopicIsRecreated_areCountedAndNamed(FetchPath path) throws Exception {
        String topic = "recreated-" + path;
        create(topic, 0);
        try (RunningPipeline running = run(settings(topic, path).build(), Subscription.topics(topic))) {
            ConsumerLedger.await("records are pulled", SOON, () -> pulled(running) > 4);
            KAFKA.cluster().deleteTopic(topic);
            create(topic, 1_000);
            // The window is full of records of the former topic.
            ConsumerLedger.await(
                    () -> "records of the new topic are pulled: " + snapshot(running),
                    SOON,
                    () -> pulled(running) > WINDOW);
            // A free worker drops the queued records of the former topic.
            ConsumerLedger.await(() -> "records are dropped: " + snapshot(running), SOON, () -> {
                permits.release(1);
                return !snapshot(running).dropped().isEmpty();
            });
            permits.release(1_000);
            assertNothingInFlight(running);
            ConsumerLedger.await(
                    "all of the new one is done",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue((long) RECORDS));
            assertThat(running.drain(SOON).drained()).isTrue();
            assertAccounted(running);
            assertThat(snapshot(running).dropped()).allSatisfy(range -> {
                assertThat(range.reason()).isEqualTo("recreated");
                assertThat(range.isGone()).isTrue();
            });
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "LEAN")
    void recordsOfLeanInMemory_whenTheMemberIsExpelled_areCountedAndReadAgain(FetchPath path) throws Exception {
        recordsInMemory_whenTheMemberIsExpelled_areCountedAndReadAgain(path);
    }

    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    void recordsInMemory_whenTheMemberIsExpelled_areCountedAndReadAgain(FetchPath path) throws Exception {
        String topic = "expelled-" + path;
        create(topic, 0);
        try (RunningPipeline running = run(settings(topic, path).build(), Subscription.topics(topic))) {
            ConsumerLedger.await("records are pulled", SOON, () -> pulled(running) > 4);
            KAFKA.cluster()
                    .admin()
                    .removeMembersFromConsumerGroup(topic, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            ConsumerLedger.await(
                    () -> "records are dropped: " + snapshot(running),
                    SOON,
                    () -> !snapshot(running).dropped().isEmpty());
            permits.release(1_000);
            ConsumerLedger.await(
                    "all is done",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue((long) RECORDS));
            assertNothingInFlight(running);
            assertThat(running.drain(SOON).drained()).isTrue();
            assertAccounted(running);
            assertThat(snapshot(running).dropped()).allSatisfy(range -> {
                assertThat(range.reason()).isEqualTo("lost");
                assertThat(range.isGone()).isFalse();
            });
        }
    }

    // Regression: exactly-once runs counted no dropped records, and their summary said that all records were written.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recordsInMemory_ofAnExactlyOnceRun_areCountedAndNamed(boolean isExpelled) throws Exception {
        String topic = "exactly-once-" + isExpelled;
        create(topic, 0);
        KAFKA.cluster().createTopic(topic + "-out", 1);
        TopicPartition id = new TopicPartition(topic, 0);
        try (RunningPipeline running = runExactlyOnce(topic)) {
            ConsumerLedger.await("records are pulled", SOON, () -> pulled(running) > 4);
            permits.release(30);
            ConsumerLedger.await("records are in the transaction", SOON, () -> permits.availablePermits() == 0);
            if (isExpelled) {
                KAFKA.cluster()
                        .admin()
                        .removeMembersFromConsumerGroup(topic, new RemoveMembersFromConsumerGroupOptions())
                        .all()
                        .get();
            } else {
                KAFKA.cluster()
                        .admin()
                        .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(290)))
                        .all()
                        .get();
            }
            ConsumerLedger.await(() -> "records are dropped: " + snapshot(running), SOON, () -> {
                permits.release(isExpelled ? 0 : 1);
                return !snapshot(running).dropped().isEmpty();
            });
            permits.release(1_000);
            ConsumerLedger.await(
                    "the rest is done",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).getOrDefault(id, 0L) == RECORDS);
            assertThat(running.drain(SOON).drained()).isTrue();
            ConsumerSnapshot last = snapshot(running);
            long written = running.stages().getLast().elementsOut();
            long aborted = running.handles(TransactionHandle.class)
                    .getFirst()
                    .snapshot()
                    .rewoundRecords();
            assertThat(written)
                    .isEqualTo(
                            FailureTopics.read(KAFKA.cluster(), topic + "-out").size());
            assertThat(written + count(last.dropped()) + last.leftUndone() + aborted)
                    .as("%d written, %d aborted, %s", written, aborted, last)
                    .isEqualTo(pulled(running));
            if (!isExpelled) {
                assertThat(written + count(last.dropped()) + count(last.skipped()))
                        .isEqualTo(RECORDS);
            }
        }
    }

    private RunningPipeline runExactlyOnce(String topic) {
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        return KafkaSource.from(settings(topic, FetchPath.CLIENT).build(), Subscription.topics(topic))
                .exactlyOnce()
                .commitInterval(Duration.ofSeconds(5))
                .produceTo(
                        producer,
                        records -> records.mapBlocking(4, Ordering.unordered(), record -> {
                            permits.acquire();
                            return new ProducerRecord<>(topic + "-out", record.key(), record.value());
                        }))
                .run();
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void recordsOfTheClientInMemory_afterASeek_areCounted(FetchPath path) throws Exception {
        recordsInMemory_afterASeek_areCounted(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void recordsInMemory_afterASeek_areCounted(FetchPath path) throws Exception {
        String topic = "sought-" + path;
        create(topic, 0);
        TopicPartition id = new TopicPartition(topic, 0);
        try (RunningPipeline running = run(settings(topic, path).build(), Subscription.topics(topic))) {
            ConsumerLedger.await("records are pulled", SOON, () -> pulled(running) > 4);
            ConsumerHandle.of(running)
                    .seek(Map.of(id, Position.offset(250)))
                    .toCompletableFuture()
                    .get();
            permits.release(1_000);
            assertNothingInFlight(running);
            ConsumerLedger.await(
                    "all is done",
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(topic).containsValue((long) RECORDS));
            assertThat(running.drain(SOON).drained()).isTrue();
            assertAccounted(running);
            assertThat(snapshot(running).dropped())
                    .isNotEmpty()
                    .allSatisfy(range -> assertThat(range.reason()).isEqualTo("seek"));
        }
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void recordsInMemory_whenTheRunFails_areLeftUndone(FetchPath path) throws Exception {
        String topic = "failed-" + path;
        create(topic, 0);
        try (RunningPipeline running = KafkaSource.from(settings(topic, path).build(), Subscription.topics(topic))
                .atLeastOnce()
                .mapBlocking(4, Ordering.unordered(), record -> {
                    if (record.offset() == 20) {
                        throw new IllegalStateException("no");
                    }
                    return record;
                })
                .to(Sink.forEach(record -> done.incrementAndGet()))
                .run()) {
            assertThatThrownBy(running::await).hasStackTraceContaining("no");
            running.drain(Duration.ZERO);
            assertAccounted(running);
            assertThat(snapshot(running).leftUndone()).isPositive();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "LEAN")
    void pipeOnLean_thatRetentionOvertakes_accountsForEachRecord(FetchPath path) throws Exception {
        pipe_thatRetentionOvertakes_accountsForEachRecord_andPromisesNoMoreThanItKeeps(path);
    }

    /** Regression: after retention had deleted unread records, the summary said that nothing was lost. */
    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    void pipe_thatRetentionOvertakes_accountsForEachRecord_andPromisesNoMoreThanItKeeps(FetchPath path)
            throws Exception {
        String topic = "pipe-" + path;
        create(topic, 0);
        KAFKA.cluster().createTopic(topic + "-out", 1);
        TopicPartition id = new TopicPartition(topic, 0);
        Path config = Files.writeString(
                folder.resolve(path + ".properties"),
                String.join(
                        "\n",
                        "max.poll.records=50",
                        "max.partition.fetch.bytes=1",
                        "group.protocol=classic",
                        "weir.max.outstanding.records=" + WINDOW));
        try (PipeProcess pipe = PipeProcess.start(
                "pipe",
                "--bootstrap-server=" + KAFKA.bootstrapServers(),
                "--from=" + topic,
                "--to=" + topic + "-out",
                "--group=" + topic,
                "--fetch=" + path.name().toLowerCase(Locale.ROOT),
                "--work=100ms",
                "--concurrency=4",
                "--client-config=" + config,
                "--json")) {
            TopicPartition out = new TopicPartition(topic + "-out", 0);
            ConsumerLedger.await(
                    pipe::err,
                    SOON,
                    () -> KAFKA.cluster().endOffsets(out.topic()).get(out) > 0);
            KAFKA.cluster()
                    .admin()
                    .deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(290)))
                    .all()
                    .get();
            assertThat(pipe.exitCode(SOON)).as(pipe.err()).isEqualTo(1);
            String json = pipe.out();
            long dropped = Pattern.compile("\"count\":(\\d+)")
                    .matcher(json.substring(json.indexOf("records_dropped"), json.indexOf("records_skipped")))
                    .results()
                    .mapToLong(match -> Long.parseLong(match.group(1)))
                    .sum();
            assertThat(PipeProcess.number(json, "records_out")
                            + dropped
                            + PipeProcess.number(json, "records_left_undone"))
                    .as(json)
                    .isEqualTo(PipeProcess.number(json, "records_in"));
            assertThat(dropped).as(json).isPositive();
            assertThat(KAFKA.cluster().endOffsets(out.topic()))
                    .containsEntry(out, (long) PipeProcess.number(json, "records_out"));
            assertThat(pipe.err() + json)
                    .contains("is out of range", "Lost: " + id, "as far as the log still has it")
                    .doesNotContain("Nothing is lost");
        }
    }
}
