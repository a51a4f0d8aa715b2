package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.view.RecordViews;
import dev.weir.kafka.view.ViewEncoder;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests pipelines from fetched views into encoded batches: acknowledgements, order, failures, and all parts of each
 * record.
 */
@Timeout(120)
class ViewPipelineTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int RECORDS = 12_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static KafkaCluster cluster() {
        return KAFKA.cluster();
    }

    private static ConsumerSettings.Builder<byte[], byte[]> reading(String group) {
        return ConsumerLedger.settings(cluster(), group).fetch(FetchPath.LEAN);
    }

    private static ProducerSettings<byte[], byte[]> writing() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(ProducePath.LEAN)
                .build();
    }

    private static ViewEncoder copyTo(String topic) {
        return (record, out) -> out.send(out.record(topic)
                .partition(record.partition())
                .timestamp(record.timestamp())
                .content(record));
    }

    private static Pipeline pipeline(String group, Subscription from, int workers, ViewEncoder encoder) {
        return KafkaSource.from(reading(group).build(), from)
                .views()
                .mapParallel(workers, views -> views.encode(encoder))
                .to(KafkaSink.with(writing()).encoded());
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic, int partition) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED).stream()
                .filter(record -> record.partition() == partition)
                .toList();
    }

    private static List<String> parts(ConsumerRecord<byte[], byte[]> record) {
        List<String> parts = new ArrayList<>();
        parts.add(String.valueOf(record.timestamp()));
        parts.add(text(record.key()));
        parts.add(text(record.value()));
        for (Header header : record.headers()) {
            parts.add(header.key() + "=" + text(header.value()));
        }
        return parts;
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Fills a topic with batches of 1 to 50 records. */
    private static void fill(String topic, int partitions, int records) {
        cluster().createTopic(topic, partitions);
        cluster().createTopic(topic + "-out", partitions);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, records);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyRecord_isCopiedAsItIs_inOrder_andCommitted(int fetchThreads) throws Exception {
        String topic = "copies-" + fetchThreads;
        fill(topic, 3, RECORDS);
        byte[] some = "some".getBytes(StandardCharsets.ISO_8859_1);
        ProducerRecord<byte[], byte[]> withHeaders = new ProducerRecord<>(topic, 1, 12_345L, some, some);
        withHeaders.headers().add("name", some).add("name", null).add("", new byte[0]);
        FailureTopics.produce(
                cluster(),
                withHeaders,
                new ProducerRecord<>(topic, 1, null, null, some),
                new ProducerRecord<byte[], byte[]>(topic, 1, 7L, some, null),
                new ProducerRecord<>(topic, 2, 0L, new byte[0], new byte[500_000]));
        ViewEncoder copy = copyTo(topic + "-out");
        try (RunningPipeline running = KafkaSource.from(
                        reading(topic).fetchThreads(fetchThreads).build(),
                        Subscription.topics(topic).untilEnd())
                .views()
                .mapParallel(3, views -> views.encode(copy))
                .to(KafkaSink.with(writing()).encoded())
                .run()) {
            ProducerHandle producer = running.handles(ProducerHandle.class).getFirst();
            assertThat(running.await().drained()).isTrue();
            assertThat(producer.snapshot().unanswered()).isZero();
        }
        for (int partition = 0; partition < 3; partition++) {
            assertThat(read(topic + "-out", partition).stream().map(ViewPipelineTest::parts))
                    .isEqualTo(read(topic, partition).stream()
                            .map(ViewPipelineTest::parts)
                            .toList());
        }
        assertThat(cluster().committedOffsets(topic)).isEqualTo(cluster().endOffsets(topic));
    }

    /** A read up to an offset must end exactly there, even in the middle of a batch. */
    @Test
    void readToAnOffset_withNoneOrSeveralForARecord_endsThere() throws Exception {
        cluster().createTopic("some", 1);
        cluster().createTopic("some-out", 1);
        Records.produce(KAFKA.bootstrapServers(), "some", 0, 1_000);
        ViewEncoder evensTwice = (record, out) -> {
            if (record.offset() % 2 == 0) {
                out.send(out.record("some-out").content(record));
                out.send(out.record("some-out").content(record));
            }
        };
        Subscription all = Subscription.topics("some").untilEnd();
        try (RunningPipeline running = pipeline("some", all, 2, evensTwice).run()) {
            // Written during the start. The run must not read past the end that it determined at its start.
            Records.produce(KAFKA.bootstrapServers(), "some", 1_000, 500);
            assertThat(running.await().drained()).isTrue();
        }
        long committed = cluster().committedOffsets("some").values().iterator().next();
        assertThat(committed).isBetween(1_000L, 1_500L);
        List<Long> copied = Records.numbers(read("some-out", 0));
        assertThat(copied)
                .isEqualTo(LongStream.range(0, committed)
                        .filter(n -> n % 2 == 0)
                        .flatMap(n -> LongStream.of(n, n))
                        .boxed()
                        .toList());
    }

    @Test
    void encoderThatFails_failsTheRun_andTheNextOneLosesNothing() throws Exception {
        fill("broken", 2, RECORDS);
        AtomicLong seen = new AtomicLong();
        ViewEncoder copy = copyTo("broken-out");
        ViewEncoder failing = (record, out) -> {
            if (seen.incrementAndGet() == RECORDS / 2) {
                throw new IllegalArgumentException("planted");
            }
            copy.encode(record, out);
        };
        try (RunningPipeline running =
                pipeline("broken", Subscription.topics("broken"), 2, failing).run()) {
            assertThatThrownBy(running.completion().toCompletableFuture()::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("planted");
        }
        try (RunningPipeline running = pipeline(
                        "broken", Subscription.topics("broken").untilEnd(), 2, copy)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        Set<Long> found = new TreeSet<>();
        IntStream.range(0, 2).forEach(partition -> found.addAll(Records.numbers(read("broken-out", partition))));
        assertThat(found).hasSize(RECORDS);
        assertThat(cluster().committedOffsets("broken")).isEqualTo(cluster().endOffsets("broken"));
    }

    @Test
    void recordThatIsRefused_failsTheRunByName_andNothingFollowsIt() throws Exception {
        cluster().createTopic("large", 1);
        cluster().createTopic("large-out", 1, Map.of("max.message.bytes", "20000"));
        FailureTopics.produce(
                cluster(),
                new ProducerRecord<>("large", 0, null, null, new byte[10]),
                new ProducerRecord<>("large", 0, null, null, new byte[50_000]),
                new ProducerRecord<>("large", 0, null, null, new byte[11]));
        try (RunningPipeline running = pipeline("large", Subscription.topics("large"), 1, copyTo("large-out"))
                .run()) {
            assertThatThrownBy(running.completion().toCompletableFuture()::join)
                    .cause()
                    .isInstanceOfSatisfying(ProduceException.class, refused -> {
                        assertThat(refused.topic()).isEqualTo("large-out");
                        assertThat(refused.input()).startsWith("large-0@");
                    });
        }
        assertThat(read("large-out", 0))
                .allSatisfy(record -> assertThat(record.value()).hasSize(10));
        assertThat(cluster().committedOffsets("large").values()).allMatch(offset -> offset <= 1);
    }

    /** All other records must be unchanged, and inputs without an output must be finished. */
    @ParameterizedTest
    @EnumSource(names = {"SKIP", "DEAD_LETTER"})
    void recordThatIsRefused_comesUnderTheRule_andAllOthersAreCopiedAsTheyAre(WriteFailures.Action action)
            throws Exception {
        String topic = "ruled-" + action;
        cluster().createTopic(topic, 1);
        cluster().createTopic(topic + "-out", 1, Map.of("max.message.bytes", "20000"));
        cluster().createTopic(topic + "-dead", 1);
        byte[] some = "some".getBytes(StandardCharsets.ISO_8859_1);
        ProducerRecord<byte[], byte[]> withHeaders = new ProducerRecord<>(topic, 0, 12_345L, some, some);
        withHeaders.headers().add("name", some).add("name", null).add("", new byte[0]);
        FailureTopics.produce(
                cluster(),
                withHeaders,
                new ProducerRecord<>(topic, 0, null, null, new byte[50_000]),
                new ProducerRecord<byte[], byte[]>(topic, 0, 7L, some, null),
                new ProducerRecord<>(topic, 0, 0L, new byte[0], new byte[10_000]),
                new ProducerRecord<>(topic, 0, null, null, new byte[300]));
        ViewEncoder copy = copyTo(topic + "-out");
        ViewEncoder butThe300 = (record, out) -> {
            if (record.value().length() != 300) {
                copy.encode(record, out);
            }
        };
        WriteFailures rule = action == WriteFailures.Action.SKIP
                ? WriteFailures.skip()
                : WriteFailures.deadLetter(
                        DeadLetterTopic.of(topic + "-dead", reading(topic).build()));
        try (RunningPipeline running = KafkaSource.from(
                        reading(topic).build(), Subscription.topics(topic).untilEnd())
                .views()
                .mapParallel(2, views -> views.encode(butThe300))
                .to(KafkaSink.with(writing()).onFailure(rule).encoded())
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        List<ConsumerRecord<byte[], byte[]>> read = read(topic, 0);
        assertThat(read(topic + "-out", 0).stream().map(ViewPipelineTest::parts))
                .isEqualTo(Stream.of(0, 2, 3)
                        .map(number -> parts(read.get(number)))
                        .toList());
        assertThat(FailureTopics.deadLetters(cluster(), topic + "-dead"))
                .hasSize(action == WriteFailures.Action.SKIP ? 0 : 1)
                .allSatisfy(
                        deadLetter -> assertThat(deadLetter.record().value()).hasSize(50_000));
        assertThat(cluster().committedOffsets(topic)).isEqualTo(cluster().endOffsets(topic));
    }

    /** Records must wait for room in the buffer for longer than {@code max.block.ms}, and must then be written. */
    @Test
    void brokersThatCannotBeReached_whileTheBufferIsFull_delayRecords_andChangeNothing() throws Exception {
        fill("full", 2, 100);
        try (FaultProxy proxy = FaultProxy.to(KAFKA.bootstrapServers())) {
            ProducerSettings<byte[], byte[]> small = ProducerSettings.builder()
                    .bootstrapServers(proxy.bootstrapServers())
                    .produce(ProducePath.LEAN)
                    .property("buffer.memory", "65536")
                    .property("max.request.size", "16384")
                    .property("batch.size", "8192")
                    .property("max.block.ms", "2000")
                    .build();
            try (RunningPipeline running = KafkaSource.from(reading("full").build(), "full")
                    .views()
                    .map(views -> views.encode(copyTo("full-out")))
                    .to(KafkaSink.with(small).encoded())
                    .run()) {
                ProducerHandle producer = running.handles(ProducerHandle.class).getFirst();
                ConsumerLedger.await("the first records", LONG, () -> ends("full-out") == 100);
                proxy.cut();
                Records.produce(KAFKA.bootstrapServers(), "full", 100, 5_000);
                ConsumerLedger.await(
                        "a full buffer", LONG, () -> producer.snapshot().bufferFreeBytes() < 8_192);
                long fullNanos = System.nanoTime();
                ConsumerLedger.await(
                        "more than max.block.ms",
                        LONG,
                        () -> System.nanoTime() - fullNanos > TimeUnit.MILLISECONDS.toNanos(2_200));
                proxy.restore();
                ConsumerLedger.await("all records", LONG, () -> ends("full-out") == 5_100);
                assertThat(running.drain(LONG).drained()).isTrue();
            }
        }
        for (int partition = 0; partition < 2; partition++) {
            assertThat(Records.numbers(read("full-out", partition)))
                    .isEqualTo(Records.numbers(read("full", partition)));
        }
        assertThat(cluster().committedOffsets("full")).isEqualTo(cluster().endOffsets("full"));
    }

    private static long ends(String topic) {
        return cluster().endOffsets(topic).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void membersThatComeAndGo_underLoad_loseAndRepeatNothing() throws Exception {
        cluster().createTopic("rolling", 6);
        cluster().createTopic("rolling-out", 6);
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Long> load = CompletableFuture.supplyAsync(() -> {
            long count = 0;
            for (; !enough.get(); count += 200) {
                Records.produce(KAFKA.bootstrapServers(), "rolling", count, 200);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // Leaves processors to other tests.
            }
            return count;
        });
        ViewEncoder copy = copyTo("rolling-out");
        RunningPipeline member = null;
        try {
            for (int round = 0; round < 3; round++) {
                AtomicLong encoded = new AtomicLong();
                RunningPipeline next = pipeline("rolling", Subscription.topics("rolling"), 2, (record, out) -> {
                            encoded.incrementAndGet();
                            copy.encode(record, out);
                        })
                        .run();
                ConsumerLedger.await("records for member " + round, LONG, () -> encoded.get() > 500);
                if (member != null) {
                    assertThat(member.drain(LONG).drained()).isTrue();
                }
                member = next;
            }
            enough.set(true);
            long count = load.get(1, TimeUnit.MINUTES);
            ConsumerLedger.await(
                    "all committed",
                    LONG,
                    () -> cluster().committedOffsets("rolling").equals(cluster().endOffsets("rolling")));
            assertThat(member.drain(LONG).drained()).isTrue();
            assertThat(count).isPositive();
        } finally {
            enough.set(true);
            if (member != null) {
                member.close();
            }
        }
        for (int partition = 0; partition < 6; partition++) {
            assertThat(Records.numbers(read("rolling-out", partition)))
                    .isEqualTo(Records.numbers(read("rolling", partition)));
        }
    }

    @Test
    void views_inASinkOfOnesOwn_areGivenBack_andRefuseToBeReadThen() throws Exception {
        fill("looked", 2, 5_000);
        AtomicLong records = new AtomicLong();
        List<RecordViews> kept = new ArrayList<>();
        try (RunningPipeline running = KafkaSource.from(
                        reading("looked").build(), Subscription.topics("looked").untilEnd())
                .views()
                .to(Sink.forEach(views -> {
                    try (views) {
                        while (views.next()) {
                            records.incrementAndGet();
                        }
                    }
                    kept.add(views);
                }))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(records).hasValue(5_000);
        assertThatThrownBy(kept.getFirst()::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("were released");
        assertThat(cluster().committedOffsets("looked")).isEqualTo(cluster().endOffsets("looked"));
    }
}
