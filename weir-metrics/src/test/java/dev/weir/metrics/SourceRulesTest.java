package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.metrics.StubLooks.Partition;
import dev.weir.stream.StageSnapshot.Activity;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests from where on the source or its brokers are the limiter. The source emits 1,000 records a second. */
class SourceRulesTest {

    private static final Partition P0 = StubLooks.partition(0);
    private static final Partition P1 = StubLooks.partition(1);

    private final Scene scene = new Scene();

    private static Limiter some(@Nullable Limiter limiter) {
        return Objects.requireNonNull(limiter);
    }

    private static @Nullable Kind kind(@Nullable Limiter limiter) {
        return limiter == null ? null : limiter.kind();
    }

    /** Adds a source that waits for input for a part of the time. */
    private Scene.Stage source(double starved) {
        return scene.stage("consume", 1).idle(starved, 0);
    }

    private void consumer(Partition... partitions) {
        scene.consumers = look -> StubLooks.consumer(partitions);
    }

    // ---- Brokers that give no answer -------------------------------------------------------------------------------

    @Test
    void silentBrokers_andUnknownStarts_areTheLimiter() {
        source(1);
        scene.consumers = look -> StubLooks.consumer(0, 0, Instant.EPOCH, P0);
        assertThat(some(SourceRules.noBroker(scene.interval())).name()).isEqualTo("[orders]");
        consumer(P0, P1.paused(Paused.STARTING).trouble("no leader"));
        Limiter limiter = some(SourceRules.noBroker(scene.interval()));
        assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_BROKER);
        assertThat(limiter.sentence()).isEqualTo("no broker can say where orders-1 starts: no leader");
        consumer(P0.paused(Paused.STARTING), P1.trouble("no leader"));
        assertThat(SourceRules.noBroker(scene.interval())).isNull();
    }

    // ---- Partitions that may not be read ---------------------------------------------------------------------------

    @Test
    void partitionsThatMayNotBeRead_areTheLimiter_ifAllAreForHalfOfTheReadings() {
        scene.looks(10, 1);
        source(1);
        for (Paused reason : List.of(Paused.USER, Paused.NOT_DUE, Paused.UNREAD, Paused.END)) {
            scene.consumers = look -> StubLooks.consumer(P0.paused(look < 5 ? Paused.WINDOW : reason));
            Limiter limiter = some(SourceRules.held(scene.interval()));
            assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_IDLE);
            assertThat(limiter.sentence()).isEqualTo("no partition may be read: " + reason.words());
            assertThat(limiter.lever()).isEqualTo(reason == Paused.USER ? Lever.resume("the consumer") : Lever.none());
            scene.consumers = look -> StubLooks.consumer(P0.paused(look < 6 ? Paused.WINDOW : reason));
            assertThat(SourceRules.held(scene.interval())).isNull();
            consumer(P0.paused(reason), P1);
            assertThat(SourceRules.held(scene.interval())).isNull();
        }
        scene.consumers = look -> look < 6 ? StubLooks.unassigned(1) : StubLooks.consumer(P0.paused(Paused.USER));
        assertThat(SourceRules.held(scene.interval()))
                .as("not assigned in most readings")
                .isNull();
        consumer(P0.paused(Paused.WINDOW, Paused.NOT_DUE, Paused.END));
        assertThat(some(SourceRules.held(scene.interval())).sentence()).endsWith(Paused.NOT_DUE.words());
    }

    /** Records that were read before the end are still to be finished. */
    @Test
    void partitionAtItsEnd_isIdleOnceItsRecordsAreFinished() {
        source(1);
        consumer(P0.paused(Paused.END).buffered(1));
        assertThat(SourceRules.held(scene.interval())).isNull();
        consumer(P0.paused(Paused.END).inFlight(1));
        assertThat(SourceRules.held(scene.interval())).isNull();
        consumer(P0.paused(Paused.END).inFlight(1).buffered(1));
        assertThat(SourceRules.held(scene.interval())).isNull();
        consumer(P0.paused(Paused.USER).inFlight(1).buffered(1));
        assertThat(SourceRules.held(scene.interval())).isNotNull();
    }

    @Test
    void forgottenPartitions_areNamed_ifTheOthersKeepUp() {
        source(0.4);
        Partition forgotten = P0.lag(7).paused(Paused.USER);
        consumer(forgotten, P1);
        Limiter limiter = some(SourceRules.held(scene.interval()));
        assertThat(limiter.name()).isEqualTo("orders-0");
        assertThat(limiter.sentence()).startsWith("7 records wait in orders-0, paused by a user; those of");
        assertThat(limiter.lever()).isEqualTo(Lever.resume("orders-0"));

        consumer(
                forgotten,
                P1,
                StubLooks.partition(2).lag(5).paused(Paused.USER),
                P1.paused(Paused.NOT_DUE).lag(9));
        limiter = some(SourceRules.held(scene.interval()));
        assertThat(limiter.name()).isEqualTo("[orders]");
        assertThat(limiter.sentence()).startsWith("12 records wait in orders-0 and 1 more, ");

        consumer(P0.lag(0).paused(Paused.USER), P1);
        assertThat(SourceRules.held(scene.interval())).as("nothing waits").isNull();
        consumer(forgotten, P1.lag(9_000));
        assertThat(SourceRules.held(scene.interval())).as("others wait, too").isNull();
        Scene busy = new Scene();
        busy.stage("consume", 1).idle(0.39, 0);
        busy.consumers = look -> StubLooks.consumer(forgotten, P1);
        assertThat(SourceRules.held(busy.interval())).as("it has input").isNull();
    }

    @Test
    void openTransaction_isNamed_ifTheOtherPartitionsKeepUp() {
        Scene.Stage source = source(0.4);
        Partition blocked = P1.paused(Paused.OPEN_TRANSACTION).trouble("producer 5");
        consumer(P0, blocked);
        Limiter limiter = some(SourceRules.openTransaction(scene.interval()));
        assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_BROKER);
        assertThat(limiter.sentence())
                .isEqualTo("orders-1 is held up by an open transaction of another producer: producer 5");
        consumer(P0.lag(9_000), blocked);
        assertThat(SourceRules.openTransaction(scene.interval())).isNull();
        consumer(P0, P1.paused(Paused.WINDOW));
        assertThat(SourceRules.openTransaction(scene.interval())).isNull();
        source.idle(0.39, 0);
        consumer(P0, blocked);
        assertThat(SourceRules.openTransaction(scene.interval())).isNull();
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    private @Nullable Limiter commits(long succeeded, long failed) {
        scene.consumers = look -> StubLooks.consumer(5 + look * succeeded, 7 + look * failed, null, P0);
        return SourceRules.commit(scene.interval());
    }

    @Test
    void failedCommits_areTheLimiter_ifNoneSucceeds() {
        source(0);
        Limiter limiter = some(commits(0, 1));
        assertThat(limiter.kind()).isEqualTo(Kind.COMMIT);
        assertThat(limiter.sentence()).isEqualTo("1 commits failed and none succeeded");
        assertThat(limiter.advice()).startsWith("look at the log");
        assertThat(limiter.expectedGain()).isEqualTo(1);
        assertThat(commits(1, 9)).isNull();
        assertThat(commits(0, 0)).isNull();
        scene.consumers = look -> look == 0 ? List.of() : StubLooks.consumer(0, 9, null, P0);
        assertThat(SourceRules.commit(scene.interval()))
                .as("a consumer that has just begun")
                .isNull();
    }

    /** Waits for a commit in some of ten readings, and at the last. */
    private @Nullable Limiter waits(double starved, int ofTen, Partition waiting) {
        Scene each = new Scene().looks(10, 1);
        each.stage("consume", 1).idle(starved, 0);
        each.consumers =
                look -> StubLooks.consumer(3 + look, 0, null, look >= 10 - ofTen ? waiting : waiting.inFlight(1));
        return SourceRules.commit(each.interval());
    }

    @Test
    void recordsThatWaitForTheirCommit_areCommit_fromHalfOfTheTimeOn() {
        Partition waiting = P0.buffered(500).lag(60_000);
        Limiter limiter = some(waits(0.4, 5, waiting));
        assertThat(limiter.sentence())
                .isEqualTo("500 fetched records wait for the commit before they go out, 9 commits finished");
        assertThat(limiter.advice()).isEqualTo("commit more records at once");
        assertThat(limiter.expectedGain()).isCloseTo(7, within(0.01));
        assertThat(waits(0.4, 4, waiting)).isNull();
        assertThat(waits(0.39, 10, waiting)).isNull();
        assertThat(waits(1, 10, P0.lag(60_000))).as("nothing is fetched").isNull();
        assertThat(waits(1, 10, P0.buffered(1_000).lag(1_000)))
                .as("a tenth more than arrives can be sustained")
                .isNotNull();
        assertThat(waits(1, 10, P0.buffered(999).lag(999))).isNull();
    }

    /** The last reading shows that records are in flight, so they no longer wait. */
    @Test
    void commitsThatHaveEnded_areNotTheLimiter() {
        scene.looks(10, 1);
        source(1);
        Partition waiting = P0.buffered(500).lag(60_000);
        scene.consumers = look -> StubLooks.consumer(look < 9 ? waiting : waiting.inFlight(1));
        assertThat(SourceRules.commit(scene.interval())).isNull();
        scene.consumers = look -> StubLooks.consumer(waiting, P1.inFlight(1));
        assertThat(SourceRules.commit(scene.interval())).isNull();
    }

    /** Five readings are enough to know, or all of them if there are fewer, but at least two. */
    @ParameterizedTest
    @CsvSource({"11, 5, true", "11, 4, false", "3, 3, true", "3, 2, false", "2, 2, true", "2, 1, false"})
    void commits_areJudgedByEnoughReadingsAfterTheStart(int looks, int known, boolean found) {
        scene.looks(looks, 1);
        source(1);
        Partition waiting = P0.buffered(500).lag(60_000);
        scene.consumers = look -> look < looks - known ? StubLooks.unassigned(0) : StubLooks.consumer(waiting);
        assertThat(kind(SourceRules.commit(scene.interval()))).isEqualTo(found ? Kind.COMMIT : null);
        scene.consumers =
                look -> StubLooks.consumer(look < looks - known ? P0.lag(-1).paused(Paused.STARTING) : waiting);
        assertThat(kind(SourceRules.commit(scene.interval()))).isEqualTo(found ? Kind.COMMIT : null);
    }

    /** The source had nothing to read in six of eleven readings. That is not a wait for commits. */
    @Test
    void readingsWithoutRecords_areNoWaitForCommits() {
        scene.looks(11, 1);
        source(1);
        scene.consumers =
                look -> StubLooks.consumer(look < 6 ? P0 : P0.buffered(5_000).lag(60_000));
        assertThat(SourceRules.commit(scene.interval())).isNull();
    }

    /** Fetched records waited for their commit at the end of the input. Later, nothing is left. */
    @Test
    void waitForCommits_isJudgedByTheReadingsBeforeAllWasFinished() {
        scene.looks(11, 1);
        source(1);
        scene.consumers = look ->
                StubLooks.consumer(look < 5 ? P0.buffered(5_000).lag(5_000).paused(Paused.END) : P0.paused(Paused.END));
        assertThat(kind(SourceRules.commit(scene.interval()))).isEqualTo(Kind.COMMIT);
    }

    // ---- Decoding --------------------------------------------------------------------------------------------------

    private @Nullable Limiter decodes(double seconds, double share, int threads, Partition partition) {
        scene.looks(2, seconds);
        scene.consumers = look ->
                StubLooks.decoding(5 + Math.round(look * share * seconds * threads * Scene.SECOND), threads, partition);
        return SourceRules.decode(scene.interval());
    }

    @Test
    void decoder_isTheLimiterFromSeventyPercentOfItsThreadsOn() {
        Scene.Stage source = source(0.4);
        Partition behind = P0.lag(600_000);
        assertThat(some(decodes(1, 0.7, 1, behind)).sentence())
                .isEqualTo("the decoder of [orders] takes 70 % of the time of the thread that fetches, and the pipeline"
                        + " waits for what it makes");
        assertThat(some(decodes(1, 1.3, 3, behind)).sentence())
                .contains("takes 100 % of the time of the 3 threads that fetch");
        assertThat(decodes(1, 0.699, 1, behind)).isNull();
        assertThat(decodes(1, 0.699, 3, behind)).isNull();
        assertThat(decodes(0.3, 0.9, 1, behind)).isNotNull();
        assertThat(decodes(0.299, 0.9, 1, behind)).as("too short").isNull();
        assertThat(decodes(1, 0.9, 1, P0.lag(1))).as("it keeps up").isNull();
        assertThat(decodes(1, 0.9, 1, P0)).as("nothing waits").isNull();
        assertThat(decodes(1, 0.9, 1, P0.lag(-1))).as("the lag is unknown").isNotNull();
        source.moves(0, 0);
        assertThat(decodes(1, 0.9, 1, P0.lag(0))).as("nothing is emitted yet").isNotNull();
        source.idle(0.39, 0);
        assertThat(decodes(1, 0.9, 1, behind)).as("the pipeline has input").isNull();
    }

    /** The time before the first decoded record does not count. */
    @Test
    void decoding_isMeasuredSinceTheFirstRecord() {
        scene.looks(11, 1);
        source(1);
        scene.consumers = look -> look < 5
                ? StubLooks.decoding(0, 1, P0.lag(600_000))
                : StubLooks.decoding(1 + (look - 5) * 75_000_000L, 1, P0.lag(600_000));
        assertThat(some(SourceRules.decode(scene.interval())).sentence()).contains("takes 75 %");
        scene.consumers = look -> StubLooks.decoding(0, 1, P0.lag(600_000));
        assertThat(SourceRules.decode(scene.interval())).isNull();
    }

    // ---- Arrival ---------------------------------------------------------------------------------------------------

    @Test
    void pipelineThatKeepsUp_isLimitedByArrival() {
        Scene.Stage source = source(0.4);
        consumer(P0.lag(5));
        assertThat(some(SourceRules.arrival(scene.interval())).sentence())
                .isEqualTo("the pipeline keeps up: 1,000 records a second arrive, and consume waits for more 40 % of"
                        + " the time");
        consumer(P0.lag(9_000));
        assertThat(SourceRules.arrival(scene.interval())).isNull();
        consumer(P0.lag(5));
        source.idle(0.39, 0);
        assertThat(SourceRules.arrival(scene.interval())).isNull();
        assertThat(SourceRules.arrival(new Scene().interval())).isNull();
    }

    @Test
    void pipelineWithoutRecords_isIdle_orWaitsForWhatIsInFlight() {
        source(1).moves(0, 0);
        consumer(P0);
        assertThat(some(SourceRules.arrival(scene.interval())).sentence())
                .isEqualTo("no records arrive, and none wait");
        consumer(P0.inFlight(1).lag(1));
        assertThat(some(SourceRules.arrival(scene.interval())).sentence())
                .isEqualTo("1 record is in consume and none has left it");
        consumer(P0.inFlight(2).lag(2));
        assertThat(some(SourceRules.arrival(scene.interval())).sentence())
                .isEqualTo("2 records are in consume and none has left it");
        scene.stage("price", 1).moves(1, 1);
        assertThat(SourceRules.arrival(scene.interval())).as("they move").isNull();
        consumer(P0.lag(-1), P1.lag(-1));
        assertThat(kind(SourceRules.arrival(scene.interval()))).isEqualTo(Kind.MEASURING);
        consumer(P0.lag(-1), P1.lag(0));
        assertThat(kind(SourceRules.arrival(scene.interval()))).isEqualTo(Kind.SOURCE_IDLE);
        scene.consumers = look -> List.of();
        assertThat(some(SourceRules.arrival(scene.interval())).name())
                .as("a source without a consumer")
                .isEqualTo("consume");
    }

    @Test
    void consumerWithoutPartitions_joins_hasNone_orHasJustGivenThemUp() {
        scene.looks(10, 1);
        source(1).moves(0, 0);
        scene.consumers = look -> StubLooks.unassigned(0);
        assertThat(some(SourceRules.arrival(scene.interval())).sentence()).startsWith("no partition is assigned yet");
        scene.consumers = look -> StubLooks.unassigned(1);
        assertThat(some(SourceRules.arrival(scene.interval())).sentence()).isEqualTo("no partition is assigned");
        scene.consumers = look -> List.of(
                StubLooks.unassigned(0).getFirst(), StubLooks.unassigned(1).getFirst());
        assertThat(some(SourceRules.arrival(scene.interval())).sentence()).isEqualTo("no partition is assigned");
        for (int known : new int[] {4, 5}) {
            scene.consumers = look -> look < known ? StubLooks.consumer(P0) : StubLooks.unassigned(1);
            assertThat(kind(SourceRules.arrival(scene.interval())))
                    .isEqualTo(known < 5 ? Kind.SOURCE_IDLE : Kind.MEASURING);
        }
    }

    /** Each stage has one more sign of a stuck record than the stage before. Stages of the engine come last. */
    @Test
    void stuckRecords_areInTheStageWithTheClearestSign() {
        List<UnaryOperator<Scene.Stage>> signs = List.of(
                stage -> stage,
                stage -> stage.earlier(1, 0, 0),
                stage -> stage.depth(look -> 3),
                stage -> stage.activity(look -> Scene.workers("s3", 1, 1, 0)),
                stage -> stage.activity(look ->
                        Activity.of("s4", "t", Scene.VIRTUAL, 0, 0, 0, 0, "", 0).withPass(true, false, false)));
        for (int last = 0; last < signs.size(); last++) {
            for (boolean reversed : new boolean[] {false, true}) {
                Scene each = new Scene();
                each.stage("again-2", 1)
                        .moves(0, 0)
                        .depth(look -> 99)
                        .activity(look -> Scene.workers("again-2", 9, 9, 0));
                for (int i = 0; i <= last; i++) {
                    int sign = reversed ? last - i : i;
                    var ignored =
                            signs.get(sign).apply(each.stage("s" + sign, 1).moves(0, 0));
                }
                each.consumers = look -> StubLooks.consumer(P0.inFlight(1_234));
                assertThat(SourceRules.stuck(each.interval()).name()).isEqualTo("s" + last);
                assertThat(SourceRules.stuck(each.interval()).sentence())
                        .isEqualTo("1,234 records are in s" + last + " and none has left it");
                if (last == 1 || last == 2) {
                    assertThat(SourceRules.stuck(each.past().interval()).sentence())
                            .isEqualTo("records were in s" + last + " for a long time, and no others arrived");
                }
            }
        }
    }

    // ---- Fetches ---------------------------------------------------------------------------------------------------

    @Test
    void recordsAtTheBrokers_areFetch_whileThePipelineHasNoInput() {
        Scene.Stage source = source(0.4);
        consumer(P0.lag(9_001).buffered(1), P1.lag(9_000));
        Limiter limiter = some(SourceRules.fetch(scene.interval()));
        assertThat(limiter.kind()).isEqualTo(Kind.SOURCE_FETCH);
        assertThat(limiter.sentence())
                .isEqualTo("18,000 records wait at the brokers and the pipeline takes 1,000 a second, all that arrive");
        assertThat(limiter.expectedGain()).isCloseTo(2.8, within(0.01));
        source.moves(0, 0);
        assertThat(some(SourceRules.fetch(scene.interval())).sentence())
                .isEqualTo("18,000 records wait at the brokers, which hand out none");
        source.moves(1000, 1000);
        consumer(P0.lag(1).buffered(1), P1);
        assertThat(SourceRules.fetch(scene.interval())).as("all are fetched").isNull();
        source.idle(0.39, 0);
        consumer(P0.lag(9_000));
        assertThat(SourceRules.fetch(scene.interval())).isNull();
    }

    /** Nine tenths of what waits are in one of the partitions. A single partition cannot be spread. */
    @Test
    void recordsOfOnePartition_areOnePartition() {
        source(1);
        consumer(P0.lag(9_000), P1.lag(90_000), StubLooks.partition(2).lag(1_000));
        Limiter limiter = some(SourceRules.fetch(scene.interval()));
        assertThat(limiter.kind()).isEqualTo(Kind.ONE_PARTITION);
        assertThat(limiter.name()).isEqualTo("orders-1");
        assertThat(limiter.expectedGain()).as("as many times as partitions").isEqualTo(3);
        consumer(P0.lag(9_001), P1.lag(90_000), StubLooks.partition(2).lag(1_000));
        assertThat(kind(SourceRules.fetch(scene.interval()))).isEqualTo(Kind.SOURCE_FETCH);
        consumer(P1.lag(90_000));
        assertThat(kind(SourceRules.fetch(scene.interval()))).isEqualTo(Kind.SOURCE_FETCH);
        consumer(P0, P1.lag(5_000), StubLooks.partition(2));
        assertThat(some(SourceRules.fetch(scene.interval())).expectedGain())
                .as("as long as the backlog lasts")
                .isCloseTo(1.5, within(0.01));
    }

    private static List<ConsumerLook> throttled(long millis, Partition... partitions) {
        return StubLooks.consumer(partitions).stream()
                .map(each -> ConsumerLook.of(
                        each.counters(),
                        each.dump().toBuilder()
                                .throttledNanos(millis * 1_000_000)
                                .build()))
                .toList();
    }

    @Test
    void throttledConsumer_isSourceBroker_fromTwoPercentOn() {
        scene.looks(2, 10);
        source(1);
        for (int millis : new int[] {199, 200, 5_000, 20_000}) {
            scene.consumers = look -> throttled(300L + (long) look * millis, P0.lag(90_000));
            Limiter limiter = some(SourceRules.fetch(scene.interval()));
            assertThat(limiter.kind()).isEqualTo(millis < 200 ? Kind.SOURCE_FETCH : Kind.SOURCE_BROKER);
            if (millis >= 200) {
                assertThat(limiter.sentence())
                        .endsWith("throttle the consumer " + Math.min(100, millis / 100) + " % of the time");
            }
        }
        IntFunction<List<ConsumerLook>> begun = look -> look == 0 ? List.of() : throttled(500, P0.lag(90_000));
        scene.consumers = begun;
        assertThat(kind(SourceRules.fetch(scene.interval())))
                .as("a consumer that has just begun")
                .isEqualTo(Kind.SOURCE_BROKER);
    }
}
