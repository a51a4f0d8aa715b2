package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the runs of stages that write: their producers, their handles, and what they close. */
@Timeout(30)
class WritingSinksTest {

    private final MockSurroundings here = new MockSurroundings();
    private final RunContext context = new RunContext();
    private final List<Long> acknowledged = new ArrayList<>();
    private final AtomicInteger serializersClosed = new AtomicInteger();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int count) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    /** Rejects the text "bad". */
    private final class Counted extends StringSerializer {

        @Override
        public byte[] serialize(String topic, @Nullable String data) {
            if ("bad".equals(data)) {
                throw new SerializationException("planted");
            }
            return super.serialize(topic, data);
        }

        @Override
        public void close() {
            serializersClosed.incrementAndGet();
        }
    }

    private final ProducerSettings<String, String> settings = ProducerSettings.builder(new Counted(), new Counted())
            .bootstrapServers(here.address)
            .build();

    @AfterEach
    void leave() {
        here.close();
    }

    private <T> void run(SinkFactory<T> sink, List<T> elements) throws InterruptedException {
        sink.create(context).run(upstream(elements));
    }

    private <T> Stage<T> upstream(List<T> elements) {
        Batch<T> batch = new Batch<>(elements.size());
        for (int i = 0; i < elements.size(); i++) {
            batch.add(Objects.requireNonNull(elements.get(i)), target, i);
        }
        Queue<Batch<T>> batches = new ArrayDeque<>(List.of(batch));
        return new Stage<>() {
            @Override
            public @Nullable Batch<T> pull(long deadlineNanos) {
                return batches.poll();
            }

            @Override
            public void close() {}
        };
    }

    private List<String> written() {
        return here.producers.stream()
                .flatMap(producer -> producer.history().stream())
                .map(record -> record.topic() + " " + record.value())
                .toList();
    }

    private void assertClosedWithTheRun() {
        assertThat(here.producers).hasSize(1).noneMatch(MockProducer::closed);
        assertThat(context.handle(WrittenTopics.class).topics()).containsExactly("out");
        ProducerHandle handle = context.handle(ProducerHandle.class);
        assertThat(handle.snapshot().stage()).isEqualTo("stage");
        assertThat(handle.snapshot().unanswered()).isZero();
        assertThat(context.troubles).as("checks of the client").hasSize(1);
        assertThat(serializersClosed).hasValue(0);
        assertThat(context.end(Duration.ZERO)).isEmpty();
        assertThat(here.producers).allMatch(MockProducer::closed);
        assertThat(serializersClosed).hasValue(2);
    }

    @Test
    void sinkOfRecords_writesThem_andClosesItsProducerWithTheRun() throws Exception {
        run(
                new ProducerSink<>(settings, WriteFailures.fail(), 0),
                List.of(new ProducerRecord<>("out", "a"), new ProducerRecord<>("out", "b")));
        assertThat(written()).containsExactly("out a", "out b");
        assertThat(acknowledged).containsExactly(0L, 1L);
        assertThat(context.meter().elementsIn()).isEqualTo(2);
        assertThat(context.meter().elementsOut()).isEqualTo(2);
        assertThat(context.depth.getAsInt()).isZero();
        assertClosedWithTheRun();
    }

    private static HandlerOutcome.Done<String> done(String result) {
        return new HandlerOutcome.Done<>(new ConsumerRecord<>("in", 0, 0, new byte[0], new byte[0]), result, 1);
    }

    @Test
    void sinkOfResults_writesTheRecordOfEach_andClosesItsProducerWithTheRun() throws Exception {
        run(
                new RoutingSink<String, String, String>(
                        settings, done -> new ProducerRecord<>("out", done.result() + "!"), WriteFailures.skip()),
                List.of(done("a"), done("b"), done("c")));
        assertThat(written()).containsExactly("out a!", "out b!", "out c!");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L);
        assertClosedWithTheRun();
    }

    /** The rule for failed writes applies to elements whose record cannot be made. */
    @Test
    void resultWithoutARecord_isSkippedUnderARule_andFailsTheRunWithout() throws Exception {
        SinkFactory<HandlerOutcome.Done<String>> skipping = new RoutingSink<String, String, String>(
                settings,
                done -> {
                    if (done.result().equals("deep")) {
                        throw new StackOverflowError("planted");
                    }
                    if (done.result().isEmpty()) {
                        throw new IllegalArgumentException("planted");
                    }
                    return new ProducerRecord<>("out", done.result());
                },
                WriteFailures.skip());
        run(skipping, List.of(done(""), done("a"), done("deep")));
        assertThat(written()).containsExactly("out a");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L);

        IllegalArgumentException thrown = new IllegalArgumentException("planted");
        SinkFactory<HandlerOutcome.Done<String>> failing = new RoutingSink<String, String, String>(
                settings,
                done -> {
                    throw thrown;
                },
                WriteFailures.fail());
        assertThatThrownBy(() -> run(failing, List.of(done("a")))).isSameAs(thrown);
        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(thrown.getSuppressed()[0]).hasMessageContaining("stage stage failed at in-0@0");
        assertThat(acknowledged).hasSize(3);
    }

    @Test
    void recordThatCannotBeSerialized_failsTheRun_orIsSkippedAndGivesBackItsPermit() throws Exception {
        List<ProducerRecord<String, String>> records = List.of(
                new ProducerRecord<>("out", "a"), new ProducerRecord<>("out", "bad"), new ProducerRecord<>("out", "b"));
        assertThatThrownBy(() -> run(new ProducerSink<>(settings, WriteFailures.fail(), 1), records))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("in-0@1");
        assertThat(acknowledged).containsExactly(0L);
        run(new ProducerSink<>(settings, WriteFailures.skip(), 1), records);
        assertThat(acknowledged).containsExactly(0L, 0L, 1L, 2L);
    }

    @Test
    void stageOfMessages_closesItsProducerWithTheRun() throws Exception {
        Stage<Produced<Integer>> stage = ResultStage.create(
                settings,
                WriteFailures.fail(),
                10,
                upstream(List.of(
                        Message.<String, String, Integer>single(new ProducerRecord<>("out", "a"), 7),
                        Message.<String, String, Integer>passThrough(8))),
                context);
        Batch<Produced<Integer>> results = Objects.requireNonNull(stage.pull(Stage.NEVER));
        assertThat(results.get(0).passThrough()).isEqualTo(7);
        assertThat(written()).containsExactly("out a");
        assertClosedWithTheRun();
    }

    @Test
    void stageOfMessages_withAProducerOfTheCaller_leavesItOpen() throws Exception {
        MockProducer<String, String> common =
                new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
        Stage<Produced<Integer>> stage = ResultStage.sharing(
                common,
                settings,
                WriteFailures.fail(),
                10,
                upstream(List.of(Message.<String, String, Integer>single(new ProducerRecord<>("out", "a"), 7))),
                context);
        assertThat(Objects.requireNonNull(stage.pull(Stage.NEVER)).size()).isEqualTo(1);
        assertThat(common.history()).hasSize(1);
        assertThat(context.end(Duration.ZERO)).isEmpty();
        assertThat(common.closed()).isFalse();
        assertThat(serializersClosed).hasValue(0);
    }
}
