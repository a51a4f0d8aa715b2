package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.SharedFlow;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests batches that are too large, or damaged on the broker's disk. Each topic has four batches, with the offsets 0,
 * 1, 2 to 4, and 5. The third batch is at fault.
 */
class UnreadableBatchTest {

    private static final int LIMIT = 1 << 20;

    private static final int LARGE = 4 << 20;

    /** Byte positions in a batch of Kafka's record format, version 2. */
    private static final int CRC_AT = 17;

    private static final int ATTRIBUTES_AT = 21;
    private static final int LAST_OFFSET_DELTA_AT = 23;
    private static final int RECORDS_AT = 61;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final Queue<String> read = new ConcurrentLinkedQueue<>();

    /** A fetch path, with its number of threads. */
    enum Way {
        CLIENT(FetchPath.CLIENT, 1),
        LEAN(FetchPath.LEAN, 1),
        LEAN_THREADS(FetchPath.LEAN, 2);

        private final FetchPath path;
        private final int threads;

        Way(FetchPath path, int threads) {
            this.path = path;
            this.threads = threads;
        }
    }

    /** The damage of a batch. */
    enum Damage {
        TOO_LARGE,
        CHECKSUM,
        CODEC,
        COMPRESSED_BYTES,

        /** The header's last offset is far past the end of the log. */
        END_TOO_HIGH,

        /** The header's last offset is before the batch's actual end. */
        END_TOO_LOW
    }

    static Stream<Arguments> all() {
        return Stream.of(Way.values())
                .flatMap(path -> Stream.of(Damage.TOO_LARGE, Damage.CHECKSUM, Damage.CODEC, Damage.COMPRESSED_BYTES)
                        .map(damage -> Arguments.of(path, damage)));
    }

    /** Returns some combinations of a fetch path and a damage. {@link #others} returns the others. */
    static Stream<Arguments> some() {
        return Stream.of(
                Arguments.of(Way.CLIENT, Damage.TOO_LARGE),
                Arguments.of(Way.LEAN, Damage.TOO_LARGE),
                Arguments.of(Way.CLIENT, Damage.CHECKSUM),
                Arguments.of(Way.LEAN, Damage.CODEC),
                Arguments.of(Way.CLIENT, Damage.COMPRESSED_BYTES));
    }

    static Stream<Arguments> others() {
        Set<List<Object>> some = some().map(each -> List.of(each.get())).collect(Collectors.toSet());
        return all().filter(each -> !some.contains(List.of(each.get())));
    }

    static Stream<Arguments> othersOfOneThread() {
        return others().filter(each -> each.get()[0] != Way.LEAN_THREADS);
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(Way path, String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(path.path)
                .fetchThreads(path.threads)
                .maxBatchBytes(LIMIT)
                .commitInterval(Duration.ofMillis(100));
    }

    @ParameterizedTest
    @MethodSource("others")
    @Tag("long")
    void batchAtFault_otherwise_skipped_leavesOutItsRecordsAndIsCommittedPast(Way path, Damage damage)
            throws Exception {
        batchAtFault_skipped_leavesOutItsRecordsAndIsCommittedPast(path, damage);
    }

    @ParameterizedTest
    @MethodSource("some")
    void batchAtFault_skipped_leavesOutItsRecordsAndIsCommittedPast(Way path, Damage damage) throws Exception {
        String topic = topic(damage, "skip-" + path, true);
        Source<ConsumerRecord<byte[], byte[]>> source = KafkaSource.from(
                        settings(path, topic)
                                .unreadableBatches(UnreadableBatches.SKIP)
                                .build(),
                        Subscription.topics(topic).untilEnd())
                .atLeastOnce();
        RunningPipeline running = source.to(Sink.forEach(this::note)).run();
        var report = running.completion().get(60, TimeUnit.SECONDS);
        assertThat(report.drained()).isTrue();
        assertThat(read).containsExactlyElementsOf(readable(path, damage));
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
        assertThat(ConsumerHandle.of(running).snapshot(Duration.ofSeconds(5)).skipped())
                .singleElement()
                .satisfies(range -> {
                    assertThat(range.reason()).isEqualTo("unreadable");
                    assertThat(range.from()).isGreaterThanOrEqualTo(2);
                    assertThat(range.to()).isLessThanOrEqualTo(5);
                });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void batchAtFault_isTheLastOne_skipped_isCommittedPast(Way path) throws Exception {
        String topic = topic(Damage.CHECKSUM, "last-" + path, false);
        Source<ConsumerRecord<byte[], byte[]>> source = KafkaSource.from(
                        settings(path, topic)
                                .unreadableBatches(UnreadableBatches.SKIP)
                                .build(),
                        Subscription.topics(topic).untilEnd())
                .atLeastOnce();
        var report = source.to(Sink.forEach(this::note)).run().completion().get(60, TimeUnit.SECONDS);
        assertThat(report.drained()).isTrue();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @MethodSource("othersOfOneThread")
    @Tag("long")
    void batchAtFault_otherwise_inAFlowWithADeadLetterTopic_isADeadLetter(Way path, Damage damage) throws Exception {
        batchAtFault_inAFlowWithADeadLetterTopic_isADeadLetter(path, damage);
    }

    @ParameterizedTest
    @MethodSource("some")
    void batchAtFault_inAFlowWithADeadLetterTopic_isADeadLetter(Way path, Damage damage) throws Exception {
        String topic = topic(damage, "letter-" + path, true);
        KAFKA.cluster().createTopic(topic + "-dead", 1);
        KafkaFlow.from(settings(path, topic).build(), Subscription.topics(topic).untilEnd())
                .forEach(2, RecordOrdering.byPartition(), this::note)
                .deadLetter(topic + "-dead")
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(read).containsExactlyElementsOf(readable(path, damage));
        DeadLetterRecord deadLetter = DeadLetterRecord.read(
                FailureTopics.read(KAFKA.cluster(), topic + "-dead").getFirst());
        assertThat(deadLetter.topic()).isEqualTo(topic);
        boolean single = damage == Damage.TOO_LARGE && path == Way.CLIENT;
        assertThat(deadLetter.offset()).isEqualTo(single ? 3 : 2);
        assertThat(deadLetter.header(DeadLetterHeaders.BATCH)).isEqualTo(single ? "3-3" : "2-4");
        assertThat(deadLetter.header(DeadLetterHeaders.MESSAGE)).contains(topic + "-0@");
        assertThat(deadLetter.isWhole()).isFalse();
        if (!single) {
            assertThat(deadLetter.record().value()).isEqualTo(batchAtFault(topic));
        }
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    static Stream<Arguments> withADamagedEnd() {
        return Stream.of(Way.values())
                .flatMap(path -> Stream.of(
                        Arguments.of(path, Damage.END_TOO_HIGH, true),
                        Arguments.of(path, Damage.END_TOO_HIGH, false),
                        Arguments.of(path, Damage.END_TOO_LOW, true)));
    }

    // Regression: a batch with a wrong last offset was skipped one offset at a time, with a dead-letter record for each
    // offset.
    @ParameterizedTest
    @MethodSource("withADamagedEnd")
    void batchAtFault_whoseHeaderNamesAWrongEnd_isOneDeadLetter(Way path, Damage damage, boolean withOneBehind)
            throws Exception {
        String topic = topic(damage, "end-" + path + withOneBehind, withOneBehind);
        KAFKA.cluster().createTopic(topic + "-dead", 1);
        KafkaFlow.from(settings(path, topic).build(), Subscription.topics(topic).untilEnd())
                .forEach(2, RecordOrdering.byPartition(), this::note)
                .deadLetter(topic + "-dead")
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(read).containsExactlyElementsOf(withOneBehind ? List.of("0", "1", "5") : List.of("0", "1"));
        assertThat(FailureTopics.read(KAFKA.cluster(), topic + "-dead"))
                .singleElement()
                .satisfies(deadLetter ->
                        assertThat(DeadLetterRecord.read(deadLetter).offset()).isEqualTo(2));
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @MethodSource("othersOfOneThread")
    @Tag("long")
    void batchAtFault_otherwise_withoutAWayOut_failsTheRunNamingItsPlace(Way path, Damage damage) throws Exception {
        batchAtFault_withoutAWayOut_failsTheRunNamingItsPlace(path, damage);
    }

    @ParameterizedTest
    @MethodSource("some")
    void batchAtFault_withoutAWayOut_failsTheRunNamingItsPlace(Way path, Damage damage) throws Exception {
        String topic = topic(damage, "fail-" + path, true);
        Source<ConsumerRecord<byte[], byte[]>> source = KafkaSource.from(
                        settings(path, topic).build(), Subscription.topics(topic))
                .atLeastOnce();
        Throwable failure = catchThrowable(
                () -> source.to(Sink.forEach(this::note)).run().completion().get(60, TimeUnit.SECONDS));
        assertThat(failure).hasRootCauseInstanceOf(Exception.class);
        assertThat(failure.getCause())
                .isInstanceOf(RecordDecodeException.class)
                .hasMessageContainingAll(topic + "-0@", "unreadableBatches");
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void batchAtFault_exactlyOnce_skipped_isCommittedPast(Way path) throws Exception {
        String topic = topic(Damage.CHECKSUM, "eos-" + path, true);
        KAFKA.cluster().createTopic(topic + "-out", 1);
        var running = KafkaSource.from(
                        settings(path, topic)
                                .unreadableBatches(UnreadableBatches.SKIP)
                                .build(),
                        Subscription.topics(topic).untilEnd())
                .exactlyOnce()
                .produceTo(
                        ProducerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .build(),
                        records -> records.map(
                                record -> new ProducerRecord<>(topic + "-out", record.key(), record.value())))
                .run();
        running.completion().get(60, TimeUnit.SECONDS);
        assertThat(FailureTopics.read(KAFKA.cluster(), topic + "-out")).hasSize(3);
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void batchAtFault_atMostOnce_skipped_isCommittedPast(Way path) throws Exception {
        String topic = topic(Damage.CODEC, "amo-" + path, false);
        Source<ConsumerRecord<byte[], byte[]>> source = KafkaSource.from(
                        settings(path, topic)
                                .unreadableBatches(UnreadableBatches.SKIP)
                                .build(),
                        Subscription.topics(topic).untilEnd())
                .atMostOnce(10);
        source.to(Sink.forEach(this::note)).run().completion().get(60, TimeUnit.SECONDS);
        assertThat(read).containsExactly("0", "1");
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @EnumSource(
            value = Damage.class,
            names = {"TOO_LARGE", "CHECKSUM", "CODEC", "COMPRESSED_BYTES"})
    void batchAtFault_ofAShareGroup_withoutAWayOut_failsTheRunNamingItsPlace(Damage damage) throws Exception {
        String topic = topic(damage, "share", true);
        Throwable failure = catchThrowable(() -> KafkaSource.shared(
                        shared(topic, UnreadableBatches.FAIL).build(), topic)
                .to(Sink.ignore())
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS));
        assertThat(failure.getCause())
                .isInstanceOf(RecordDecodeException.class)
                .hasMessageContainingAll(topic + "-0@2..4 is ", "unreadableBatches");
    }

    @ParameterizedTest
    @EnumSource(
            value = Damage.class,
            names = {"TOO_LARGE", "CHECKSUM", "CODEC", "COMPRESSED_BYTES"})
    void batchAtFault_ofAShareGroup_skipped_isRejected(Damage damage) throws Exception {
        String topic = topic(damage, "share-skip", true);
        KAFKA.cluster().createTopic(topic + "-other", 1);
        try (var producer = producer("gzip")) {
            send(producer, topic + "-other", value("other"));
        }
        RunningPipeline running = KafkaSource.shared(
                        shared(topic, UnreadableBatches.SKIP).untilEnd().build(), topic, topic + "-other")
                .to(Sink.forEach(this::note))
                .run();
        running.completion().get(60, TimeUnit.SECONDS);
        assertThat(read).containsExactlyInAnyOrder("0", "1", "5", "other");
        assertThat(running.handles(ShareHandle.class).getFirst().snapshot().skipped())
                .containsExactly(RecordRange.of(topic, 0, 2, 5, 3, "unreadable"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Damage.class,
            names = {"TOO_LARGE", "CHECKSUM", "CODEC", "COMPRESSED_BYTES"})
    void batchAtFault_ofAShareGroup_withADeadLetterTopic_isOneDeadLetter(Damage damage) throws Exception {
        String topic = topic(damage, "share-dead", true);
        KAFKA.cluster().createTopic(topic + "-dead", 1);
        byte[] batch = batchAtFault(topic);
        SharedFlow.from(shared(topic, UnreadableBatches.DEAD_LETTER).untilEnd().build(), topic)
                .forEach(2, Ordering.unordered(), this::note)
                .deadLetter(topic + "-dead")
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(read).containsExactlyInAnyOrder("0", "1", "5");
        assertThat(FailureTopics.read(KAFKA.cluster(), topic + "-dead"))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(deadLetter.value()).isEqualTo(batch);
                    assertThat(DeadLetterRecord.read(deadLetter).offset()).isEqualTo(2);
                    assertThat(new String(
                                    deadLetter
                                            .headers()
                                            .lastHeader(DeadLetterHeaders.BATCH)
                                            .value(),
                                    UTF_8))
                            .isEqualTo("2-4");
                });
    }

    @Test
    void batchAtFault_ofAShareGroup_whoseDeadLetterFails_comesAgain() throws Exception {
        String topic = topic(Damage.CHECKSUM, "share-again", true);
        KAFKA.cluster().createTopic(topic + "-dead", 1);
        ShareSettings<byte[], byte[]> settings =
                shared(topic, UnreadableBatches.DEAD_LETTER).untilEnd().build();
        Throwable failure = catchThrowable(() -> SharedFlow.from(settings, topic)
                .forEach(2, Ordering.unordered(), this::note)
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS));
        assertThat(failure).hasMessageContaining(topic + "-0@2..4 is a batch that is corrupt");
        SharedFlow.from(settings, topic)
                .forEach(2, Ordering.unordered(), this::note)
                .deadLetter(topic + "-dead")
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(read).contains("0", "1", "5");
        assertThat(FailureTopics.read(KAFKA.cluster(), topic + "-dead"))
                .singleElement()
                .satisfies(deadLetter -> assertThat(new String(
                                deadLetter
                                        .headers()
                                        .lastHeader(DeadLetterHeaders.BATCH)
                                        .value(),
                                UTF_8))
                        .isEqualTo("2-4"));
    }

    private static ShareSettings.Builder<byte[], byte[]> shared(String topic, UnreadableBatches policy) {
        return ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(topic)
                .startAt(ShareSettings.Start.EARLIEST)
                .fetch(FetchPath.LEAN)
                .maxBatchBytes(LIMIT)
                .unreadableBatches(policy);
    }

    /** A batch of a few KB decompresses to 40 records of 200 KB, more than a poll may return here. */
    @Test
    void pollOfTheClient_isBoundedInBytes_andLosesAndRepeatsNothing() throws Exception {
        String topic = "budget";
        KAFKA.cluster().createTopic(topic, 2);
        byte[] value = new byte[200_000];
        try (var producer = producer("gzip")) {
            for (int n = 0; n < 40; n++) {
                for (int partition = 0; partition < 2; partition++) {
                    var ignored = producer.send(new ProducerRecord<>(
                            topic,
                            partition,
                            null,
                            n % 3 == 0 ? null : (partition + "-" + n).getBytes(UTF_8),
                            n % 5 == 0 ? null : value,
                            FailureTopics.headers()));
                }
            }
            producer.flush();
        }
        Source<ConsumerRecord<byte[], byte[]>> source = KafkaSource.from(
                        settings(Way.CLIENT, topic).bufferBytes(1 << 20).build(),
                        Subscription.topics(topic).untilEnd())
                .atLeastOnce();
        source.to(Sink.forEach(record -> read.add(record.partition() + "@" + record.offset() + ":"
                        + (record.value() == null ? 0 : record.value().length) + ":"
                        + record.headers().toArray().length)))
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(read).hasSize(80);
        for (int partition = 0; partition < 2; partition++) {
            String prefix = partition + "@";
            assertThat(read.stream().filter(each -> each.startsWith(prefix)).toList())
                    .containsExactlyElementsOf(Stream.iterate(0, n -> n + 1)
                            .limit(40)
                            .map(n -> prefix + n + ":" + (n % 5 == 0 ? 0 : value.length) + ":3")
                            .toList());
        }
    }

    private void note(ConsumerRecord<byte[], byte[]> record) {
        read.add(new String(record.value(), UTF_8).strip());
    }

    /** Returns the readable values. Only Kafka's client reads a batch that is too large, one record at a time. */
    private static List<String> readable(Way path, Damage damage) {
        return damage == Damage.TOO_LARGE && path == Way.CLIENT
                ? List.of("0", "1", "2", "4", "5")
                : List.of("0", "1", "5");
    }

    private static KafkaProducer<byte[], byte[]> producer(String compression) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "compression.type",
                        compression,
                        "batch.size",
                        16 << 20,
                        "linger.ms",
                        60_000,
                        "max.request.size",
                        32 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static String topic(Damage damage, String name, boolean withOneBehind) throws Exception {
        String topic = (name + "-" + damage).toLowerCase(Locale.ROOT);
        KAFKA.cluster().createTopic(topic, 1);
        try (var producer = producer("gzip")) {
            send(producer, topic, value("0"));
            send(producer, topic, value("1"));
            byte[] large = new byte[damage == Damage.TOO_LARGE ? LARGE : 10];
            Arrays.fill(large, (byte) ' ');
            large[0] = '3';
            send(producer, topic, value("2"), large, value("4"));
            if (withOneBehind) {
                send(producer, topic, value("5"));
            }
        }
        if (damage != Damage.TOO_LARGE) {
            damage(topic, damage);
        }
        return topic;
    }

    private static byte[] value(String text) {
        return text.getBytes(UTF_8);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, byte[]... values) {
        for (byte[] value : values) {
            var ignored = producer.send(new ProducerRecord<>(topic, 0, null, value));
        }
        producer.flush();
    }

    private static Path segment(String topic) {
        try (Stream<Path> files = Files.walk(KAFKA.cluster().folder())) {
            return files.filter(file -> file.getFileName().toString().endsWith(".log")
                            && file.getParent().getFileName().toString().equals(topic + "-0"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int startOfThird(ByteBuffer log) {
        int at = 0;
        for (int batch = 0; batch < 2; batch++) {
            at += 12 + log.getInt(at + 8);
        }
        return at;
    }

    private static byte[] batchAtFault(String topic) throws IOException {
        ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(segment(topic)));
        int at = startOfThird(log);
        byte[] batch = new byte[12 + log.getInt(at + 8)];
        log.get(at, batch);
        return batch;
    }

    /** Damages a batch on disk. The broker reads its log from disk for each fetch without parsing it. */
    private static void damage(String topic, Damage damage) throws IOException {
        Path file = segment(topic);
        ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(file));
        int at = startOfThird(log);
        int size = 12 + log.getInt(at + 8);
        switch (damage) {
            case CHECKSUM -> log.put(at + size - 1, (byte) ~log.get(at + size - 1));
            case CODEC -> log.putShort(at + ATTRIBUTES_AT, (short) 6);
            case COMPRESSED_BYTES -> {
                for (int i = at + RECORDS_AT + 10; i < at + size; i++) {
                    log.put(i, (byte) 0xff);
                }
            }
            case END_TOO_HIGH -> log.putInt(at + LAST_OFFSET_DELTA_AT, Integer.MAX_VALUE);
            case END_TOO_LOW -> log.putInt(at + LAST_OFFSET_DELTA_AT, 0);
            case TOO_LARGE -> throw new IllegalArgumentException("not damaged");
        }
        if (damage == Damage.CODEC || damage == Damage.COMPRESSED_BYTES) {
            CRC32C crc = new CRC32C();
            crc.update(log.array(), at + ATTRIBUTES_AT, size - ATTRIBUTES_AT);
            log.putInt(at + CRC_AT, (int) crc.getValue());
        }
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
            out.write(log.slice(at, size), at);
        }
        assertThat(KAFKA.cluster().endOffsets(topic).get(new TopicPartition(topic, 0)))
                .isGreaterThan(4);
    }
}
