package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.in.view.EncodedElement;
import dev.weir.kafka.internal.in.view.EncodedElements;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.SplittingClient;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import dev.weir.simulation.Brokers;
import dev.weir.simulation.Network.ClientProcess;
import dev.weir.simulation.Topics.Topic;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the loop with a producer of its own, and simulated brokers on that producer's thread. */
@Timeout(60)
class EncodedLoopTest {

    private static final long MILLI = 1_000_000;

    private final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    private final List<String> announced = new CopyOnWriteArrayList<>();
    private final List<String> suspected = new CopyOnWriteArrayList<>();
    private final RunContext context = new RunContext();
    private final List<EncodedLoop> loops = new ArrayList<>();

    private final Random random = new Random(7);
    private final Brokers brokers = new Brokers(random, 2);
    private final ClientProcess process = brokers.network().process("producer");
    private final String address =
            brokers.network().host() + ":1," + brokers.network().host() + ":2";
    private final Topic out = brokers.topics().create("out", 2);
    private final Topic other = brokers.topics().create("other", 1);

    /** Thrown on the producer's thread. */
    private volatile @Nullable RuntimeException fault;

    /** True while no message from or to a broker arrives. */
    private volatile boolean isSilent;

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int more) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private final TopicWatch watch = new TopicWatch() {
        @Override
        public void written(String topic) {
            announced.add(topic);
        }

        @Override
        public void suspect(String topic) {
            suspected.add(topic);
        }

        @Override
        public boolean isKnown(String topic) {
            return announced.contains(topic);
        }
    };

    /** The network and the clock of the producer's thread. */
    private final class SimulatedNetwork implements BrokerNetwork {

        private final AtomicLong now = new AtomicLong();

        @Override
        public ByteChannel connect(InetSocketAddress to, Runnable whenReady) throws IOException {
            return process.connect(to, whenReady);
        }

        @Override
        public void await(long millis) {
            RuntimeException thrown = fault;
            if (thrown != null) {
                throw thrown;
            }
            if (!isSilent) {
                brokers.schedule().advance(Math.max(1, millis) * MILLI);
                now.set(brokers.schedule().now());
                process.tellReady();
            }
        }

        @Override
        public void wakeup() {}

        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public long nextSeed() {
            return 7;
        }
    }

    @BeforeEach
    void register() {
        BrokerNetworks.put(address, new SimulatedNetwork());
    }

    /** Waits for the producers' threads, which use the brokers. */
    @AfterEach
    void leave() {
        for (EncodedLoop loop : loops) {
            var unused = loop.close(Duration.ZERO);
        }
        brokers.close();
        BrokerNetworks.remove(address);
    }

    private EncodedLoop loop(ClientProgress progress) {
        loops.add(new EncodedLoop(
                Map.of(
                        "bootstrap.servers", address,
                        "batch.size", 1_024,
                        "max.request.size", 2_048,
                        "buffer.memory", 4_096,
                        "max.block.ms", 1),
                progress,
                context,
                watch));
        return loops.getLast();
    }

    private static LeanRecord record(String topic, int partition, int number) {
        return new LeanRecord(topic)
                .partition(partition)
                .value(ByteBuffer.allocate(100).putInt(0, number));
    }

    private Stage<EncodedRecords> upstream(long firstToken, EncodedElement... elements) {
        Object[] values = elements.clone();
        long[] tokens =
                LongStream.range(firstToken, firstToken + elements.length).toArray();
        Queue<Batch<EncodedRecords>> batches =
                new ArrayDeque<>(List.of(Batch.<EncodedRecords>of(values, elements.length, target, tokens)));
        return new Stage<>() {
            @Override
            public @Nullable Batch<EncodedRecords> pull(long deadlineNanos) {
                return batches.poll();
            }

            @Override
            public void close() {}
        };
    }

    /**
     * Writes a first record. The loop waits for metadata only for a millisecond, so it may need several attempts.
     *
     * @return the number of attempts that failed
     */
    private int writeFirst(SinkLoop<EncodedRecords> loop) throws InterruptedException {
        return writeFirst(loop, record("out", 1, -1));
    }

    private int writeFirst(SinkLoop<EncodedRecords> loop, LeanRecord record) throws InterruptedException {
        int failed = 0;
        while (acknowledged.isEmpty()) {
            try {
                loop.run(upstream(-1, EncodedElements.of(record)));
            } catch (ProduceException notFound) {
                assertThat(notFound).hasMessageContaining("was not found within maxBlock");
                failed++;
            }
        }
        assertThat(acknowledged).containsExactly(-1L);
        acknowledged.clear();
        return failed;
    }

    private static String left(int records) {
        return records == 0 ? "" : records + " records sent without an answer";
    }

    private static List<Integer> numbers(Topic topic, int partition) {
        return topic.partitions().get(partition).log().records(false).values().stream()
                .map(value -> value.getInt(value.position()))
                .toList();
    }

    // ---- Records that are written ----------------------------------------------------------------------------------

    @Test
    void element_isAcknowledgedOnce_whenAllItsRecordsAreWritten() throws Exception {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int failed = writeFirst(loop);
        EncodedElement three = EncodedElements.of(record("out", 0, 1), record("out", 1, 2), record("out", 0, 3));
        EncodedElement none = EncodedElements.of();
        EncodedElement one = EncodedElements.of(record("out", 0, 4));
        loop.run(upstream(0, three, none, one));
        assertThat(acknowledged).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(context.meter().elementsOut()).isEqualTo(4);
        assertThat(announced).containsExactly("out");
        assertThat(three.count() + one.count())
                .as("records of released elements")
                .isZero();
        assertThat(context.depth.getAsInt()).isEqualTo(failed);
        assertThat(loop.handle().snapshot().unanswered()).isEqualTo(failed);
        assertThat(loop.handle().snapshot().stage()).isEqualTo("stage");
        assertThat(loop.close(Duration.ofSeconds(20))).isEqualTo(left(failed));
        assertThat(numbers(out, 0)).containsExactly(1, 3, 4);
        assertThat(numbers(out, 1)).containsExactly(-1, 2);
        assertThat(context.failures).isEmpty();
    }

    @Test
    void element_forSeveralTopics_isWrittenWhole() throws Exception {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int ignored = writeFirst(loop);
        EncodedElement element = EncodedElements.of(
                record("out", 0, 1), record("out", 0, 2), record("other", 0, 3), record("out", 1, 4));
        while (acknowledged.isEmpty()) {
            try {
                loop.run(upstream(0, element));
            } catch (ProduceException notFound) {
                assertThat(notFound.topic()).isEqualTo("other");
                element = EncodedElements.of(record("other", 0, 3));
            }
        }
        var unused = loop.close(Duration.ofSeconds(20));
        assertThat(numbers(out, 0)).containsExactly(1, 2);
        assertThat(numbers(other, 0)).containsExactly(3);
        assertThat(announced).containsExactlyInAnyOrder("out", "other");
    }

    /** Brokers do not answer for a while, so the buffer is full, and the loop waits again and again. */
    @Test
    void fullBuffer_isWaitedFor_withoutALimit() throws Exception {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int failed = writeFirst(loop);
        assertThat(loop.handle().snapshot().blockedNanos()).isGreaterThanOrEqualTo(0);
        long before = loop.handle().snapshot().blockedNanos();
        long startNanos = System.nanoTime();
        isSilent = true;
        Thread sending = Thread.currentThread();
        Thread watching = Thread.ofPlatform().start(() -> {
            for (int waits = 0; waits < 2; waits++) {
                awaitState(sending, true);
                awaitState(sending, false);
            }
            isSilent = false;
        });
        int count = 100;
        EncodedElement element = EncodedElements.of(
                IntStream.range(0, count).mapToObj(n -> record("out", 0, n)).toArray(LeanRecord[]::new));
        loop.run(upstream(0, element));
        watching.join();
        assertThat(acknowledged).containsExactly(0L);
        assertThat(loop.handle().snapshot().blockedNanos() - before).isBetween(1L, System.nanoTime() - startNanos);
        assertThat(loop.close(Duration.ofSeconds(20))).isEqualTo(left(failed));
        assertThat(numbers(out, 0)).isEqualTo(IntStream.range(0, count).boxed().toList());
    }

    private static void awaitState(Thread thread, boolean isWaiting) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while ((thread.getState() == Thread.State.TIMED_WAITING) != isWaiting && System.nanoTime() - endNanos < 0) {
            Thread.onSpinWait();
        }
    }

    // ---- Records that are not written ------------------------------------------------------------------------------

    // Regression: the exception named the topic of the element's first record.
    @Test
    void recordThatIsTooLarge_failsTheRun_withItsTopicAndItsInput() throws Exception {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int ignored = writeFirst(loop) + writeFirst(loop, record("other", 0, -1));
        LeanRecord large = new LeanRecord("other").partition(0).value(new byte[3_000]);
        EncodedElement element = EncodedElements.of(record("out", 0, 1), large, record("out", 0, 2));
        assertThatThrownBy(() -> loop.run(upstream(5, element)))
                .isInstanceOf(ProduceException.class)
                .hasMessageStartingWith("cannot write to topic other what was made of in-0@5: ")
                .hasCauseInstanceOf(RecordTooLargeException.class);
        assertThat(acknowledged).isEmpty();
        var unused = loop.close(Duration.ofSeconds(20));
        assertThat(numbers(out, 0)).containsExactly(1);
    }

    @Test
    void topicThatNoBrokerKnows_failsTheRun() {
        EncodedLoop loop = loop(ClientProgress.NONE);
        assertThatThrownBy(() -> loop.run(upstream(3, EncodedElements.of(record("missing", 0, 1)))))
                .isInstanceOf(ProduceException.class)
                .hasMessageStartingWith("cannot write to topic missing what was made of in-0@3: ")
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(acknowledged).isEmpty();
        assertThat(loop.close(Duration.ZERO)).isEqualTo(left(1));
    }

    // Regression: after a failed record, the next run wrote that record after a later one of its partition.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void record_behindOneThatWasGivenUp_isNotAcknowledged(boolean isClosing) {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int givenUp = loop.elements.add(target, 0, 1);
        int behind = loop.elements.add(target, 1, 1);
        int elsewhere = loop.elements.add(target, 2, 1);
        if (isClosing) {
            assertThat(loop.close(Duration.ZERO)).isEqualTo("3 records sent without an answer");
        }

        loop.answers.failed(givenUp, new SendException("out", 0, true, "given up", null));
        loop.answers.acknowledged(behind, "out", 0, 1);
        loop.answers.acknowledged(elsewhere, "out", 1, 0);

        assertThat(acknowledged).containsExactly(2L);
        assertThat(context.failures).hasSize(isClosing ? 0 : 1);
        assertThat(loop.close(Duration.ZERO)).isEqualTo("2 records sent without an answer");
    }

    @Test
    void firstRecordThatIsGivenUp_failsTheRun_andEndsTheProducer() throws Exception {
        EncodedLoop loop = loop(ClientProgress.NONE);
        int ignored = writeFirst(loop);
        int first = loop.elements.add(target, 4, 2);
        int second = loop.elements.add(target, 5, 1);
        loop.answers.failed(first, new SendException("out", 0, true, "given up", null));
        loop.answers.failed(second, new SendException("other", 0, true, "given up later", null));
        assertThat(context.failures).hasSize(1);
        Throwable failure = context.failures.getFirst();
        assertThat(failure)
                .isInstanceOf(ProduceException.class)
                .hasMessageStartingWith("cannot write to topic out what was made of in-0@4: ");
        assertThat(suspected).containsExactly("out");
        assertThatThrownBy(() -> loop.run(upstream(6, EncodedElements.of(record("out", 0, 1)))))
                .isSameAs(failure);
        assertThatThrownBy(() -> loop.run(upstream(7))).isSameAs(failure);
        assertThat(acknowledged).isEmpty();
        var unused = loop.close(Duration.ofSeconds(20));
        assertThat(numbers(out, 0)).as("written after the failure").isEmpty();
    }

    // Regression: the exception named a topic without a name.
    @Test
    void producerThatHasFailed_failsTheRun_withItsReason() {
        EncodedLoop loop = loop(ClientProgress.NONE);
        fault = new IllegalStateException("planted");
        assertThatThrownBy(() -> {
                    while (true) {
                        loop.run(upstream(0));
                    }
                })
                .isExactlyInstanceOf(KafkaPipelineException.class)
                .hasMessage("the producer has failed: planted");
        assertThat(context.failures).as("thrown by the run").isEmpty();
    }

    @Test
    void closedLoop_sendsNothing() {
        EncodedLoop loop = loop(ClientProgress.NONE);
        assertThat(loop.close(Duration.ZERO)).isEmpty();
        assertThatThrownBy(() -> loop.run(upstream(6, EncodedElements.of(record("out", 0, 1)))))
                .isInstanceOf(IllegalStateException.class);
        assertThat(acknowledged).isEmpty();
    }

    // ---- A producer that is stuck ----------------------------------------------------------------------------------

    @Test
    void stuckProducer_failsTheRunOnce_andIsEnded() throws Exception {
        EncodedLoop loop = loop(SplittingClient.stuckAfter(10));
        int failed = writeFirst(loop);
        loop.elements.add(target, 4, 1);
        for (int second = 0; second < 80; second++) {
            loop.look(TimeUnit.SECONDS.toNanos(second));
        }
        assertThat(context.failures).hasSize(1);
        Throwable failure = context.failures.getFirst();
        assertThat(failure)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("has had no answer for")
                .hasMessageContaining("records for out,");
        assertThatThrownBy(() -> loop.run(upstream(6, EncodedElements.of(record("out", 0, 1)))))
                .isSameAs(failure);
        assertThat(loop.close(Duration.ZERO)).isEqualTo(left(failed + 2));
    }

    @Test
    void closingLoop_isNotChecked() {
        EncodedLoop loop = loop(SplittingClient.stuckAfter(10));
        loop.elements.add(target, 4, 1);
        assertThat(loop.close(Duration.ZERO)).isEqualTo(left(1));
        for (int second = 0; second < 80; second++) {
            loop.look(TimeUnit.SECONDS.toNanos(second));
        }
        assertThat(context.failures).isEmpty();
    }

    // ---- The sink --------------------------------------------------------------------------------------------------

    @Test
    void sink_writesElements_andClosesItsProducerWithTheRun() throws Exception {
        MockSurroundings here = new MockSurroundings(address);
        try {
            ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                    .bootstrapServers(address)
                    .produce(ProducePath.LEAN)
                    .build();
            SinkLoop<EncodedRecords> loop = new EncodedSink(settings).create(context);
            loop.run(upstream(0, EncodedElements.of(record("out", 0, 1))));
            assertThat(acknowledged).containsExactly(0L);
            assertThat(context.handle(WrittenTopics.class).topics()).containsExactly("out");
            assertThat(context.handle(ProducerHandle.class).snapshot().unanswered())
                    .isZero();
            assertThat(context.troubles).as("checks of the client").hasSize(1);
            assertThat(context.end(Duration.ofSeconds(20))).isEmpty();
            assertThatThrownBy(() -> loop.run(upstream(1, EncodedElements.of(record("out", 0, 1)))))
                    .isInstanceOf(IllegalStateException.class);
        } finally {
            here.close();
        }
        assertThat(numbers(out, 0)).containsExactly(1);
    }
}
