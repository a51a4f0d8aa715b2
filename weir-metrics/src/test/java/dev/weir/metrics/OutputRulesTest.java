package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests from where on a producer, or the brokers that it writes to, are the limiter. */
class OutputRulesTest {

    private static final double NONE = Double.NaN;

    private final Scene scene = new Scene();

    private static ProducerHandle.Snapshot producer(
            String stage, long unanswered, double free, double blockedSeconds, double queue, double request) {
        return ProducerHandle.Snapshot.of(
                stage, unanswered, 100, free, Math.round(blockedSeconds * Scene.SECOND), queue, request);
    }

    private static @Nullable Kind kind(@Nullable Limiter limiter) {
        return limiter == null ? null : limiter.kind();
    }

    // ---- Room in the producer's buffer -----------------------------------------------------------------------------

    private @Nullable Limiter blocked(double works, boolean waits, double free, double blocked, double request) {
        Scene each = new Scene();
        each.fused("consume", 0.1, false);
        each.fused("out", works, waits);
        each.producers = look -> List.of(producer("out", 5, free, 3 + look * blocked, 1, request));
        return OutputRules.blocked(each.interval());
    }

    /** The stage out works for a fraction of the time, computing or waiting. Of 100 bytes, some are free. */
    @ParameterizedTest
    @CsvSource({
        "0.1, true, 90, 0.5, true", // it waited for half of the time
        "0.1, true, 90, 0.499, false",
        "0.7, true, 9.9, 0, true", // the buffer is full, and the stage waits
        "0.69, true, 9.9, 0, false",
        "0.7, true, 10, 0, false"
    })
    void stageThatWaitsForRoom_isTheLimiter(double works, boolean waits, double free, double blocked, boolean found) {
        Limiter limiter = blocked(works, waits, free, blocked, 5);
        assertThat(kind(limiter)).isEqualTo(found ? Kind.PRODUCER : null);
        if (limiter != null) {
            String percent = blocked >= 0.5 ? "50 %" : "70 %";
            assertThat(limiter.sentence())
                    .startsWith("the producer of out waits for room in its buffer " + percent + " of the time; batches"
                            + " wait 1.0 ms in the client and 5.0 ms for the brokers");
            assertThat(limiter.expectedGain()).as("the next limit is consume").isCloseTo(10, within(0.01));
        }
    }

    @Test
    void stageThatComputesInSend_isTheLimiter() {
        Limiter limiter = blocked(0.7, false, 5, 0, 5);
        assertThat(kind(limiter)).isEqualTo(Kind.PRODUCER);
        assertThat(limiter)
                .satisfies(
                        each -> assertThat(each.sentence()).startsWith("the thread of out is busy handing records to"));
        assertThat(blocked(0.69, false, 5, 0, 5)).isNull();
        assertThat(blocked(0.7, true, 50, 0, 5)).isNull();

        scene.fused("consume", 0.1, false);
        scene.fused("out", 0.9, false);
        scene.producers = look -> List.of(producer("out", 5, 50, 0, 1, 5));
        assertThat(kind(OutputRules.blocked(scene.interval()))).isEqualTo(Kind.PRODUCER);
        assertThat(OutputRules.blocked(scene.machine(0.1, 0.95).interval()))
                .as("the machine is full, and the process has less than it needs")
                .isNull();
    }

    /** The thread is busy with another stage that is fused with the sending one. */
    @Test
    void stageFusedWithABusyOne_isNotTheLimiter() {
        scene.stage("map", 1)
                .busy(0.8)
                .idle(0.1, 0)
                .activity(look -> Activity.of("map", "t", Scene.VIRTUAL, 1, 0, 0, 0, "", 0));
        scene.stage("out", 1)
                .busy(0.1)
                .idle(0.1, 0)
                .activity(look -> Activity.of("out", "t", Scene.VIRTUAL, 1, 0, 0, 0, "", 0));
        scene.producers = look -> List.of(producer("out", 5, 50, 0, 1, 5));
        assertThat(OutputRules.blocked(scene.interval())).isNull();
    }

    /** The brokers' part decides between the client and the brokers. */
    @ParameterizedTest
    @CsvSource({
        "0, 19.9, PRODUCER",
        "0, 20, OUTPUT_BROKER",
        "80, 20, PRODUCER", // four request times in the client
        "79, 20, OUTPUT_BROKER",
        "399, 99.9, OUTPUT_BROKER",
        "400, 99.9, PRODUCER",
        "900, 100, OUTPUT_BROKER", // no client explains such a request
        "0, NaN, OUTPUT_BROKER" // no response yet
    })
    void slowBrokers_areTheLimiter(double queue, double request, Kind expected) {
        scene.fused("out", 0.9, true);
        scene.producers = look -> List.of(producer("out", 5, 5, look * 0.9, queue, request));
        Limiter limiter = OutputRules.blocked(scene.interval());
        assertThat(kind(limiter)).isEqualTo(expected);
        assertThat(limiter)
                .satisfies(each ->
                        assertThat(each.sentence().contains("; batches wait ")).isEqualTo(!Double.isNaN(request)));
    }

    @Test
    void throttledProducer_isOutputBroker_fromTwoPercentOn() {
        scene.fused("out", 0.9, true);
        for (double share : new double[] {0.0199, 0.02, 0.5, 1.5}) {
            scene.producers = look -> List.of(producer("out", 5, 5, look * 0.9, 1, 5)
                    .withThrottledNanos(7 + Math.round(look * share * Scene.SECOND)));
            Limiter limiter = OutputRules.blocked(scene.interval());
            assertThat(kind(limiter)).isEqualTo(share < 0.02 ? Kind.PRODUCER : Kind.OUTPUT_BROKER);
            if (share >= 0.02) {
                assertThat(limiter)
                        .satisfies(each -> assertThat(each.sentence())
                                .endsWith("throttle it " + Words.percent(Math.min(1, share)) + " of the time"));
            }
        }
    }

    /** The second of two producers is the limiter. A producer without a stage of the pipeline is none. */
    @Test
    void everyProducerOfBothReadings_isLookedAt() {
        scene.fused("first", 0.1, false);
        scene.fused("second", 0.1, false);
        ProducerHandle.Snapshot elsewhere = producer("elsewhere", 0, 0, 0, 1, 5);
        ProducerHandle.Snapshot first = producer("first", 0, 90, 0, 1, 5);
        scene.producers = look -> List.of(elsewhere, first, producer("second", 0, 90, look * 0.9, 1, 5));
        assertThat(OutputRules.blocked(scene.interval()))
                .satisfies(each -> assertThat(each.name()).isEqualTo("second"));
        scene.producers = look -> look == 0
                ? List.of(elsewhere, first)
                : List.of(elsewhere, first, producer("second", 0, 90, look * 0.9, 1, 5));
        assertThat(OutputRules.blocked(scene.interval()))
                .as("the second has just begun")
                .isNull();
        scene.producers = look -> look == 0 ? List.of(first, producer("second", 0, 90, 0, 1, 5)) : List.of(first);
        assertThat(OutputRules.blocked(scene.interval()))
                .as("the second has ended")
                .isNull();
    }

    // ---- Answers ---------------------------------------------------------------------------------------------------

    /** The stage out sends 1,000 records a second. Some are without an answer, and others are elsewhere in flight. */
    private @Nullable Limiter answers(long unanswered, int inFlight, double queue, double request, double throttled) {
        Scene each = new Scene();
        each.fused("consume", 0.1, false);
        each.fused("out", 0.5, true);
        each.consumers = look ->
                StubLooks.consumer(StubLooks.partition(0).inFlight(inFlight).lag(600_000));
        each.producers = look -> List.of(producer("out", unanswered, 90, 0, queue, request)
                .withThrottledNanos(Math.round(look * throttled * Scene.SECOND)));
        return OutputRules.answers(each.interval());
    }

    @Test
    void records_waitLongForTheirAnswer_from50MillisOn_ifHalfOfAllInFlightDo() {
        Limiter limiter = answers(50, 100, 1, 50, 0);
        assertThat(kind(limiter)).isEqualTo(Kind.OUTPUT_BROKER);
        assertThat(limiter).satisfies(each -> {
            assertThat(each.sentence()).startsWith("50 records sent by out wait for their answer, each 50 ms");
            assertThat(each.expectedGain()).as("consume is next").isCloseTo(10, within(0.01));
        });
        assertThat(answers(49, 60, 1, 50, 0)).as("49 ms").isNull();
        assertThat(answers(50, 101, 1, 50, 0)).as("less than half").isNull();
        assertThat(answers(0, 0, 1, 50, 0)).isNull();
    }

    @Test
    void throttledProducer_isOutputBroker_thoughFewRecordsWait() {
        assertThat(kind(answers(1, 900, 1, 5, 0.5))).isEqualTo(Kind.OUTPUT_BROKER);
        assertThat(answers(1, 900, 1, 5, 0.499)).isNull();
        assertThat(answers(0, 900, 1, 5, 0.9)).as("nothing waits").isNull();
    }

    /** The larger part of the wait decides. On slow brokers, both may. */
    @ParameterizedTest
    @CsvSource({
        "30, 10, PRODUCER, SURE", // mostly in the client
        "10, 10, OUTPUT_BROKER, SURE",
        "10, 19, OUTPUT_BROKER, SURE",
        "50, 30, PRODUCER, CANDIDATES", // in the client, and the brokers are slow
        "120, 30, PRODUCER, SURE", // four request times in the client
        "150, 100, OUTPUT_BROKER, SURE" // very slow
    })
    void waitInTheClient_isProducer(double queue, double request, Kind expected, Confidence confidence) {
        Limiter limiter = answers(500, 500, queue, request, 0);
        assertThat(kind(limiter)).isEqualTo(expected);
        assertThat(limiter).satisfies(each -> assertThat(each.confidence()).isEqualTo(confidence));
    }

    @Test
    void recordsWithoutAnyAnswer_waitLong() {
        scene.fused("consume", 0.1, false);
        scene.fused("out", 0.5, true).moves(0, 0);
        scene.consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(9).lag(60_000));
        scene.producers = look -> List.of(producer("out", 9, 90, 0, 1, NONE));
        assertThat(OutputRules.answers(scene.interval())).satisfies(each -> {
            assertThat(each.sentence()).isEqualTo("9.0 records sent by out wait for their answer, and none arrived");
            assertThat(each.kind()).isEqualTo(Kind.OUTPUT_BROKER);
        });
    }

    /** Records that keep up, however long each takes, are no limit. Without records in flight, nothing is known. */
    @Test
    void pipelineThatKeepsUp_doesNotWaitForAnswers() {
        Scene.Stage consume = scene.fused("consume", 0.1, false);
        Scene.Stage out = scene.fused("out", 0.5, true);
        scene.producers = look -> List.of(producer("out", 500, 90, 0, 1, 300));
        scene.consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(500).lag(600));
        assertThat(OutputRules.answers(scene.interval())).isNull();
        scene.consumers = look -> StubLooks.consumer(StubLooks.partition(0));
        assertThat(kind(OutputRules.answers(scene.interval())))
                .as("a pipeline without a consumer")
                .isEqualTo(Kind.OUTPUT_BROKER);
        scene.consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(500).lag(500));
        assertThat(OutputRules.answers(scene.interval())).isNull();
        consume.moves(0, 0);
        out.moves(0, 0);
        assertThat(kind(OutputRules.answers(scene.interval())))
                .as("nothing moves")
                .isEqualTo(Kind.OUTPUT_BROKER);
    }

    /** The mean counts the readings with records: three of six. */
    @Test
    void answers_areCountedWhileThereAreRecords() {
        scene.looks(6, 2);
        scene.fused("consume", 0.1, false);
        scene.fused("out", 0.5, true);
        scene.consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(look < 2 ? 0 : 300).lag(60_000));
        scene.producers = look -> look == 3 ? List.of() : List.of(producer("out", look < 2 ? 0 : 300, 90, 0, 1, 300));
        assertThat(OutputRules.answers(scene.interval()))
                .satisfies(each -> assertThat(each.sentence())
                        .startsWith("300 records sent by out wait for their answer, each 600 ms"));
    }
}
