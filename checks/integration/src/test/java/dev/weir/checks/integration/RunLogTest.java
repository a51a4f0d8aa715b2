package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the log lines at INFO about each kind of run. */
class RunLogTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final Logger WEIR = Logger.getLogger("dev.weir.kafka");

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
}
