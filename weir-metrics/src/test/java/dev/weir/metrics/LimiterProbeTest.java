package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.Limiter.Confidence;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LimiterProbeTest {

    private static final long SECOND = 1_000_000_000;
    private static final DispatcherSnapshot VIRTUAL =
            DispatcherSnapshot.of("virtual", Dispatcher.Kind.VIRTUAL, Integer.MAX_VALUE, 16, 16, 0, 0);

    @Test
    void runningPipeline_isLookedAt_untilItEnds() {
        CountDownLatch release = new CountDownLatch(1);
        RunningPipeline running = Source.range(0, 100_000)
                .mapBlocking(4, Ordering.unordered(), n -> {
                    release.await();
                    return n;
                })
                .named("price")
                .to(Sink.ignore())
                .named("probed")
                .run();
        try (LimiterProbe probe = LimiterProbe.start(running)) {
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(probe.limiter().name()).isEqualTo("price"));
            assertThat(probe.limiter().kind()).isEqualTo(Kind.STAGE_WAIT);
            assertThat(probe.overall()).isNotNull();
            release.countDown();
            running.close();
            assertThat(probe.limiter()).isNotNull();
        }
        await().atMost(Duration.ofSeconds(40)).until(LimiterProbeTest::lookers, count -> count == 0);
    }

    /** A long-running pipeline must not keep the readings of closed probes. */
    @Test
    void probe_thatIsClosed_isNotKeptByThePipeline() {
        StubPipeline pipeline = new StubPipeline("orders");
        WeakReference<LimiterProbe> closed = startedAndClosed(pipeline);
        for (int i = 0; i < 50 && closed.get() != null; i++) {
            System.gc();
        }
        assertThat(closed.get()).isNull();
        assertThat(pipeline.completion()).isNotDone();
    }

    @Test
    void look_thatFails_isFollowedByOthers() {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.broken = true;
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            pipeline.stages.add(StageSnapshot.of("price", 1, 120, 120, 0, 0, 0, 0, SECOND));
            pipeline.broken = false;
            await().atMost(Duration.ofSeconds(40))
                    .ignoreExceptions()
                    .untilAsserted(
                            () -> assertThat(probe.limiter().stage("price")).isNotNull());
        }
    }

    /** Regression: both methods threw until two readings had succeeded. */
    @Test
    void limiter_beforeAReadingSucceeds_saysThatThePipelineIsMeasured() {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.broken = true;
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            for (Limiter found : List.of(probe.limiter(), probe.overall())) {
                assertThat(found.kind()).isEqualTo(Kind.MEASURING);
                assertThat(found.sentence()).contains("less than a second");
            }
            pipeline.completion().completeExceptionally(new IllegalStateException("planted"));
            assertThat(probe.overall().sentence()).contains("the run failed before a limiter could be found");
        }
    }

    private static WeakReference<LimiterProbe> startedAndClosed(RunningPipeline pipeline) {
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            return new WeakReference<>(probe);
        }
    }

    private static long lookers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-limiter-probed"))
                .count();
    }

    /** Regression: the finding for a run that failed early named its output broker with full confidence. */
    @Test
    void overall_ofARunThatFailedEarly_namesNothing() {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.stages.add(StageSnapshot.of("consume", 1, 120, 120, 0, 0, 0, 0, SECOND));
        pipeline.stages.add(StageSnapshot.of("out", 1, 120, 0, 0, 0, 0, 120, SECOND));
        pipeline.handles.add(new StubProducer());
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(probe.overall().kind()).isEqualTo(Kind.OUTPUT_BROKER));
            pipeline.completion().completeExceptionally(new IllegalStateException("fenced"));
            assertThat(probe.overall()).satisfies(found -> {
                assertThat(found.kind()).isEqualTo(Kind.MEASURING);
                assertThat(found.confidence()).isEqualTo(Confidence.MEASURING);
                assertThat(found.sentence()).isEqualTo("unknown: the run failed before a limiter could be found");
                assertThat(found.advice()).isEqualTo("nothing to do");
            });
        }
    }

    /** A run is cancelled, for example, when a drain misses its deadline. */
    @Test
    void overall_ofARunThatWasCancelled_namesWhatHeldItsRecords() {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.stages.add(StageSnapshot.of("consume", 1, 120, 120, 0, 0, 0, 0, SECOND));
        pipeline.stages.add(StageSnapshot.of("out", 1, 120, 0, 0, 0, 0, 120, SECOND));
        pipeline.handles.add(new StubProducer());
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(probe.overall().kind()).isEqualTo(Kind.OUTPUT_BROKER));
            pipeline.completion()
                    .completeExceptionally(new CompletionException(new CancellationException("cancelled")));
            assertThat(probe.overall().kind()).isEqualTo(Kind.OUTPUT_BROKER);
        }
    }

    @Test
    void limiter_ofARunThatEndedWithinASecond_isUnknown() {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.stages.add(StageSnapshot.of("consume", 1, 120, 120, 0, 0, 0, 0, SECOND));
        pipeline.completion().complete(DrainReport.of(true, List.of(), Duration.ZERO, List.of()));
        try (LimiterProbe probe = LimiterProbe.start(pipeline)) {
            assertThat(probe.limiter().sentence()).isEqualTo("unknown: the run ended within a second");
            assertThat(probe.overall().sentence()).isEqualTo("unknown: the run ended within a second");
        }
    }

    @Test
    void overall_timeBeforeTheFirstRecordAndAfterTheLast_doesNotCount() {
        LimiterProbe.Verdicts verdicts = new LimiterProbe.Verdicts();
        verdicts.add(second(0, 0, 0.0));
        verdicts.add(second(1, 0, 0.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isNotEqualTo(Kind.STAGE_CPU);
        verdicts.add(second(2, 1000, 1.0));
        verdicts.add(second(3, 0, 0.0));
        verdicts.add(second(4, 0, 0.0));
        verdicts.add(second(5, 0, 0.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isEqualTo(Kind.STAGE_CPU);
    }

    @Test
    void overall_timeBetweenRecords_counts() {
        LimiterProbe.Verdicts verdicts = new LimiterProbe.Verdicts();
        verdicts.add(second(0, 1000, 1.0));
        verdicts.add(second(1, 0, 0.0));
        verdicts.add(second(2, 0, 0.0));
        verdicts.add(second(3, 0, 0.0));
        verdicts.add(second(4, 1000, 1.0));
        assertThat(verdicts.longest()).isNotNull().extracting(Limiter::kind).isNotEqualTo(Kind.STAGE_CPU);
    }

    /** Returns ten readings per second of a handler that {@code out} elements have left. */
    private static List<PipelineLook> looks(int from, int count, long out, int inFlight) {
        return IntStream.range(from, from + count)
                .mapToObj(i -> {
                    long at = i * SECOND / 10;
                    List<StageSnapshot> stages = List.of(
                            StageSnapshot.of("consume", 1, 120, 120, 0, at, 0, 0, at),
                            StageSnapshot.of("work", 16, 120, out, 0, 0, 0, inFlight, at));
                    return PipelineLook.of(
                            at,
                            stages,
                            List.of(),
                            inFlight < 0
                                    ? StubLooks.consumer()
                                    : StubLooks.consumer(StubLooks.partition(0).inFlight(inFlight)),
                            StubLooks.noProducer(),
                            MachineLook.unknown(8));
                })
                .toList();
    }

    /** Regression: the finding was that the pipeline keeps up. */
    @Test
    void stuck_recordsThatNobodyMoves_areTheFinding_alsoOnceTheConsumerIsClosed() {
        List<PipelineLook> all = new ArrayList<>(looks(0, 12, 60, 60));
        all.addAll(looks(12, 12, 119, 1));
        all.addAll(looks(24, 3, 119, -1));
        assertThat(LimiterProbe.stuck(all)).isNotNull().satisfies(found -> {
            assertThat(found.kind()).isEqualTo(Kind.STAGE_WAIT);
            assertThat(found.sentence()).startsWith("1 record is in work and none has left it");
            assertThat(found.advice()).isEqualTo("look at what the handler of work waits for");
        });
    }

    /** Regression: the finding for a share group with a stuck handler was that the pipe keeps up. */
    @Test
    void stuck_recordsOfAShareGroupThatNobodyMoves_areTheFinding() {
        List<PipelineLook> all = new ArrayList<>(sharedLooks(0, 12, 60, 60));
        all.addAll(sharedLooks(12, 12, 104, 16));
        all.addAll(sharedLooks(24, 3, 104, 0));
        assertThat(LimiterProbe.stuck(all)).isNotNull().satisfies(found -> {
            assertThat(found.kind()).isEqualTo(Kind.STAGE_WAIT);
            assertThat(found.sentence()).startsWith("16 records are in work and none has left it");
        });
        assertThat(LimiterProbe.stuck(sharedLooks(0, 12, 120, 0))).isNull();
    }

    /** Only every tenth reading looks for the oldest record. */
    @Test
    void stuck_handlersThatAllHang_areSaidNotToReturn_withTheOldestRecord() {
        List<PipelineLook> all = new ArrayList<>(hanging(0, 1, 7));
        all.addAll(hanging(1, 50, null));
        assertThat(LimiterProbe.stuck(all)).isNotNull().satisfies(found -> {
            assertThat(found.kind()).isEqualTo(Kind.STAGE_WAIT);
            assertThat(found.sentence())
                    .isEqualTo("the handlers of work do not return: 16 of 16 threads are at work, and none has"
                            + " finished for 5.0 s; orders-0@5 is unfinished for 7.0 s");
            assertThat(found.advice()).startsWith("take a thread dump").contains("timeout");
        });
    }

    private static List<PipelineLook> hanging(int from, int count, @Nullable Integer oldestSeconds) {
        Activity waiting = Activity.of("work", null, VIRTUAL, 16, 16, 20, 0, "", 0);
        Duration oldest = oldestSeconds == null ? Duration.ZERO : Duration.ofSeconds(oldestSeconds);
        return looks(from, count, 60, 60).stream()
                .map(look -> PipelineLook.of(
                        look.atNanos(),
                        look.stages(),
                        List.of(waiting),
                        List.of(ConsumerLook.of(
                                look.consumers().getFirst().counters(),
                                look.consumers().getFirst().dump().toBuilder()
                                        .partitions(List.of(StubConsumer.partition(0, oldest)))
                                        .build())),
                        look.producers(),
                        look.machine()))
                .toList();
    }

    /**
     * Regression: during slow calls, a fused function was said to hang, with the advice that more threads would wait
     * too.
     */
    @Test
    void fusedFunction_whoseCallsAreSlow_getsThreadsOfItsOwnInEachCall() {
        for (long calls : List.of(1L, 5L, 1000L)) {
            Limiter limiter = LimiterFinder.find(silentFused(calls, calls * 8 + 2));
            assertThat(limiter.sentence())
                    .startsWith("work has ")
                    .endsWith("; none of its calls has returned for 5.0 s: a thread dump shows what it waits for");
            assertThat(limiter.advice()).contains("mapBlocking");
        }
    }

    @Test
    void fusedFunction_whoseCallTakesMuchLongerThanEarlierOnes_isSaidToHang() {
        Limiter limiter = LimiterFinder.find(silentFused(1000, 10 + 300));
        assertThat(limiter.sentence()).startsWith("the handlers of work do not return: 1.0 of 1 threads are at work");
    }

    /** Returns five seconds in one call, after {@code calls} calls and {@code busySeconds} of work. */
    private static List<PipelineLook> silentFused(long calls, long busySeconds) {
        return LongStream.rangeClosed(0, 50)
                .mapToObj(i -> {
                    long at = i * SECOND / 10;
                    return PipelineLook.of(
                            at,
                            List.of(
                                    StageSnapshot.of("consume", 1, 2000, 2000, 0, 0, 0, 0, at),
                                    StageSnapshot.of("work", 1, calls, calls, busySeconds * SECOND + at, 0, 0, 0, at)),
                            List.of(
                                    Activity.of("consume", "thread", VIRTUAL, 1, 1, 0, 0, "", 0),
                                    Activity.of("work", "thread", VIRTUAL, 1, 1, 0, 0, "", 0)),
                            StubLooks.consumer(),
                            StubLooks.noProducer(),
                            MachineLook.unknown(8));
                })
                .toList();
    }

    private static List<PipelineLook> sharedLooks(int from, int count, long out, int inHand) {
        return looks(from, count, out, inHand).stream()
                .map(look -> PipelineLook.of(
                        look.atNanos(),
                        look.stages(),
                        look.activity(),
                        List.of(),
                        look.producers(),
                        List.of(),
                        List.of(ShareHandle.Snapshot.builder().inHand(inHand).build()),
                        look.machine()))
                .toList();
    }

    @Test
    void stuck_recordsThatMove_orNone_areNoFinding() {
        List<PipelineLook> moving = new ArrayList<>(looks(0, 12, 60, 60));
        moving.addAll(looks(12, 5, 61, 59));
        assertThat(LimiterProbe.stuck(moving)).isNull();
        assertThat(LimiterProbe.stuck(looks(0, 12, 120, 0))).isNull();
    }

    /** Regression: the advice said that 120 records were in the stage, although the run had finished all of them. */
    @Test
    void overall_recordsThatWereInAStage_areNotSaidToBeThere() {
        LimiterProbe.Verdicts verdicts = new LimiterProbe.Verdicts();
        verdicts.add(looks(0, 11, 0, 120));
        assertThat(verdicts.longest())
                .isNotNull()
                .extracting(Limiter::sentence)
                .isEqualTo("records were in work for a long time, and no others arrived");
        List<PipelineLook> moving =
                List.of(looks(11, 1, 0, 120).getFirst(), looks(21, 1, 60, 60).getFirst());
        verdicts.add(moving);
        assertThat(verdicts.longest())
                .isNotNull()
                .extracting(Limiter::sentence)
                .asString()
                .doesNotContain("none has left");
        assertThat(LimiterFinder.find(moving).sentence()).doesNotContain("none has left");
    }

    /** Returns a second in which one stage was busy for the fraction {@code busy}. */
    private static List<PipelineLook> second(int number, long elements, double busy) {
        return List.of(look(number * SECOND, 0, 0), look((number + 1) * SECOND, elements, busy));
    }

    private static PipelineLook look(long atNanos, long elements, double busy) {
        StageSnapshot stage =
                StageSnapshot.of("parse", 1, elements, elements, (long) (busy * SECOND), 0, 0, 0, atNanos);
        return PipelineLook.of(atNanos, List.of(stage), List.of(), List.of(), List.of(), MachineLook.unknown(8));
    }
}
