package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.stream.Backoff;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Restart;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Kafka sources and sinks in an inner stream that starts and ends while the pipeline runs. */
class NestedSourceTest {

    private static final Duration SOON = Duration.ofSeconds(40);
    private static final RestartSettings QUICKLY =
            RestartSettings.of(Backoff.between(Duration.ofMillis(10), Duration.ofMillis(50)));

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(GroupLoad.quickGroups().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private static void fill(String topic, int records) {
        KAFKA.cluster().createTopic(topic, 1);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, records);
    }

    private static Source<ConsumerRecord<byte[], byte[]>> records(String topic, UnaryOperator<Subscription> how) {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .commitInterval(Duration.ofMinutes(1))
                .build();
        return KafkaSource.from(settings, how.apply(Subscription.topics(topic))).atLeastOnce();
    }

    private static long committed(String topic) {
        return KAFKA.cluster().committedOffsets(topic).getOrDefault(new TopicPartition(topic, 0), 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge", "concat"})
    void boundedRead_asAnInnerStream_isCommittedToItsEnd(String how) throws Exception {
        String topic = "inner-" + how;
        fill(topic, 200);
        ConsumerLedger ledger = new ConsumerLedger(200);
        Source<String> streams = Source.of(topic);
        Source<ConsumerRecord<byte[], byte[]>> inner = how.equals("merge")
                ? streams.flatMapMerge(1, each -> records(each, Subscription::untilEnd))
                : streams.flatMapConcat(each -> records(each, Subscription::untilEnd));
        try (RunningPipeline running = inner.mapBlocking(1, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(5));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            DrainReport report = running.await();
            assertThat(report.leftUndone()).isEmpty();
        }
        assertThat(ledger.seen()).isEqualTo(200);
        assertThat(committed(topic)).isEqualTo(200);
    }

    @Test
    void drain_withASectionThatReads_commitsWhatWasHandled() throws Exception {
        fill("section-drain", 20_000);
        ConsumerLedger ledger = new ConsumerLedger(20_000);
        try (RunningPipeline running = Restart.source(QUICKLY, () -> records("section-drain", all -> all))
                .mapBlocking(1, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(1));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ledger.awaitSeen(300, SOON);
            assertThat(running.drain(SOON).leftUndone()).isEmpty();
        }
        assertThat(ledger.duplicates()).isZero();
        assertThat(committed("section-drain")).isEqualTo(ledger.seen());
    }

    @Test
    void drain_withAnInnerStreamThatReads_commitsWhatWasHandled() throws Exception {
        fill("inner-drain", 20_000);
        ConsumerLedger ledger = new ConsumerLedger(20_000);
        try (RunningPipeline running = Source.of("inner-drain")
                .flatMapMerge(4, each -> records(each, all -> all))
                .mapBlocking(1, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(1));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ledger.awaitSeen(300, SOON);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
        assertThat(ledger.duplicates()).isZero();
        assertThat(committed("inner-drain")).isEqualTo(ledger.seen());
    }

    @Test
    void section_thatFails_commitsWhatIsAtWorkBelowItBeforeItReadsAgain() throws Exception {
        fill("section-fails", 2_000);
        ConsumerLedger ledger = new ConsumerLedger(2_000);
        AtomicBoolean failed = new AtomicBoolean();
        AtomicInteger starts = new AtomicInteger();
        try (RunningPipeline running = Restart.source(QUICKLY, () -> {
                    starts.incrementAndGet();
                    return records("section-fails", all -> all).map(record -> {
                        if (record.offset() == 700 && !failed.getAndSet(true)) {
                            throw new IllegalStateException("once");
                        }
                        return record;
                    });
                })
                .mapBlocking(1, RecordOrdering.byPartition(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(1));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ledger.awaitSeen(2_000, SOON);
            // The first inner stream's consumer has ended. It must not make the liveness probe fail.
            assertThat(ConsumerHandle.of(running).health().live()).isTrue();
            assertThat(running.drain(SOON).leftUndone()).isEmpty();
        }
        assertThat(starts).hasValue(2);
        assertThat(ledger.duplicates()).isZero();
        assertThat(committed("section-fails")).isEqualTo(2_000);
    }

    /** Regression: the metrics of an inner stream's closed producer were shown forever. */
    @ParameterizedTest
    @ValueSource(strings = {"flow", "side sink"})
    void producer_ofAnInnerStream_isExposedUntilTheStreamHasEnded(String how) throws Exception {
        String topic = "inner-producer-" + how.replace(' ', '-');
        KAFKA.cluster().createTopic(topic, 1);
        KafkaSink<String, String> sink =
                KafkaSink.with(ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .build());
        CompletableFuture<RunningPipeline> running = new CompletableFuture<>();
        List<Integer> producers = new CopyOnWriteArrayList<>();
        Source<ProducerRecord<String, String>> written = Source.of("a", "b", "c")
                .flatMapConcat(value -> {
                    Source<ProducerRecord<String, String>> one = Source.of(new ProducerRecord<>(topic, value));
                    return how.equals("flow")
                            ? one.map(record -> Message.single(record, record))
                                    .via(sink.<ProducerRecord<String, String>>flow())
                                    .map(Produced::passThrough)
                            : one.alsoTo(sink.records());
                });
        try (RunningPipeline pipeline = written.tap(record -> producers.add(
                        running.join().handles(ProducerHandle.class).size()))
                .to(Sink.ignore())
                .run()) {
            running.complete(pipeline);
            assertThat(pipeline.await().drained()).isTrue();
            assertThat(producers).containsExactly(1, 1, 1);
            assertThat(pipeline.handles(ProducerHandle.class)).isEmpty();
            assertThat(pipeline.handles(WrittenTopics.class)).isEmpty();
        }
    }
}
