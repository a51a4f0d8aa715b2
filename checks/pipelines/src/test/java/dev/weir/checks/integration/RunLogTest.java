package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RestartingPipeline;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Sender;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.produce.Message;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the log lines at INFO about each kind of run. */
class RunLogTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final Logger WEIR = Logger.getLogger("dev.weir.kafka");

    private @Nullable Handler throwing;

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private final Handler handler = new Handler() {
        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.INFO) {
                lines.add(formatter.formatMessage(line));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeAll
    static void write() {
        KAFKA.cluster().createTopic("in", 2);
        KAFKA.cluster().createTopic("out", 1);
        Records.produce(KAFKA.bootstrapServers(), "in", 0, 100);
    }

    @BeforeEach
    void listen() {
        handler.setLevel(Level.ALL);
        WEIR.setLevel(Level.INFO);
        WEIR.addHandler(handler);
        WEIR.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        WEIR.removeHandler(handler);
        WEIR.removeHandler(throwing);
        WEIR.setUseParentHandlers(true);
        WEIR.setLevel(null);
    }

    private static ConsumerSettings<byte[], byte[]> settings(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group).build();
    }

    private static void run(Pipeline pipeline) throws Exception {
        pipeline.run().completion().get(60, TimeUnit.SECONDS);
    }

    private static Subscription all() {
        return Subscription.topics("in").untilEnd();
    }

    private void assertLines(String begin, boolean assigns) {
        List<String> all = List.copyOf(lines);
        assertThat(all)
                .filteredOn(line -> line.startsWith("pipeline logged: reads"))
                .singleElement()
                .asString()
                .contains("[in]", begin, "fetched by");
        if (assigns) {
            assertThat(all)
                    .filteredOn(line -> line.startsWith("pipeline logged: assigned"))
                    .singleElement()
                    .isEqualTo("pipeline logged: assigned in-0, in-1; has 2 partitions now");
        }
        assertThat(all)
                .filteredOn(line -> line.contains("ended"))
                .singleElement()
                .asString()
                .startsWith("pipeline logged: ")
                .endsWith("nothing is left unfinished");
    }

    @Test
    void atLeastOnce_saysWhatRunsWhatItHasAndHowItEnded() throws Exception {
        run(KafkaSource.from(settings("alo"), all())
                .atLeastOnce()
                .to(Sink.ignore())
                .named("logged"));
        assertLines("as group alo, at least once", true);
    }

    @Test
    void atMostOnce_saysWhatRunsWhatItHasAndHowItEnded() throws Exception {
        run(KafkaSource.from(settings("amo"), all())
                .atMostOnce(10)
                .to(Sink.ignore())
                .named("logged"));
        assertLines("as group amo, at most once", true);
    }

    @Test
    void exactlyOnce_saysWhatRunsWhatItHasAndHowItEnded() throws Exception {
        run(KafkaSource.from(settings("eos"), all())
                .exactlyOnce()
                .produceTo(
                        ProducerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .build(),
                        records -> records.map(record -> new ProducerRecord<>("out", record.key(), record.value())))
                .named("logged"));
        assertLines("as group eos, exactly once", true);
    }

    @Test
    void partitioned_saysWhatRunsWhatItHasAndHowItEnded() throws Exception {
        run(KafkaSource.from(settings("part"), all())
                .partitioned()
                .flatMapMerge(10, partition -> partition.records())
                .to(Sink.ignore())
                .named("logged"));
        assertLines("as group part, at least once", true);
    }

    @Test
    void plain_saysWhatRunsWhatItHasAndHowItEnded() throws Exception {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        run(KafkaSource.from(settings, all()).plain().to(Sink.ignore()).named("logged"));
        assertLines("without a group, without commits", true);
    }

    @Test
    void shareGroup_saysWhatRunsAndHowItEnded() throws Exception {
        ShareSettings<byte[], byte[]> settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("share")
                .startAt(ShareSettings.Start.EARLIEST)
                .untilEnd()
                .build();
        run(KafkaSource.shared(settings, "in").to(Sink.ignore()).named("logged"));
        assertLines("as share group share, at least once", false);
    }

    @Test
    void shareGroup_thatFails_saysWhy() throws Exception {
        KAFKA.cluster().createTopic("large", 1);
        FailureTopics.produce(KAFKA.cluster(), new ProducerRecord<>("large", 0, null, new byte[100_000]));
        ShareSettings<byte[], byte[]> settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("share-large")
                .startAt(ShareSettings.Start.EARLIEST)
                .maxBatchBytes(64 * 1024)
                .build();
        var running = KafkaSource.shared(settings, "large")
                .to(Sink.ignore())
                .named("logged")
                .run();
        running.completion().handle((report, failure) -> true).get(60, TimeUnit.SECONDS);
        assertThat(lines)
                .filteredOn(line -> line.contains("ended"))
                .singleElement()
                .asString()
                .startsWith("pipeline logged: ended by a failure: cannot decode record large-0@0: ");
    }

    @Test
    void severalPipelinesOnOneConsumer_saySoForEach() throws Exception {
        try (ReusableConsumer<byte[], byte[]> consumer =
                ReusableConsumer.start(settings("several"), Subscription.topics("in"))) {
            var running =
                    consumer.records("in").to(Sink.ignore()).named("logged").run();
            ConsumerLedger.await(
                    "all is read",
                    Duration.ofMinutes(1),
                    () -> KAFKA.cluster()
                            .committedOffsets("several")
                            .equals(KAFKA.cluster().endOffsets("in")));
            assertThat(running.drain(Duration.ofSeconds(30)).drained()).isTrue();
        }
        assertThat(lines)
                .anyMatch(line -> line.startsWith("several pipelines on one consumer: reads [in] as group several"))
                .anyMatch(line -> line.startsWith("pipeline logged: reads [in] by the consumer of several pipelines"))
                .anyMatch(line -> line.equals("pipeline logged: ended; nothing is left unfinished"))
                .anyMatch(line -> line.startsWith("several pipelines on one consumer: drained and ended"));
    }

    @Test
    void failedRun_saysWhyAndWhatIsLeft() throws Exception {
        var running = KafkaSource.from(settings("failed"), all())
                .atLeastOnce()
                .map(record -> {
                    throw new IllegalStateException("planted");
                })
                .to(Sink.ignore())
                .named("logged")
                .run();
        running.completion().handle((report, failure) -> true).get(60, TimeUnit.SECONDS);
        assertThat(lines)
                .anyMatch(line -> line.startsWith("pipeline logged: ended; unfinished, to be read again: in-"));
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer() {
        return ProducerSettings.builder().bootstrapServers(KAFKA.bootstrapServers());
    }

    private static Source<ProducerRecord<byte[], byte[]>> made(String topic) {
        return Source.range(0, 3).map(n -> new ProducerRecord<>(topic, new byte[0]));
    }

    /** Regression: a pipeline that only produces logged nothing. */
    @ParameterizedTest
    @EnumSource
    void producerAlone_saysThatItWritesAndHowItEnded(ProducePath path) throws Exception {
        run(made("out")
                .to(KafkaSink.with(producer().produce(path).build()).records())
                .named("logged"));
        assertThat(lines)
                .containsExactly(
                        "pipeline logged: produce writes, sent by "
                                + (path == ProducePath.LEAN ? "the lean path" : "Kafka's client"),
                        "pipeline logged: produce drained and ended; nothing is left unfinished");
    }

    @Test
    void producerWithASender_saysThatItWritesAndHowItEnded() throws Exception {
        try (Sender<byte[], byte[]> sender = Sender.open(producer().build())) {
            run(made("out").to(KafkaSink.with(sender).records()).named("logged"));
        }
        assertThat(lines)
                .contains(
                        "pipeline logged: produce/produce writes, sent by Kafka's client",
                        "pipeline logged: produce/produce drained and ended; nothing is left unfinished");
    }

    /** Regression: the line said that nothing was left unfinished, although records were lost. */
    @Test
    void producerAlone_thatFails_saysWhy() throws Exception {
        var running = made("out")
                .map(record -> new ProducerRecord<byte[], byte[]>("out", new byte[2_000_000]))
                .to(KafkaSink.with(producer().build()).records())
                .named("logged")
                .run();
        Throwable failure =
                running.completion().handle((report, thrown) -> thrown).get(60, TimeUnit.SECONDS);
        assertEnd("pipeline logged: produce ended by a failure: "
                + failure.getCause().getMessage());
    }

    private void assertEnd(String line) {
        assertThat(lines)
                .filteredOn(each -> each.contains("ended"))
                .singleElement()
                .asString()
                .isEqualTo(line);
    }

    /** Returns settings of a producer that keeps all records except the first until it is closed. */
    private static ProducerSettings<byte[], byte[]> lingering() {
        return producer().property("linger.ms", "60000").build();
    }

    private static void cancelWithTwoRecords(Pipeline pipeline, String stage) throws Exception {
        var running = pipeline.named("logged").run();
        ConsumerLedger.await(
                "two records are in flight",
                Duration.ofMinutes(1),
                () -> running.stages().stream().anyMatch(each -> each.name().equals(stage) && each.depth() == 2));
        running.cancel();
        running.completion().handle((report, failure) -> true).get(60, TimeUnit.SECONDS);
    }

    @Test
    void producingFlow_thatIsCancelled_countsItsRecords() throws Exception {
        cancelWithTwoRecords(
                made("out")
                        .map(record -> Message.single(record, record))
                        .via(KafkaSink.with(lingering()).flow())
                        .to(Sink.ignore()),
                "produce/produce");
        assertEnd(
                "pipeline logged: produce/produce ended by a failure: pipeline logged was cancelled; 2 records sent without an answer");
    }

    @Test
    void producerWithASender_thatIsCancelled_countsItsRecords() throws Exception {
        try (Sender<byte[], byte[]> sender = Sender.open(lingering())) {
            cancelWithTwoRecords(made("out").to(KafkaSink.with(sender).records()), "produce/produce");
        }
        assertEnd(
                "pipeline logged: produce/produce ended by a failure: pipeline logged was cancelled; 2 records sent without an answer");
    }

    @Test
    void transactionalProducer_thatIsCancelled_countsTheRecordsOfItsTransaction() throws Exception {
        cancelWithTwoRecords(
                Source.range(0, 2)
                        .map(n -> new ProducerRecord<>("out", new byte[0], new byte[0]))
                        .concat(Source.never())
                        .to(KafkaSink.with(producer().build())
                                .transactional("logged")
                                .commitInterval(Duration.ofSeconds(29))
                                .records()),
                "produce");
        assertEnd(
                "pipeline logged: produce ended by a failure: pipeline logged was cancelled; 2 records of the open transaction");
    }

    @Test
    void producingFlow_thatIsCutShort_doesNotSayThatItDrained() throws Exception {
        run(made("out")
                .map(record -> Message.single(record, record))
                .via(KafkaSink.with(producer().build()).flow())
                .take(1)
                .to(Sink.ignore())
                .named("logged"));
        assertEnd("pipeline logged: produce/produce ended");
    }

    /** Regression: each inner stream logged two lines. */
    @Test
    void producersOfInnerStreams_logNothingAtInfo() throws Exception {
        run(Source.range(0, 2)
                .flatMapMerge(
                        2,
                        n -> made("out")
                                .map(record -> Message.single(record, record))
                                .via(KafkaSink.with(producer().build()).flow()))
                .to(Sink.ignore())
                .named("logged"));
        assertThat(lines).isEmpty();
    }

    private void throwAt(String words) {
        WEIR.removeHandler(handler);
        throwing = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getMessage().contains(words)) {
                    throw new IllegalStateException("the disk is full");
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        WEIR.addHandler(throwing);
    }

    @Test
    void startThatCannotBeLogged_closesTheProducer() throws Exception {
        throwAt("writes, sent by");
        var settings = producer().property("client.id", "unlogged").build();
        assertThatThrownBy(() -> run(made("out").to(KafkaSink.with(settings).records())))
                .hasStackTraceContaining("the disk is full");
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().contains("unlogged")) {
                assertThat(each.join(Duration.ofSeconds(30))).isTrue();
            }
        }
    }

    /** Regression: the run failed, and its report lacked the unfinished records. */
    @Test
    void endThatCannotBeLogged_changesNothing() throws Exception {
        throwAt("drained and ended");
        run(made("out").to(KafkaSink.with(producer().build()).records()));
    }

    /** Regression: a caller that waited for the end waited forever. */
    @Test
    void restartThatCannotBeLogged_endsThePipelineWithItsFailure() {
        throwAt("running it again");
        Pipeline pipeline = Source.of(1).to(Sink.forEach(n -> {
            throw new IllegalArgumentException("planted");
        }));
        var restarting = RestartingPipeline.run(pipeline, RestartSettings.of(Backoff.NONE));
        assertThatThrownBy(() -> restarting.completion().get(60, TimeUnit.SECONDS))
                .rootCause()
                .hasMessage("planted");
    }
}
