package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.batch.BatchOutcome;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.FailedElement;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that the pipeline's exception and a log line name the record at fault, whichever stage fails. */
class FailedElementTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final String KEY = "key\n\u001b[31m" + "k".repeat(100);
    private static final Logger LOG = Logger.getLogger(FailedElement.class.getName());

    @BeforeAll
    static void produce() {
        KAFKA.cluster().createTopic("places", 1);
        for (int i = 0; i < 8; i++) {
            FailureTopics.produce(
                    KAFKA.cluster(),
                    new ProducerRecord<>("places", 0, KEY.getBytes(UTF_8), ("secret-" + i).getBytes(UTF_8)));
        }
    }

    private static ConsumerSettings<String, String> settings(String group) {
        return ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .build();
    }

    /** The exception of the handler; users match on its type. */
    private static final class Planted extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static String failingAt5(ConsumerRecord<String, String> record) {
        if (record.offset() == 5) {
            throw new Planted();
        }
        return record.value();
    }

    @SuppressWarnings("unchecked") // the other elements are strings
    private static String valueOf(Object element) {
        return element instanceof String text ? text : failingAt5((ConsumerRecord<String, String>) element);
    }

    /** A list that computes its only element when it is read. */
    private static final class LazyList extends AbstractList<String> {

        private final ConsumerRecord<String, String> record;

        LazyList(ConsumerRecord<String, String> record) {
            this.record = record;
        }

        @Override
        public String get(int index) {
            return failingAt5(record);
        }

        @Override
        public int size() {
            return 1;
        }
    }

    @FunctionalInterface
    interface Stages {
        Pipeline on(Source<ConsumerRecord<String, String>> source);
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Stage {
        MAP(s -> s.map(FailedElementTest::failingAt5).to(Sink.ignore())),
        MAP_BELOW_OTHERS(s -> s.map(r -> r)
                .filter(r -> true)
                .map(FailedElementTest::failingAt5)
                .map(v -> v)
                .to(Sink.ignore())),
        FILTER(s -> s.filter(r -> !failingAt5(r).isEmpty()).to(Sink.ignore())),
        MAP_CONCAT(s -> s.mapConcat(r -> List.of(failingAt5(r))).to(Sink.ignore())),
        MAP_CONCAT_WHILE_ITERATING(s -> s.mapConcat(r ->
                        () -> Stream.of(r).map(FailedElementTest::failingAt5).iterator())
                .to(Sink.ignore())),
        MAP_CONCAT_OF_A_LAZY_LIST(s -> s.mapConcat(r -> new LazyList(r)).to(Sink.ignore())),
        BATCH(s -> s.batch(10, FailedElementTest::failingAt5, (all, r) -> all + failingAt5(r))
                .to(Sink.ignore())),
        ZIP(s -> Source.from(List.of(0, 1, 2, 3, 4, 5, 6, 7))
                .zipWith(s, (number, r) -> failingAt5(r))
                .to(Sink.ignore())),
        ZIP_LATEST(s -> s.filter(r -> r.offset() == 5)
                .zipLatestWith(Source.of(1).concat(Source.never()), (r, number) -> failingAt5(r))
                .to(Sink.ignore())),
        MERGE_SORTED(s -> s.<Object>map(r -> r)
                .mergeSorted(Source.of("z"), Comparator.comparing(FailedElementTest::valueOf))
                .to(Sink.ignore())),
        FLAT_MAP_CONCAT(s -> s.flatMapConcat(r -> Source.of(r).map(FailedElementTest::failingAt5))
                .to(Sink.ignore())),
        FLAT_MAP_MERGE(s -> s.flatMapMerge(1, r -> Source.of(r).map(FailedElementTest::failingAt5))
                .to(Sink.ignore())),
        STATEFUL(s -> s.statefulMap(() -> "", (state, r) -> failingAt5(r)).to(Sink.ignore())),
        MAP_BLOCKING(s -> s.mapBlocking(2, Ordering.input(), FailedElementTest::failingAt5)
                .to(Sink.ignore())),
        MAP_PARALLEL(s -> s.mapParallel(2, FailedElementTest::failingAt5).to(Sink.ignore())),
        MAP_ASYNC(s -> s.mapAsync(2, Ordering.input(), r -> CompletableFuture.completedFuture(failingAt5(r)))
                .to(Sink.ignore())),
        MAP_ASYNC_LATER(s -> s.mapAsync(2, Ordering.input(), r -> CompletableFuture.supplyAsync(() -> failingAt5(r)))
                .to(Sink.ignore())),
        FOR_EACH(s -> s.to(Sink.forEach(r -> {
            String ignored = failingAt5(r);
        }))),
        IN_A_GROUP(s -> s.groupBy(r -> r.key(), 10, key -> key.map(FailedElementTest::failingAt5))
                .to(Sink.ignore())),
        FOLD(s -> s.to(Sink.fold("", (all, r) -> all + failingAt5(r).length()))),
        GROUP_KEY(s -> s.groupBy(r -> failingAt5(r).length(), 10, key -> key).to(Sink.ignore()));

        final Stages stages;

        Stage(Stages stages) {
            this.stages = stages;
        }
    }

    private static void assertNamesTheRecord(Pipeline pipeline) throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LOG.addHandler(handler);
        try (RunningPipeline running = pipeline.run()) {
            running.await();
            throw new AssertionError("has not failed");
        } catch (Planted planted) {
            List<Throwable> named = Arrays.stream(planted.getSuppressed())
                    .filter(FailedElement.class::isInstance)
                    .toList();
            assertThat(named).hasSize(1);
            assertThat(named.getFirst().getMessage())
                    .contains(" failed at places-0@5, key \"key\\u000a\\u001b[31mk")
                    .endsWith("k\"...")
                    .doesNotContain("secret")
                    .hasSizeLessThan(150);
            assertThat(lines).filteredOn(line -> line.contains("places-0@5")).hasSize(1);
            assertThat(lines).noneMatch(line -> line.contains("secret"));
        } finally {
            LOG.removeHandler(handler);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failure_ofAStage_namesTheRecord(Stage stage) throws Exception {
        assertNamesTheRecord(stage.stages.on(KafkaSource.from(
                        settings("places-" + stage.name()),
                        Subscription.topics("places").untilEnd())
                .atLeastOnce()));
    }

    /** Tests sources without acknowledgements. */
    @Test
    void failure_belowASourceThatTracksNoRecords_namesTheRecord() throws Exception {
        Subscription all = Subscription.topics("places").untilEnd();
        assertNamesTheRecord(KafkaSource.from(settings("places-at-most-once"), all)
                .atMostOnce(10)
                .map(FailedElementTest::failingAt5)
                .to(Sink.ignore()));
        var without = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        assertNamesTheRecord(KafkaSource.from(without, all)
                .plain()
                .mapBlocking(2, Ordering.input(), FailedElementTest::failingAt5)
                .to(Sink.ignore()));
        assertThatThrownBy(() -> KafkaSource.from(without, all)
                        .plain()
                        .grouped(8)
                        .map(records -> records.stream()
                                .map(FailedElementTest::failingAt5)
                                .toList())
                        .to(Sink.ignore())
                        .run()
                        .await())
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .asString()
                        .endsWith("failed at places-0@0 and 7 more"));
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Flow {
        HANDLER(flow ->
                flow.forEach(2, RecordOrdering.byKey(), r -> failingAt5(r)).pipeline()),
        ASYNC_HANDLER(flow -> flow.handleAsync(
                        2, RecordOrdering.byKey(), r -> CompletableFuture.supplyAsync(() -> failingAt5(r)))
                .pipeline()),
        BATCH_HANDLER(flow -> flow.handleBatch(1, Duration.ofMillis(5), RecordOrdering.byKey(), records -> {
                    records.forEach(r -> failingAt5(r));
                    return BatchOutcome.allDone(records);
                })
                .pipeline());

        final Function<KafkaFlow<String, String>, Pipeline> pipeline;

        Flow(Function<KafkaFlow<String, String>, Pipeline> pipeline) {
            this.pipeline = pipeline;
        }
    }

    @ParameterizedTest
    @EnumSource
    void failure_ofAHandler_namesTheRecord(Flow flow) throws Exception {
        assertNamesTheRecord(flow.pipeline.apply(KafkaFlow.from(
                settings("flow-" + flow.name()), Subscription.topics("places").untilEnd())));
    }

    @ParameterizedTest
    @EnumSource
    void failure_aboveAProducingSink_namesTheRecord(FetchPath path) throws Exception {
        var producer = ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .build();
        var consumer = settings("sink-" + path).toBuilder().fetch(path).build();
        assertNamesTheRecord(
                KafkaSource.from(consumer, Subscription.topics("places").untilEnd())
                        .atLeastOnce()
                        .map(record -> new ProducerRecord<String, String>("places-out", failingAt5(record)))
                        .to(KafkaSink.with(producer).records()));
    }
}
