package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.PartitionHub.Route;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests pipelines that a hub connects. */
class HubTest {

    private static final String NAME = "hub";

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    private static RunningPipeline start(Pipeline pipeline) {
        return pipeline.named(NAME).run();
    }

    private static void awaitThoughInterrupted(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException ignored) {
                // Expected.
            }
        }
    }

    @Test
    void mergeHub_ofManyPipelines_deliversAllAndFinishesThemBelow() throws Exception {
        List<TrackedSource<Integer>> sources = IntStream.range(0, 5)
                .mapToObj(n -> TrackedSource.numbers(2000, 7, 0, 64))
                .toList();
        AtomicInteger seen = new AtomicInteger();
        MergeHub<Integer> hub = MergeHub.create(50);
        try (RunningPipeline taking = start(hub.source().to(Sink.forEach(n -> seen.incrementAndGet())))) {
            List<RunningPipeline> bringing = sources.stream()
                    .map(source -> start(source.source().to(hub.sink())))
                    .toList();
            for (RunningPipeline running : bringing) {
                running.await();
            }
            hub.close();
            taking.await();
        }
        assertThat(seen).hasValue(10_000);
        sources.forEach(TrackedSource::assertAllFinished);
    }

    @Test
    void mergeHub_whoseTakerIsStopped_keepsTheRestForTheNext() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10);
        List<Integer> seen = new ArrayList<>();
        CountDownLatch some = new CountDownLatch(100);
        MergeHub<Integer> hub = MergeHub.create(50);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        RunningPipeline first = start(hub.source().to(Sink.forEach(n -> {
            seen.add(n);
            some.countDown();
        })));
        assertThatThrownBy(() -> start(hub.source().to(Sink.ignore()))).isInstanceOf(IllegalStateException.class);
        some.await();
        first.stop();
        first.await();
        RunningPipeline second = start(hub.source().to(Sink.forEach(seen::add)));
        bringing.await();
        hub.close();
        second.await();
        assertThat(seen)
                .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
        source.assertAllFinished();
    }

    @Test
    void mergeHub_thatIsFull_haltsAndEndsItsPipelinesWhenClosed() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10);
        MergeHub<Integer> hub = MergeHub.create(50);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        while (source.pulled() < 60) {
            Thread.onSpinWait();
        }
        hub.close();
        bringing.await();
        assertThat(source.pulled()).isEqualTo(60);
        assertThat(source.finishedCount()).isZero();
    }

    /** Regression: after the hub was closed, the source waited for a batch that nobody needed. */
    @Test
    void hub_thatIsClosedWhileFull_doesNotLetTheSourceWaitForTheBatchInHand() throws Exception {
        BroadcastHub<Integer> broadcast = BroadcastHub.create(50);
        assertNothingIsWaitedFor(broadcast, broadcast.sink(), broadcast.source());
        PartitionHub<Integer> partition = PartitionHub.create(50, 1, (n, takers) -> 0);
        assertNothingIsWaitedFor(partition, partition.sink(), partition.source());
        MergeHub<Integer> merge = MergeHub.create(50);
        assertNothingIsWaitedFor(merge, merge.sink(), merge.source());
    }

    private static void assertNothingIsWaitedFor(Hub<Integer> hub, Sink<Integer> sink, Source<Integer> taken)
            throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10);
        CountDownLatch mayTake = new CountDownLatch(1);
        RunningPipeline taking = start(taken.to(Sink.forEach(n -> awaitThoughInterrupted(mayTake))));
        RunningPipeline bringing = start(source.source().to(sink));
        // The taker holds one batch, and its inbox holds five. The seventh batch waits for room.
        while (source.pulled() < 70) {
            Thread.onSpinWait();
        }
        hub.close();
        bringing.await();
        mayTake.countDown();
        taking.await();
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isEqualTo(60);
    }

    @Test
    void broadcastHub_toSeveralTakers_finishesAnElementWhenAllHave() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        TrackedSource<Integer> source = TrackedSource.numbers(3000, 7, 0, 64);
        BroadcastHub<Integer> hub = BroadcastHub.create(50);
        List<RunningPipeline> taking = IntStream.range(0, 3)
                .mapToObj(n -> start(hub.source().map(i -> i + n).to(Sink.forEach(i -> seen.incrementAndGet()))))
                .toList();
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        bringing.await();
        hub.close();
        for (RunningPipeline running : taking) {
            running.await();
        }
        assertThat(seen).hasValue(9000);
        source.assertAllFinished();
    }

    @Test
    void broadcastHub_whoseTakersComeAndGo_goesOnWithTheOthers() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, 7);
        AtomicInteger seen = new AtomicInteger();
        CountDownLatch some = new CountDownLatch(500);
        BroadcastHub<Integer> hub = BroadcastHub.create(50);
        RunningPipeline steady = start(hub.source().to(Sink.forEach(n -> {
            seen.incrementAndGet();
            some.countDown();
        })));
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        RunningPipeline leaving = start(hub.source().to(Sink.custom("stuck", context -> upstream -> {
            stuck.countDown();
            never.await();
        })));
        stuck.await();
        assertThat(hub.takers()).isEqualTo(2);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        assertThatThrownBy(() -> start(Source.of(1).to(hub.sink()))).isInstanceOf(IllegalStateException.class);
        while (source.pulled() < 56) {
            Thread.onSpinWait();
        }
        leaving.cancel();
        TrackedRun.awaitEnd(leaving);
        some.await();
        RunningPipeline stopped = start(hub.source().to(Sink.ignore()));
        stopped.stop();
        stopped.await();
        bringing.await();
        hub.close();
        steady.await();
        assertThat(seen).hasValue(5000);
        source.assertAllFinished();
    }

    @Test
    void broadcastHub_whoseOnlyTakerFails_leavesItsShareUnfinished() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 100);
        BroadcastHub<Integer> hub = BroadcastHub.create(500);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        RunningPipeline failing = start(hub.source().to(Sink.forEach(n -> {
            if (n == 10) {
                throw new IllegalStateException("planted");
            }
        })));
        TrackedRun.awaitEnd(failing);
        bringing.await();
        hub.close();
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(10);
    }

    /** Regression: if both takers gave up an element, it was finished although nobody had seen it. */
    @Test
    void broadcastHub_whoseTakersEndAtOnce_leavesWhatNoneWantedUnfinished() throws Exception {
        CountDownLatch bothAreAtTheirEnd = new CountDownLatch(2);
        CountDownLatch allIsWritten = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(3, 2, 1);
        BroadcastHub<Integer> hub = BroadcastHub.create(10);
        Pipeline first = hub.source()
                .tap(n -> {
                    if (n == 0) {
                        // After both takers have left, the second batch cannot be written.
                        awaitThoughInterrupted(allIsWritten);
                    }
                    if (n == 2) {
                        awaitThoughInterrupted(bothAreAtTheirEnd);
                    }
                })
                .async()
                .take(1)
                .to(Sink.forEach(n -> bothAreAtTheirEnd.countDown()));
        RunningPipeline one = start(first);
        RunningPipeline other = start(first);
        start(source.source().to(hub.sink())).await();
        allIsWritten.countDown();
        one.await();
        other.await();
        source.assertProtocolKept();
        assertThat(source.isFinished(0)).isTrue();
        assertThat(source.isFinished(1)).isFalse();
    }

    /** Regression: a new taker was counted as holding elements that it never received. */
    @Test
    void broadcastHub_whoseTakerEndsAfterANewcomerCame_leavesWhatThatNeverGotUnfinished() throws Exception {
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch newcomerIsThere = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(4, 2);
        BroadcastHub<Integer> hub = BroadcastHub.create(10);
        RunningPipeline leaving = start(hub.source()
                .tap(n -> {
                    atWork.countDown();
                    awaitThoughInterrupted(newcomerIsThere);
                })
                .take(1)
                .to(Sink.ignore()));
        start(source.source().to(hub.sink())).await();
        atWork.await();
        RunningPipeline newcomer = start(hub.source().to(Sink.ignore()));
        newcomerIsThere.countDown();
        leaving.await();
        hub.close();
        newcomer.await();
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(1);
    }

    @Test
    void partitionHub_toSeveralTakers_givesEachItsShareInOrder() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(3000, 7, 0, 64);
        PartitionHub<Integer> hub = PartitionHub.create(50, 3, (n, takers) -> n % 4 == 3 ? Route.NOBODY : n % 4);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        assertThatThrownBy(() -> start(Source.of(1).to(hub.sink()))).isInstanceOf(IllegalStateException.class);
        List<List<Integer>> seen = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<RunningPipeline> taking = new ArrayList<>();
        for (List<Integer> of : seen) {
            // No element is emitted until the third taker has joined.
            assertThat(source.finishedCount()).isZero();
            taking.add(start(hub.source().to(Sink.forEach(of::add))));
        }
        bringing.await();
        hub.close();
        for (RunningPipeline running : taking) {
            running.await();
        }
        for (int taker = 0; taker < 3; taker++) {
            int share = taker;
            assertThat(seen.get(taker))
                    .containsExactlyElementsOf(IntStream.range(0, 3000)
                            .filter(n -> n % 4 == share)
                            .boxed()
                            .toList());
        }
        source.assertAllFinished();
    }

    @Test
    void partitionHub_whoseTakerIsStopped_goesOnWithTheOthers() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, 7);
        AtomicInteger seen = new AtomicInteger();
        CountDownLatch some = new CountDownLatch(500);
        PartitionHub<Integer> hub = PartitionHub.create(50, 1, (n, takers) -> n % takers);
        Pipeline counting = hub.source().to(Sink.forEach(n -> {
            seen.incrementAndGet();
            some.countDown();
        }));
        RunningPipeline steady = start(counting);
        RunningPipeline leaving = start(counting);
        assertThat(hub.takers()).isEqualTo(2);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        some.await();
        leaving.stop();
        leaving.await();
        bringing.await();
        hub.close();
        steady.await();
        assertThat(seen).hasValue(5000);
        source.assertAllFinished();
    }

    @Test
    void partitionHub_whoseTakerFails_leavesItsShareUnfinishedAndRoutesAgain() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10);
        PartitionHub<Integer> hub = PartitionHub.create(5, 1, (n, takers) -> takers - 1);
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger seen = new AtomicInteger();
        RunningPipeline steady = start(hub.source().to(Sink.forEach(n -> seen.incrementAndGet())));
        RunningPipeline failing = start(hub.source().to(Sink.custom("stuck", context -> upstream -> {
            assertThat(upstream.pull(Stage.NEVER)).isNotNull();
            inHand.countDown();
            never.await();
        })));
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        inHand.await();
        while (source.pulled() < 30) {
            Thread.onSpinWait();
        }
        // The taker has one batch in progress and one in its inbox. A third batch waits for room.
        failing.cancel();
        TrackedRun.awaitEnd(failing);
        bringing.await();
        hub.close();
        steady.await();
        source.assertProtocolKept();
        assertThat(seen).hasValue(980);
        assertThat(source.finishedCount()).isEqualTo(980);
    }

    /** A hub, and how to use it. */
    private record AnyHub(Sink<Integer> sink, Source<Integer> source, AutoCloseable closing) {

        static AnyHub of(String kind, int buffer) {
            return switch (kind) {
                case "merge" -> {
                    MergeHub<Integer> hub = MergeHub.create(buffer);
                    yield new AnyHub(hub.sink(), hub.source(), hub);
                }
                case "broadcast" -> {
                    BroadcastHub<Integer> hub = BroadcastHub.create(buffer);
                    yield new AnyHub(hub.sink(), hub.source(), hub);
                }
                default -> {
                    PartitionHub<Integer> hub = PartitionHub.create(buffer, 1, (n, takers) -> 0);
                    yield new AnyHub(hub.sink(), hub.source(), hub);
                }
            };
        }
    }

    static Stream<Arguments> failingTakers() {
        Function<Source<Integer>, Pipeline> bySink = taken -> taken.to(Sink.forEach(HubTest::failAtTen));
        Function<Source<Integer>, Pipeline> byStage =
                taken -> taken.map(HubTest::failAtTen).to(Sink.ignore());
        Function<Source<Integer>, Pipeline> inOwnSink =
                taken -> taken.to(Sink.custom("leavesAll", context -> upstream -> {
                    var ignored = upstream.pull(Stage.NEVER);
                    throw new IllegalStateException("planted");
                }));
        return Stream.of("merge", "broadcast", "partition")
                .flatMap(hub -> Stream.of(
                        Arguments.of(hub, Named.of("sink", bySink)),
                        Arguments.of(hub, Named.of("stage", byStage)),
                        Arguments.of(hub, Named.of("custom sink", inOwnSink))));
    }

    private static int failAtTen(int n) {
        if (n == 10) {
            throw new IllegalStateException("planted");
        }
        return n;
    }

    /** Regression: the source of the writing pipeline waited for the failed taker's batch. */
    @ParameterizedTest
    @MethodSource("failingTakers")
    void taker_thatFails_leavesNoElementPending(String kind, Function<Source<Integer>, Pipeline> taker)
            throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 100);
        AnyHub hub = AnyHub.of(kind, 500);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        RunningPipeline failing = start(taker.apply(hub.source()));
        TrackedRun.awaitEnd(failing);

        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isLessThanOrEqualTo(10);
        bringing.await();
        hub.closing().close();
        source.assertProtocolKept();
    }

    @Test
    void broadcastHub_whoseOneTakerFails_finishesItsElementsWithTheOthers() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 20);
        BroadcastHub<Integer> hub = BroadcastHub.create(500);
        RunningPipeline steady = start(hub.source().to(Sink.ignore()));
        RunningPipeline failing = start(hub.source().to(Sink.forEach(HubTest::failAtTen)));
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        TrackedRun.awaitEnd(failing);
        bringing.await();
        hub.close();
        steady.await();
        source.assertAllFinished();
    }

    /** The test acknowledges the elements after the end of the taker. */
    @Test
    void element_acknowledgedAfterItsTakerFailed_staysUnfinished() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        MergeHub<Integer> hub = MergeHub.create(500);
        List<Claim<Integer>> claims = new ArrayList<>();
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        RunningPipeline failing = start(hub.source().withClaim().to(Sink.forEach(claim -> {
            claims.add(claim);
            if (claim.value() == 5) {
                throw new IllegalStateException("planted");
            }
        })));
        TrackedRun.awaitEnd(failing);
        claims.forEach(Claim::ack);
        bringing.await();
        hub.close();
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isZero();
    }

    /** Regression: the writing pipeline's source waited for batches that the closed hub had refused or kept. */
    @ParameterizedTest
    @ValueSource(strings = {"merge", "broadcast", "partition"})
    void hub_thatIsClosedWithoutATaker_leavesNoElementPending(String kind) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 10);
        AnyHub hub = AnyHub.of(kind, 5);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        // Without a taker, only a merge hub accepts a batch.
        int accepted = kind.equals("merge") ? 10 : 0;
        while (source.pulled() < accepted + 10) {
            Thread.onSpinWait();
        }
        hub.closing().close();
        bringing.await();
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isZero();
    }

    /** Regression: a closed hub kept elements for a taker that would never start. */
    @Test
    void mergeHub_whoseTakerEndsAfterTheClose_leavesNoElementPending() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 10);
        MergeHub<Integer> hub = MergeHub.create(50);
        CountDownLatch never = new CountDownLatch(1);
        RunningPipeline taking = start(hub.source().to(Sink.custom("idle", context -> upstream -> never.await())));
        start(source.source().to(hub.sink())).await();
        hub.close();
        assertThat(source.waitedFor()).hasSize(20);

        taking.cancel();
        TrackedRun.awaitEnd(taking);
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isZero();
    }

    /** No later taker gets the elements of a closed hub. */
    @Test
    void mergeHub_whoseTakerIsStoppedAfterTheClose_deliversTheRest() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 10);
        MergeHub<Integer> hub = MergeHub.create(50);
        CountDownLatch stopped = new CountDownLatch(1);
        RunningPipeline taking =
                start(hub.source().tap(n -> awaitThoughInterrupted(stopped)).to(Sink.ignore()));
        start(source.source().to(hub.sink())).await();
        hub.close();
        taking.stop();
        stopped.countDown();
        taking.await();
        source.assertAllFinished();
    }

    /** The second batch is partly in an inbox. Its other part waits for room. */
    @Test
    void partitionHub_whoseTakersEnd_leavesNoElementPending() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 10);
        PartitionHub<Integer> hub = PartitionHub.create(5, 2, (n, takers) -> n < 10 ? 1 : n % 2);
        CountDownLatch never = new CountDownLatch(1);
        Pipeline idle = hub.source().to(Sink.custom("idle", context -> upstream -> never.await()));
        RunningPipeline one = start(idle);
        RunningPipeline other = start(idle);
        RunningPipeline bringing = start(source.source().to(hub.sink()));
        while (one.stages().getFirst().depth() == 0) {
            Thread.onSpinWait();
        }
        hub.close();
        bringing.await();
        assertThat(source.waitedFor()).hasSize(15);

        one.cancel();
        other.cancel();
        TrackedRun.awaitEnd(one);
        TrackedRun.awaitEnd(other);
        source.assertProtocolKept();
        assertThat(source.waitedFor()).isEmpty();
        assertThat(source.finishedCount()).isZero();
    }

    @Test
    void partitionHub_withARouteToNowhere_failsThePipelineThatBrings() throws Exception {
        PartitionHub<Integer> hub = PartitionHub.create(5, 1, (n, takers) -> takers);
        RunningPipeline taking = start(hub.source().to(Sink.ignore()));
        RunningPipeline bringing = start(Source.of(1).to(hub.sink()));
        assertThatThrownBy(bringing::await).isInstanceOf(IndexOutOfBoundsException.class);
        hub.close();
        taking.await();
        assertThatThrownBy(() -> PartitionHub.create(1, 0, (n, takers) -> 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("minTakers=0");
    }
}
