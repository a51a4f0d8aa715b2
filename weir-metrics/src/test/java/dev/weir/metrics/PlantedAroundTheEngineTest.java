package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests bottlenecks around real pipelines that wait for input. Consumers and producers are simulated. */
@Timeout(60)
class PlantedAroundTheEngineTest {

    private static final String READS = "[orders]";
    private static final int MANY = 1_000_000;

    private final CountDownLatch release = new CountDownLatch(1);
    private final SourceQueue<Integer> input = SourceQueue.of(8);

    /** Returns a pipeline that waits for records. */
    private Planted waiting(List<ConsumerLook> consumers, List<ProducerHandle.Snapshot> producers) {
        return new Planted(
                        Source.queue(input)
                                .named("in")
                                .to(Sink.<Integer>forEach(n -> {}).named("out"))
                                .run(),
                        release)
                .with(consumers, producers);
    }

    /** Returns a pipeline like {@link #waiting}. One record passes through it after the first reading. */
    private Planted flowing(List<ConsumerLook> consumers, List<ProducerHandle.Snapshot> producers) {
        Planted planted = waiting(consumers, producers);
        assertThat(input.offer(1)).isEqualTo(new SourceQueue.Enqueued());
        return planted.fromTheStart();
    }

    @Test
    void brokersThatDoNotAnswer_areSourceBroker() {
        Instant since = Instant.parse("2026-11-22T10:00:00Z");
        try (Planted planted =
                waiting(StubLooks.consumer(0, 0, since, StubLooks.partition(0).lag(5)), StubLooks.noProducer())) {
            assertThat(planted.awaitLimiter(Kind.SOURCE_BROKER, READS).sentence())
                    .contains("2026-11-22T10:00:00Z");
        }
    }

    @Test
    void partitionWithoutALeader_isSourceBroker() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(4).paused(Paused.STARTING).trouble("no leader")),
                StubLooks.noProducer())) {
            assertThat(planted.awaitLimiter(Kind.SOURCE_BROKER, "orders-4").sentence())
                    .contains("no leader");
        }
    }

    @Test
    void partitionBehindAnOpenTransaction_isSourceBroker_thoughItsLagIsZero() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0),
                        StubLooks.partition(3).paused(Paused.OPEN_TRANSACTION).trouble("5 records wait")),
                StubLooks.noProducer())) {
            assertThat(planted.awaitLimiter(Kind.SOURCE_BROKER, "orders-3").sentence())
                    .isEqualTo("orders-3 is held up by an open transaction of another producer: 5 records wait");
        }
    }

    @Test
    void brokersThatHandOutNothing_areSourceBroker() {
        try (Planted planted = waiting(StubLooks.consumer(StubLooks.partition(0).lag(MANY)), StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.SOURCE_BROKER, READS);
        }
    }

    @Test
    void recordsThatWaitAtAllPartitions_areSourceFetch() {
        try (Planted planted = flowing(
                StubLooks.consumer(
                        StubLooks.partition(0).lag(MANY), StubLooks.partition(1).lag(MANY)),
                StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.SOURCE_FETCH, READS);
        }
    }

    @Test
    void recordsThatWaitAtOnePartitionOfTwo_areOnePartition() {
        try (Planted planted = flowing(
                StubLooks.consumer(
                        StubLooks.partition(0), StubLooks.partition(1).lag(MANY)),
                StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.ONE_PARTITION, "orders-1");
        }
    }

    @Test
    void emptyTopic_isSourceIdle() {
        try (Planted planted = waiting(StubLooks.consumer(StubLooks.partition(0)), StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.SOURCE_IDLE, READS);
        }
    }

    @Test
    void consumerPausedByAUser_isSourceIdle_andSaysSo() {
        try (Planted planted = waiting(
                StubLooks.consumer(StubLooks.partition(0).lag(MANY).paused(Paused.USER)), StubLooks.noProducer())) {
            assertThat(planted.awaitLimiter(Kind.SOURCE_IDLE, READS).sentence()).contains(Paused.USER.words());
        }
    }

    @Test
    void recordsThatArriveSlowly_areArrival() {
        try (Planted planted = flowing(StubLooks.consumer(StubLooks.partition(0)), StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.ARRIVAL, READS);
        }
    }

    @Test
    void fullWindows_areWindow() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).inFlight(10).lag(MANY).paused(Paused.WINDOW),
                        StubLooks.partition(1).inFlight(10).lag(MANY).paused(Paused.WINDOW)),
                StubLooks.noProducer())) {
            Limiter limiter = planted.awaitLimiter(Kind.WINDOW, READS);
            assertThat(limiter.advice()).isEqualTo("double maxOutstandingRecords");
            assertThat(limiter.expectedGain()).isEqualTo(2);
        }
    }

    @Test
    void spentBudget_isByteBudget() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).inFlight(3).lag(MANY).paused(Paused.BUDGET),
                        StubLooks.partition(1).inFlight(3).lag(MANY).paused(Paused.BUDGET)),
                StubLooks.noProducer())) {
            assertThat(planted.awaitLimiter(Kind.BYTE_BUDGET, READS).advice()).isEqualTo("double bufferBytes");
        }
    }

    @Test
    void recordsThatWaitForTheirCommit_areCommit() {
        try (Planted planted =
                waiting(StubLooks.consumer(StubLooks.partition(0).buffered(500).lag(MANY)), StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.COMMIT, READS);
        }
    }

    /** With at most once, the window is full of records that wait for their commit. */
    @Test
    void recordsThatWaitForTheirCommit_areCommit_thoughTheyFillTheWindows() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).buffered(500).lag(MANY).paused(Paused.WINDOW)),
                StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.COMMIT, READS);
        }
    }

    @Test
    void recordsReadToTheEnd_thatWaitForTheirCommit_areCommit() {
        try (Planted planted = waiting(
                StubLooks.consumer(StubLooks.partition(0).buffered(500).lag(500).paused(Paused.END)),
                StubLooks.noProducer())) {
            planted.awaitLimiter(Kind.COMMIT, READS);
        }
    }

    @Test
    void partitionThatAUserForgotToResume_isSourceIdle_andNamed() {
        try (Planted planted = flowing(
                StubLooks.consumer(
                        StubLooks.partition(0),
                        StubLooks.partition(1).buffered(500).lag(MANY).paused(Paused.USER)),
                StubLooks.noProducer())) {
            Limiter limiter = planted.awaitLimiter(Kind.SOURCE_IDLE, "orders-1");
            assertThat(limiter.advice()).isEqualTo("resume orders-1");
            assertThat(limiter.sentence()).startsWith("1,000,000 records wait in orders-1, paused by a user;");
        }
    }

    @Test
    void brokersThatAnswerLate_areOutputBroker() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).inFlight(100).lag(MANY).paused(Paused.WINDOW)),
                StubLooks.producer(100, 90, 0, 1, 400))) {
            planted.awaitLimiter(Kind.OUTPUT_BROKER, "out");
        }
    }

    @Test
    void recordsThatLinger_areProducer() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).inFlight(100).lag(MANY).paused(Paused.WINDOW)),
                StubLooks.producer(100, 90, 0, 500, 2))) {
            assertThat(planted.awaitLimiter(Kind.PRODUCER, "out").advice()).contains("linger.ms");
        }
    }

    /** The thread of {@code out} waits for a latch, as if in the client's send. */
    @Test
    void sendThatWaitsForRoom_isOutputBroker_ifTheBrokersAreSlow() {
        try (Planted planted = sending(StubLooks.producer(5000, 1, 0, 900, 300))) {
            planted.awaitLimiter(Kind.OUTPUT_BROKER, "out");
        }
    }

    @Test
    void sendThatWaitsForRoom_isProducer_ifTheBrokersAreQuick() {
        try (Planted planted = sending(StubLooks.producer(5000, 1, 0, 900, 2))) {
            assertThat(planted.awaitLimiter(Kind.PRODUCER, "out").advice()).contains("buffer.memory");
        }
    }

    /** Requests take as long as in a distant network. Larger batches need fewer of them. */
    @Test
    void sendThatWaitsForRoom_isProducer_ifBatchesWaitForSeveralAnswersInTheClient() {
        try (Planted planted = sending(StubLooks.producer(5000, 1, 0, 194, 22))) {
            assertThat(planted.awaitLimiter(Kind.PRODUCER, "out").advice()).contains("batch.size");
        }
    }

    @Test
    void sendThatWaitsForRoom_isOutputBroker_ifBatchesWaitAsLongForTheBrokers() {
        try (Planted planted = sending(StubLooks.producer(5000, 1, 0, 60, 22))) {
            planted.awaitLimiter(Kind.OUTPUT_BROKER, "out");
        }
    }

    /** If each request takes a tenth of a second, a batch waits for several responses, whatever its size. */
    @Test
    void sendThatWaitsForRoom_isOutputBroker_ifTheBrokersAreVerySlow() {
        try (Planted planted = sending(StubLooks.producer(5000, 1, 0, 9_000, 300))) {
            planted.awaitLimiter(Kind.OUTPUT_BROKER, "out");
        }
    }

    @Test
    void answersThatAreLate_areProducer_ifBatchesWaitInTheClient() {
        try (Planted planted = waiting(
                StubLooks.consumer(
                        StubLooks.partition(0).inFlight(100).lag(MANY).paused(Paused.WINDOW)),
                StubLooks.producer(100, 90, 0, 194, 22))) {
            assertThat(planted.awaitLimiter(Kind.PRODUCER, "out").advice()).contains("linger.ms", "batch.size");
        }
    }

    private Planted sending(List<ProducerHandle.Snapshot> producers) {
        return new Planted(
                        Source.range(0, MANY)
                                .to(Sink.<Integer>forEach(n -> awaitRelease()).named("out"))
                                .run(),
                        release)
                .with(StubLooks.consumer(StubLooks.partition(0).inFlight(5000).lag(MANY)), producers);
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
