package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests findings from ten different readings in a second. */
class LimiterEvidenceTest {

    private static final long TENTH = 100_000_000;
    private static final int LOOKS = 11;
    private static final DispatcherSnapshot VIRTUAL =
            DispatcherSnapshot.of("virtual", Dispatcher.Kind.VIRTUAL, Integer.MAX_VALUE, 8, 8, 0, 0);

    private final List<IntFunction<Activity>> activities = new ArrayList<>();
    private final List<IntFunction<StageSnapshot>> stages = new ArrayList<>();
    private IntFunction<List<ConsumerLook>> consumers = look -> List.of();
    private IntFunction<List<ProducerHandle.Snapshot>> producers = look -> List.of();
    private double load = 0.1;

    /** Adds a stage with workers and 1000 elements per second. */
    private LimiterEvidenceTest workers(String name, int lanes, double busy, IntFunction<Activity> activity) {
        activities.add(activity);
        return stage(name, lanes, busy, 0, 0, look -> 0, 100);
    }

    private LimiterEvidenceTest segment(String name, double starved, double blocked, IntFunction<Integer> depth) {
        return segment(name, starved, blocked, depth, 100);
    }

    private LimiterEvidenceTest segment(
            String name, double starved, double blocked, IntFunction<Integer> depth, long elements) {
        activities.add(look -> activity(name, name, 0, 0, 0, 0, 0));
        return stage(name, 1, 0.02, starved, blocked, depth, elements);
    }

    private LimiterEvidenceTest stage(
            String name,
            int lanes,
            double busy,
            double starved,
            double blocked,
            IntFunction<Integer> depth,
            long elements) {
        stages.add(look -> StageSnapshot.of(
                name,
                lanes,
                elements * look,
                elements * look,
                (long) (busy * look * TENTH),
                (long) (starved * look * TENTH),
                (long) (blocked * look * TENTH),
                depth.apply(look),
                (look + 1) * TENTH));
        return this;
    }

    private static Activity activity(
            String name, @Nullable String thread, int atWork, int ready, int behindKeys, int chain, int io) {
        return Activity.of(name, thread, VIRTUAL, atWork, atWork, ready, behindKeys, "key", 0)
                .withWaits(0, io, 0)
                .withLongestChain(chain);
    }

    private static Activity atWork(String name, int threads, int ready) {
        return activity(name, null, threads, ready, 0, 0, 0);
    }

    private Limiter find() {
        List<PipelineLook> looks = new ArrayList<>();
        for (int look = 0; look < LOOKS; look++) {
            int at = look;
            looks.add(PipelineLook.of(
                    at * TENTH,
                    stages.stream().map(each -> each.apply(at)).toList(),
                    activities.stream().map(each -> each.apply(at)).toList(),
                    consumers.apply(at),
                    producers.apply(at),
                    MachineLook.of(8, 0.02 * at * TENTH, load, 0)));
        }
        return LimiterFinder.find(looks);
    }

    /** The window fills with seven records and empties again, several times. The last reading sees it empty. */
    @Test
    void smallWindow_isNamed_thoughItIsEmptyAtTheLastLook() {
        segment("consume", 0.95, 0, look -> 0);
        workers("price", 84, 20, look -> atWork("price", look % 3 == 1 ? 0 : 7, 0));
        consumers = look -> StubLooks.consumer(StubLooks.partition(0)
                .inFlight(look % 3 == 1 ? 0 : 7)
                .lag(60_000)
                .paused(Paused.WINDOW));
        assertThat(find().kind()).isEqualTo(Kind.WINDOW);
        assertThat(find().sentence()).doesNotContain("with 0 records");
    }

    /** The window is full in a third of the readings. */
    @Test
    void windowThatFillsAndEmptiesBetweenLooks_isNamed_whereStagesWait() {
        segment("consume", 0.9, 0, look -> 0);
        workers("price", 84, 20, look -> atWork("price", look % 3 == 0 ? 11 : 2, 0));
        consumers = look -> StubLooks.consumer(
                look % 3 == 0
                        ? StubLooks.partition(0).inFlight(11).lag(60_000).paused(Paused.WINDOW)
                        : StubLooks.partition(0).inFlight(2).lag(60_000));
        assertThat(find().kind()).isEqualTo(Kind.WINDOW);
    }

    /** The consumer is read when it wakes up, which is when its windows have space again. */
    @Test
    void windowThatHasRoomAtEveryLook_isNamed_byTheTimeThatItWasFull() {
        segment("consume", 0.9, 0, look -> 0);
        workers("price", 84, 20, look -> atWork("price", look % 3 == 0 ? 0 : 20, 0));
        consumers = look ->
                StubLooks.consumer(StubLooks.partition(0).lag(60_000).windowFull(Duration.ofMillis(80L * look)));
        assertThat(find().kind()).isEqualTo(Kind.WINDOW);
        assertThat(find().sentence()).contains("80 % of the time", "with 20 records");
        // The window was full for three minutes, long before these readings.
        consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).lag(60_000).windowFull(Duration.ofMinutes(3)));
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_FETCH);
    }

    /** The source has ended, and its records are still being processed. */
    @Test
    void drain_withRecordsInFlight_isNotIdle() {
        segment("consume", 0.95, 0, look -> 0);
        workers("price", 84, 20, look -> atWork("price", 7, 0));
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(7).lag(60_000).paused(Paused.WINDOW, Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.WINDOW);
    }

    /** All records were finished three tenths of a second ago. */
    @Test
    void drain_thatHasJustEnded_hasTheLimiterBeforeIt() {
        segment("consume", 0.95, 0, look -> 0);
        workers("price", 84, 20, look -> atWork("price", look < 8 ? 7 : 0, 0));
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).inFlight(7).lag(60_000).paused(Paused.WINDOW)
                        : StubLooks.partition(0).lag(60_000).paused(Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.WINDOW);
    }

    @Test
    void sourceThatWasReadToItsEnd_longAgo_isIdle() {
        segment("consume", 0.95, 0, look -> 0);
        consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).lag(60_000).paused(Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_IDLE);
    }

    /** Readings from before the first fetch must not count. */
    @Test
    void recordsThatWaitForTheirCommit_areCommit_fromTheStart() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 3
                        ? StubLooks.partition(0).lag(-1).paused(Paused.STARTING)
                        : StubLooks.partition(0).buffered(500).lag(60_000).paused(Paused.WINDOW));
        assertThat(find().kind()).isEqualTo(Kind.COMMIT);
    }

    /** Records leave as fast as they arrive. One at a time waits for its commit. */
    @Test
    void recordThatWaitsForItsCommit_whereNoMoreArrive_isNotCommit() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look ->
                StubLooks.consumer(StubLooks.partition(0).buffered(1).lag(1).paused(Paused.WINDOW));
        assertThat(find().kind()).isNotEqualTo(Kind.COMMIT);
    }

    /** Given at least once, and records that are fetched but not emitted: none waits for a commit. */
    @Test
    void recordsThatWereJustFetched_areNotCommit() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).lag(-1).paused(Paused.STARTING)
                        : StubLooks.partition(0).buffered(20_000).lag(60_000));
        assertThat(find().kind()).isNotEqualTo(Kind.COMMIT);
    }

    /** Only some records in flight are in the stage, whose workers have been busy for half a second. */
    @Test
    void fullWindow_whoseRecordsWaitForWorkers_isNotNamed_soonAfterTheStart() {
        segment("consume", 0.5, 0.4, look -> 0);
        workers("price", 15, 6, look -> look < 5 ? atWork("price", 0, 0) : atWork("price", 15, 800));
        consumers = look -> StubLooks.consumer(
                look < 5
                        ? StubLooks.partition(0).lag(60_000)
                        : StubLooks.partition(0).inFlight(1829).lag(60_000).paused(Paused.WINDOW));
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("price");
    }

    /** In half of the readings, records of other keys keep all workers busy. The hot key's chain stays as long. */
    @Test
    void hotKey_isNamed_thoughOtherKeysKeepTheWorkersBusyInBetween() {
        segment("consume", 0.05, 0.9, look -> 0);
        workers(
                "price",
                7,
                3.9,
                look -> look % 2 == 0
                        ? activity("price", null, 7, 300, 512, 511, 0)
                        : activity("price", null, 1, 0, 512, 512, 0));
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(600).lag(60_000).paused(Paused.WINDOW));
        assertThat(find().kind()).isEqualTo(Kind.KEY_SKEW);
        assertThat(find().name()).isEqualTo("price");
    }

    @Test
    void fullWindow_whoseRecordsWaitBehindTheirKeys_isNotNamed() {
        segment("consume", 0.05, 0.9, look -> 0);
        workers(
                "price",
                8,
                4,
                look -> look % 5 < 3 ? atWork("price", 6, 40) : activity("price", null, 1, 0, 2000, 2000, 0));
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(1000).lag(60_000).paused(Paused.WINDOW));
        assertThat(find().kind()).isEqualTo(Kind.KEY_SKEW);
    }

    /** Either may be the limiter: all workers are busy, and most waiting records have the same key. */
    @Test
    void fullStage_whoseQueueIsOfOneKey_hasBothCandidates() {
        segment("consume", 0, 0.95, look -> 0);
        workers("price", 10, 10, look -> activity("price", null, 10, 100, 400, 390, 0));
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.KEY_SKEW);
        assertThat(limiter.confidence()).isEqualTo(Confidence.CANDIDATES);
        assertThat(limiter.candidates()).extracting(Limiter::kind).containsExactly(Kind.STAGE_WAIT);
        assertThat(limiter.expectedGain()).isEqualTo(1);
    }

    /** The first records arrived midway. The time before must not count. */
    @Test
    void fullStage_whoseQueueIsOfOneKey_hasBothCandidates_soonAfterTheStart() {
        segment("consume", 0.5, 0.45, look -> 0);
        workers(
                "price",
                10,
                9,
                look -> look < 5
                        ? atWork("price", 0, 0)
                        : activity("price", null, 10, look < 7 ? 300 : 100, 400, look < 7 ? 90 : 390, 0));
        assertThat(find().kind()).isEqualTo(Kind.KEY_SKEW);
    }

    /** With at most once, the drain drops records that are not emitted. */
    @Test
    void commitThatLimited_isNamed_alsoWhenADrainHasJustEnded() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).buffered(500).lag(60_000).paused(Paused.WINDOW)
                        : StubLooks.partition(0).lag(60_000).paused(Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.COMMIT);
    }

    /** Twenty records arrive per second, each waiting for its commit. After the drain, nothing is left to read. */
    @Test
    void recordsThatWaitForTheirCommit_whereNoMoreArrive_areNotCommit_inADrain() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).buffered(look % 5 == 0 ? 0 : 1).lag(1)
                        : StubLooks.partition(0).lag(0).paused(Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.ARRIVAL);
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).buffered(1).lag(1)
                        : StubLooks.partition(0).buffered(1).lag(1).paused(Paused.END));
        assertThat(find().kind()).isNotEqualTo(Kind.COMMIT);
    }

    /** The input ends while the last records wait for their commit. */
    @Test
    void commitThatLimited_isNamed_inADrainThatGoesOn() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 8
                        ? StubLooks.partition(0).buffered(500).lag(60_000).paused(Paused.WINDOW)
                        : StubLooks.partition(0).buffered(500).lag(60_000).paused(Paused.WINDOW, Paused.END));
        assertThat(find().kind()).isEqualTo(Kind.COMMIT);
    }

    /** The decoder needs one millisecond for each of 1,000 records per second. */
    @Test
    void decoderOfViews_isNamed_whereItTakesAllTheTimeOfTheFetchThreads() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> decoding(look * TENTH * 9 / 10, 1);
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_DECODE);
        assertThat(limiter.name()).isEqualTo("consume");
        assertThat(limiter.sentence()).contains("90 % of the time of the thread that fetches");
        assertThat(limiter.advice()).contains("fetchThreads");
        // Four threads would be idle for more than three quarters of the time.
        consumers = look -> decoding(look * TENTH * 9 / 10, 4);
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_FETCH);
        consumers = look -> decoding(look * TENTH * 36 / 10, 4);
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_DECODE);
    }

    @Test
    void decoderOfViews_thatKeepsUp_isNotNamed() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.decoding(
                look * TENTH * 75 / 100, 1, StubLooks.partition(0).lag(5));
        assertThat(find().kind()).isEqualTo(Kind.ARRIVAL);
    }

    /** The decoder's first call is not finished, so nothing is emitted and the number of waiting records is unknown. */
    @Test
    void decoderOfViews_isNamed_beforeItsFirstRecordsAreThere() {
        segment("consume", 0.95, 0, look -> 0, 0);
        consumers = look -> StubLooks.decoding(
                look * TENTH, 1, StubLooks.partition(0).lag(-1).paused(Paused.STARTING));
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_DECODE);
    }

    private static List<ConsumerLook> decoding(long nanos, int threads) {
        return StubLooks.decoding(nanos, threads, StubLooks.partition(0).lag(60_000));
    }

    /** Nothing is fetched or decoded yet, so the number of waiting records is unknown. */
    @Test
    void sourceWhoseLagIsNotKnown_isMeasured_notIdle() {
        segment("consume", 0.95, 0, look -> 0, 0);
        consumers = look -> StubLooks.consumer(StubLooks.partition(0).lag(-1).paused(Paused.STARTING));
        assertThat(find().kind()).isEqualTo(Kind.MEASURING);
    }

    @Test
    void consumerThatHasJustGivenItsPartitionsUp_isNotSaidToHaveNone() {
        segment("consume", 0.95, 0, look -> 0, 0);
        consumers = look -> look < 8 ? StubLooks.consumer(StubLooks.partition(0).lag(0)) : StubLooks.unassigned(1);
        assertThat(find().kind()).isEqualTo(Kind.MEASURING);
    }

    /** In the first readings, nothing has been sent. */
    @Test
    void recordsThatWaitForTheirAnswer_areNamed_soonAfterTheStart() {
        segment("consume", 0.9, 0, look -> 0);
        segment("out", 0.9, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                look < 4
                        ? StubLooks.partition(0).lag(60_000)
                        : StubLooks.partition(0).inFlight(800).lag(60_000).paused(Paused.WINDOW));
        producers = look -> StubLooks.producer(look < 4 ? 0 : 700, 90, 0, 10, 300);
        assertThat(find().kind()).isEqualTo(Kind.OUTPUT_BROKER);
    }

    /** 3,000 elements arrive per second and 1,000 leave. More workers can triple the rate and work off the queue. */
    @Test
    void gain_isBoundByWhatArrivesInAQueue() {
        segment("in", 0, 0.95, look -> 200 * look);
        workers("price", 8, 8, look -> atWork("price", 8, 500));
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.expectedGain()).isCloseTo(3 + 2000 / 10.0 / 1000, within(0.01));
        assertThat(limiter.lever().to()).isEqualTo(26);
    }

    /** Writers may wait for the full queue, so the true rate of arrival is unknown. */
    @Test
    void gain_isNotBoundByAQueueThatIsFull() {
        segment("in", 0, 0.95, look -> 1000);
        workers("price", 8, 8, look -> atWork("price", 8, 500));
        assertThat(find().expectedGain()).isEqualTo(Interval.MOST_GAIN);
    }

    @Test
    void gain_isBoundByWhatArrivesAtTheBrokers_fetchedOrNot() {
        segment("consume", 0, 0.95, look -> 0);
        workers("price", 8, 8, look -> atWork("price", 8, 500));
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).buffered(100 * look).inFlight(500).lag(500 + 200 * look));
        assertThat(find().expectedGain()).isCloseTo(3.2, within(0.01));
    }

    /** The first stage's rate covers only one of two consumers. */
    @Test
    void gain_isNotBoundByWhatArrives_atOneOfTwoConsumers() {
        segment("consume", 0, 0.95, look -> 0);
        workers("price", 8, 8, look -> atWork("price", 8, 500));
        consumers = look -> List.of(
                StubLooks.consumer(StubLooks.partition(0).inFlight(250).lag(250))
                        .getFirst(),
                StubLooks.consumer(StubLooks.partition(1).inFlight(250).lag(2_000 - 150 * look))
                        .getFirst());
        assertThat(find().expectedGain()).isEqualTo(Interval.MOST_GAIN);
    }

    /** A backlog allows a higher rate, and this backlog lasts for minutes. */
    @Test
    void gain_isNotBoundByArrival_whereABacklogWaits() {
        segment("consume", 0, 0.95, look -> 0);
        workers("price", 8, 8, look -> atWork("price", 8, 500));
        consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(500).lag(2_000_000 - 100 * look));
        assertThat(find().expectedGain()).isEqualTo(Interval.MOST_GAIN);
    }

    /** The records that arrive keep all the stage's workers busy. */
    @Test
    void stageThatIsFullWithAllThatArrives_isNotPromisedMore() {
        segment("consume", 0, 0.95, look -> 0);
        workers("price", 8, 8, look -> atWork("price", 8, 50));
        consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(58).lag(58));
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.STAGE_WAIT);
        assertThat(limiter.expectedGain()).isEqualTo(1);
        assertThat(limiter.advice()).endsWith("no more than that arrives");
    }

    @Test
    void gainOfADispatcher_isBoundByWhatArrives() {
        DispatcherSnapshot jdbc = DispatcherSnapshot.of("jdbc", Dispatcher.Kind.FIXED, 2, 2, 2, 40, 0);
        segment("in", 0, 0.95, look -> 100 * look);
        workers("store", 8, 2, look -> Activity.of("store", null, jdbc, 2, 2, 100, 0, "", 0));
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.DISPATCHER);
        assertThat(limiter.expectedGain()).isCloseTo(2.1, within(0.01));
    }

    /** A call also needs processor time in the kernel and at the other end. */
    @Test
    void gainOfCallsOverTheNetwork_isModestOnAFullMachine() {
        segment("in", 0, 0.95, look -> 0);
        workers("fetch", 18, 18, look -> activity("fetch", null, 18, 500, 0, 0, 18));
        assertThat(find().expectedGain()).isEqualTo(Interval.MOST_GAIN);
        load = 1;
        assertThat(find().expectedGain()).isEqualTo(4);
    }

    /** A batch spends three quarters of its time in the client, and another 35 ms at the brokers. */
    @Test
    void batchesThatWaitLongerInTheClientThanForSlowBrokers_haveBothCandidates() {
        segment("consume", 0.9, 0, look -> 0);
        segment("out", 0.9, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(90).lag(60_000).paused(Paused.WINDOW));
        producers = look -> StubLooks.producer(87, 90, 0, 110, 35);
        Limiter limiter = find();
        assertThat(limiter.kind()).isEqualTo(Kind.PRODUCER);
        assertThat(limiter.candidates()).extracting(Limiter::kind).containsExactly(Kind.OUTPUT_BROKER);
        producers = look -> StubLooks.producer(87, 90, 0, 20, 35);
        assertThat(find().kind()).isEqualTo(Kind.OUTPUT_BROKER);
        assertThat(find().confidence()).isEqualTo(Confidence.SURE);
    }

    /** The brokers answer immediately but throttle the producer. Its average times blame the producer. */
    @Test
    void sendThatWaitsForRoom_isOutputBroker_whileTheBrokersThrottleIt() {
        segment("consume", 0, 0.95, look -> 0);
        segment("out", 0, 0, look -> 0);
        consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).inFlight(500).lag(60_000));
        producers = look -> StubLooks.producer(500, 1, look * TENTH, 43, 15);
        assertThat(find().kind()).isEqualTo(Kind.PRODUCER);
        // The producer was throttled once, before.
        producers = look -> throttled(StubLooks.producer(500, 1, look * TENTH, 43, 15), 50 * TENTH);
        assertThat(find().kind()).isEqualTo(Kind.PRODUCER);
        producers = look -> throttled(StubLooks.producer(500, 1, look * TENTH, 43, 15), look * TENTH * 8 / 10);
        assertThat(find().kind()).isEqualTo(Kind.OUTPUT_BROKER);
        assertThat(find().confidence()).isEqualTo(Confidence.SURE);
        assertThat(find().sentence()).contains("the brokers throttle it 80 % of the time");
        assertThat(find().advice()).contains("quota");
    }

    @Test
    void recordsThatWaitForTheirAnswer_areOutputBroker_whileTheBrokersThrottleTheirProducer() {
        segment("consume", 0.9, 0, look -> 0);
        segment("out", 0.9, 0, look -> 0);
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(90).lag(60_000).paused(Paused.WINDOW));
        producers = look -> StubLooks.producer(87, 90, 0, 110, 5);
        assertThat(find().kind()).isEqualTo(Kind.PRODUCER);
        producers = look -> throttled(StubLooks.producer(87, 90, 0, 110, 5), look * TENTH / 2);
        assertThat(find().kind()).isEqualTo(Kind.OUTPUT_BROKER);
        // Most records wait upstream, for space in the producer.
        consumers = look -> StubLooks.consumer(
                StubLooks.partition(0).inFlight(900).lag(60_000).paused(Paused.WINDOW));
        assertThat(find().kind()).isEqualTo(Kind.OUTPUT_BROKER);
        assertThat(find().confidence()).isEqualTo(Confidence.SURE);
    }

    @Test
    void recordsThatWaitAtTheBrokers_areSourceBroker_whileTheseThrottleTheConsumer() {
        segment("consume", 0.95, 0, look -> 0);
        consumers = look -> StubLooks.consumer(StubLooks.partition(0).lag(60_000)).stream()
                .map(each -> ConsumerLook.of(
                        each.counters(),
                        each.dump().toBuilder().throttledNanos(look * TENTH / 2).build()))
                .toList();
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_BROKER);
        assertThat(find().sentence()).contains("throttle the consumer 50 % of the time");
        assertThat(find().advice()).contains("quota");
    }

    private static List<ProducerHandle.Snapshot> throttled(List<ProducerHandle.Snapshot> producers, long nanos) {
        return producers.stream().map(each -> each.withThrottledNanos(nanos)).toList();
    }

    /** Regression: a producer was compared with one that had ended. */
    @Test
    void producerOfAnInnerStream_thatGoes_isNotMistakenForAnother() {
        segment("consume", 0.95, 0, look -> 0);
        segment("out", 0.95, 0, look -> 0);
        ProducerHandle.Snapshot inner = ProducerHandle.Snapshot.of("inner", 0, 100, 90, 0, 1, 1);
        ProducerHandle.Snapshot out = ProducerHandle.Snapshot.of("out", 1, 100, 90, LOOKS * TENTH, 1, 1);
        producers = look -> look < LOOKS / 2 ? List.of(inner, out) : List.of(out);
        assertThat(find().kind()).isNotIn(Kind.PRODUCER, Kind.OUTPUT_BROKER);
    }

    private static ConsumerLook reading(String topics, long failedCommits, long throttledNanos) {
        ConsumerLook look = StubLooks.consumer(
                        5, failedCommits, null, StubLooks.partition(0).lag(60_000))
                .getFirst();
        return ConsumerLook.of(
                look.counters(),
                look.dump().toBuilder()
                        .reads(topics)
                        .throttledNanos(throttledNanos)
                        .build());
    }

    /** Regression: a consumer was compared with one that had ended. */
    @Test
    void consumerOfAnInnerStream_thatGoes_isNotMistakenForAnother() {
        segment("consume", 0.95, 0, look -> 0);
        ConsumerLook inner = reading("[inner]", 0, 0);
        ConsumerLook failedOnce = reading("[orders]", 3, 0);
        consumers = look -> look < LOOKS / 2 ? List.of(inner, failedOnce) : List.of(failedOnce);
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_FETCH);
        ConsumerLook throttledOnce = reading("[orders]", 0, LOOKS * TENTH);
        consumers = look -> look < LOOKS / 2 ? List.of(inner, throttledOnce) : List.of(throttledOnce);
        assertThat(find().kind()).isEqualTo(Kind.SOURCE_FETCH);
    }
}
