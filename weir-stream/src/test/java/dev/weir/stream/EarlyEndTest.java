package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests branches, groups, split streams and side sinks that end early. The remaining stream must continue. */
class EarlyEndTest {

    private static final RestartSettings ONCE = RestartSettings.of(Backoff.NONE);

    // Each of these stages replaces the acknowledgement targets of its elements.

    private static Source<Integer> restarted(Source<Integer> source) {
        return source.restarted(ONCE, section -> section);
    }

    private static Source<Integer> claimed(Source<Integer> source) {
        return source.withClaim().map(claim -> {
            claim.ack();
            return claim.value();
        });
    }

    private static Source<Integer> wrapped(Source<Integer> source) {
        return source.via(
                Flow.of("wrapped", part -> part.stage("wrapping", (upstream, context) -> new Wrapping<>(upstream))));
    }

    /** A target that passes everything on, as a user may write it. */
    private record Wrapper(AckTarget target) implements AckTarget {

        @Override
        public void ack(long token) {
            target.ack(token);
        }

        @Override
        public void forgo(long token) {
            target.forgo(token);
        }

        @Override
        public void abandon(long token) {
            target.abandon(token);
        }

        @Override
        public void retain(long token, int count) {
            target.retain(token, count);
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            target.roots(token, visitor);
        }
    }

    private record Wrapping<T>(Stage<T> upstream) implements Stage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch != null) {
                batch.retarget(Wrapper::new);
            }
            return batch;
        }

        @Override
        public void close() {
            upstream.close();
        }
    }

    private static <T> Sink<T> firstInto(int count) {
        return Sink.through(source -> source.take(count).to(Sink.ignore()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void broadcast_whoseBranchEnds_goesOnWithTheOthers(int batchSize) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
        AtomicInteger seen = new AtomicInteger();
        try (RunningPipeline running = source.source()
                .broadcast(List.<Function<Source<Integer>, Source<Integer>>>of(
                        branch -> branch.take(5), branch -> branch.map(n -> n)))
                .with(Attributes.NONE.withBuffer(10))
                .to(Sink.forEach(n -> seen.incrementAndGet()))
                .run()) {
            running.await();
        }
        assertThat(seen).hasValue(5005);
        source.assertAllFinished();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void broadcast_whoseLastBranchEnds_endsAndLeavesTheRestUnfinished(int batchSize) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize).heldOpen();
        try (RunningPipeline running = source.source()
                .broadcast(List.<Function<Source<Integer>, Source<Integer>>>of(branch -> branch.take(5)))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(5);
    }

    /** Regression: if both branches gave up an element, it was finished although nobody had seen it. */
    @Test
    void broadcast_whoseBranchesEndAtOnce_leavesWhatNoneWantedUnfinished() throws Exception {
        CountDownLatch bothAreAtTheirEnd = new CountDownLatch(2);
        Function<Source<Integer>, Source<Integer>> first =
                branch -> branch.take(1).tap(n -> {
                    bothAreAtTheirEnd.countDown();
                    await(bothAreAtTheirEnd);
                });
        TrackedSource<Integer> source = TrackedSource.numbers(2, 2);
        try (RunningPipeline running = source.source()
                .broadcast(List.of(first, first))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.isFinished(0)).isTrue();
        assertThat(source.isFinished(1)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void sinks_whenOneReturnsEarly_doNotHaltTheOthers(int batchSize) throws Exception {
        AtomicInteger seen = new AtomicInteger();
        Sink<Integer> all = Sink.forEach(n -> seen.incrementAndGet());
        List<Function<Source<Integer>, Pipeline>> ways = List.of(
                source -> source.broadcastTo(firstInto(3), all),
                source -> source.partitionTo(n -> n % 2, firstInto(3), all),
                source -> source.balanceTo(firstInto(3), all));
        for (Function<Source<Integer>, Pipeline> way : ways) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
            try (RunningPipeline running = way.apply(source.source()).run()) {
                running.await();
            }
            source.assertAllFinished();
        }
        assertThat(seen).hasValueGreaterThan(5000 + 2500);
    }

    /**
     * Regression: after the last sink had ended early, the consumer waited for the elements in that sink's async()
     * queue for the whole drain timeout.
     */
    @Test
    void sinks_whenTheLastEndsEarly_leaveNothingPending() throws Exception {
        List<Function<Source<Integer>, Pipeline>> ways = List.of(
                source -> source.broadcastTo(firstOfThree(), firstOfThree()),
                source -> source.partitionTo(n -> 0, firstOfThree()),
                source -> source.balanceTo(firstOfThree()));
        for (Function<Source<Integer>, Pipeline> way : ways) {
            TrackedSource<Integer> source = TrackedSource.numbers(3, 1);
            try (RunningPipeline running = way.apply(source.source()).run()) {
                running.await();
            }
            source.assertProtocolKept();
            assertThat(source.waitedFor()).isEmpty();
        }
    }

    /** Returns a sink that ends after element 0, while its async() queue contains element 1. */
    private static Sink<Integer> firstOfThree() {
        CountDownLatch lastWasPulled = new CountDownLatch(1);
        return Sink.through(elements -> elements.tap(n -> {
                    if (n == 2) {
                        lastWasPulled.countDown();
                    }
                })
                .async()
                .tap(n -> await(lastWasPulled))
                .take(1)
                .to(Sink.ignore()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void groupBy_whoseGroupsEnd_acknowledgesWhatElseComesForThem(int batchSize) throws Exception {
        for (boolean asynchronous : new boolean[] {false, true}) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
            List<Integer> seen = new ArrayList<>();
            try (RunningPipeline running = source.source()
                    .groupBy(
                            n -> n % 10,
                            10,
                            key -> (asynchronous ? key.map(n -> n).async() : key).take(1))
                    .to(Sink.forEach(seen::add))
                    .run()) {
                running.await();
            }
            assertThat(seen)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 10).boxed().toList());
            source.assertAllFinished();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void split_whoseSectionsEnd_acknowledgesTheirRest(int batchSize) throws Exception {
        for (boolean asynchronous : new boolean[] {false, true}) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
            List<Integer> seen = new ArrayList<>();
            try (RunningPipeline running = source.source()
                    .splitWhen(
                            n -> n % 100 == 0,
                            section -> asynchronous ? section.take(1).async() : section.take(1))
                    .to(Sink.forEach(seen::add))
                    .run()) {
                running.await();
            }
            assertThat(seen)
                    .containsExactlyElementsOf(
                            IntStream.range(0, 50).map(n -> 100 * n).boxed().toList());
            source.assertAllFinished();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void groupBy_whoseGroupsEndInAnyWay_leavesNoHole(int batchSize) throws Exception {
        List<Function<Source<Integer>, Source<Integer>>> ends = List.of(
                key -> key.takeWhile(n -> n < 100),
                key -> key.takeWhile(n -> n < 100, true),
                key -> key.zipWith(Source.of(1, 2), (n, one) -> n),
                key -> Source.of(1, 2).zipWith(key, (one, n) -> n),
                key -> key.map(n -> n).take(3).async(),
                key -> key.take(0),
                // Elements skipped before the end are settled only once.
                key -> key.takeWhile(n -> {
                            if (n % 3 == 0) {
                                throw new IllegalStateException("planted");
                            }
                            return n < 100;
                        })
                        .with(Attributes.NONE.withSupervision(Supervision.skip())));
        for (Function<Source<Integer>, Source<Integer>> end : ends) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
            try (RunningPipeline running = source.source()
                    .groupBy(n -> n % 10, 10, end)
                    .to(Sink.ignore())
                    .run()) {
                running.await();
            }
            source.assertAllFinished();
        }
    }

    /** Regression: elements in a buffer upstream of an inner stream's early end held back all commits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void innerStream_withBuffersAboveItsEnd_leavesNoHole(int batchSize) throws Exception {
        List<Function<Source<Integer>, Source<Integer>>> ends = List.of(
                s -> s.async().take(1),
                s -> s.async().map(n -> n).async().take(1),
                s -> s.async(Dispatcher.virtual(), 1).takeWhile(n -> n < 100),
                s -> s.async().zipWith(Source.of(1, 2), (n, one) -> n),
                s -> s.buffer(1000, OverflowStrategy.DROP_NEW).take(1),
                s -> s.buffer(4, OverflowStrategy.DROP_HEAD).take(1),
                s -> s.batch(10, n -> n, Integer::sum).take(1),
                s -> s.grouped(3).async().take(1).map(List::getFirst),
                s -> s.grouped(3).take(1).map(List::getFirst),
                s -> s.interleave(Source.of(1), 1).take(2),
                s -> s.zipAll(Source.of(1), 0, 0).take(1).map(Pair::first),
                s -> s.sliding(3, 1).take(1).map(List::getFirst),
                s -> s.groupedAdjacentBy(n -> n, 3).take(1).map(List::getFirst),
                s -> s.zipN(Source.of(1, 2, 3), Source.of(1, 2)).map(List::getFirst),
                s -> s.scanAsync(0, (before, n) -> CompletableFuture.completedFuture(n))
                        .take(1),
                s -> s.scanAsync(0, (before, n) -> CompletableFuture.completedFuture(n))
                        .take(3),
                s -> s.take(3).foldAsync(0, (sum, n) -> CompletableFuture.completedFuture(sum + n)),
                s -> s.mapConcat(n -> List.of(n, n)).take(1),
                s -> s.mapConcat(n -> IntStream.range(0, 1000).boxed().toList())
                        .async()
                        .take(1),
                s -> s.delay(Duration.ofNanos(1)).take(1),
                s -> s.throttle(1000, Duration.ofNanos(1)).take(1),
                s -> s.merge(Source.of(1, 2)).take(3),
                s -> s.async().take(1).async());
        for (Function<Source<Integer>, Source<Integer>> end : ends) {
            for (Function<Source<Integer>, Source<Integer>> nesting :
                    List.<Function<Source<Integer>, Source<Integer>>>of(
                            s -> s.groupBy(n -> n % 10, 10, end), s -> s.splitWhen(n -> n % 100 == 0, end))) {
                TrackedSource<Integer> source = TrackedSource.numbers(2000, batchSize);
                try (RunningPipeline running =
                        nesting.apply(source.source()).to(Sink.ignore()).run()) {
                    running.await();
                }
                source.assertAllFinished();
            }
        }
    }

    /** The inner stream failed, so its waiting elements must be redelivered. */
    @Test
    void innerStream_thatFails_leavesWhatWaitsInItsBuffersUnfinished() {
        TrackedSource<Integer> source = TrackedSource.numbers(100, 100);
        RunningPipeline running = source.source()
                .groupBy(
                        n -> 0,
                        1,
                        key -> key.async().map(n -> {
                            throw new IllegalStateException("planted");
                        }))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).hasMessage("planted");
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
    }

    /** Regression: elements without a key were acknowledged at the end of another group. */
    @Test
    void groupBy_whoseKeyFunctionFails_leavesTheElementsFromThereOnUnfinished() {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        RunningPipeline running = source.source()
                .groupBy(
                        n -> {
                            if (n == 3) {
                                throw new IllegalStateException("planted");
                            }
                            return n;
                        },
                        10,
                        key -> key.take(1))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).hasMessage("planted");
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(3);
    }

    /** The next run gets these elements. */
    @Test
    void buffer_aboveTheEndOfThePipeline_leavesWhatIsInItUnfinished() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, 10).heldOpen();
        try (RunningPipeline running =
                source.source().async().take(1).to(Sink.ignore()).run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void sinkOfTheFirst_besideAnother_leavesNoHole(int batchSize) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
        try (RunningPipeline running =
                source.source().broadcastTo(Sink.<Integer>head(), Sink.ignore()).run()) {
            running.await();
        }
        source.assertAllFinished();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void streamThatEndsItself_leavesWhatIsBeyondUnfinished(int batchSize) throws Exception {
        List<Function<Source<Integer>, Source<Integer>>> ends = List.of(
                source -> source.take(5),
                source -> source.takeWhile(n -> n < 5),
                source -> source.takeWhile(n -> n < 4, true),
                source -> source.zipWith(Source.range(0, 5), (n, other) -> n),
                // Elements that have left an inner stream belong to the outermost stream.
                source -> source.groupBy(n -> 0, 1, key -> key).take(5),
                source -> source.groupBy(n -> 0, 1, key -> key.async()).take(5),
                source ->
                        source.groupBy(n -> 0, 1, key -> key.grouped(1)).take(5).map(List::getFirst),
                source ->
                        source.splitWhen(n -> n % 100 == 0, section -> section).take(5),
                source -> source.splitWhen(n -> n % 100 == 0, section -> section.async())
                        .take(5),
                source -> source.groupBy(n -> 0, 1, EarlyEndTest::restarted).take(5),
                source ->
                        source.groupBy(n -> 0, 1, key -> restarted(key).async()).take(5),
                source -> source.groupBy(n -> 0, 1, key -> restarted(key).grouped(1))
                        .take(5)
                        .map(List::getFirst),
                source -> source.groupBy(n -> 0, 1, key -> key.grouped(1).restarted(ONCE, part -> part))
                        .take(5)
                        .map(List::getFirst),
                source -> source.groupBy(n -> 0, 1, key -> key.groupBy(n -> 0, 1, EarlyEndTest::restarted))
                        .take(5),
                source -> source.groupBy(n -> 0, 1, EarlyEndTest::claimed).take(5),
                source -> source.groupBy(n -> 0, 1, EarlyEndTest::wrapped).take(5),
                source -> source.splitWhen(n -> n % 100 == 0, EarlyEndTest::claimed)
                        .take(5),
                source -> source.partition(2, n -> 0, EarlyEndTest::claimed).take(5),
                source -> source.partition(2, n -> 0, EarlyEndTest::restarted).take(5),
                source -> source.partition(2, n -> 0, branch -> branch).take(5),
                source -> source.unzip(n -> n, n -> n, (left, right) -> left.zipWith(right, (n, same) -> n))
                        .take(5));
        for (Function<Source<Integer>, Source<Integer>> end : ends) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, batchSize);
            try (RunningPipeline running =
                    end.apply(source.source()).to(Sink.ignore()).run()) {
                running.await();
            }
            source.assertProtocolKept();
            assertThat(source.finishedCount())
                    .as("operator %s", ends.indexOf(end))
                    .isEqualTo(5);
        }
    }

    /**
     * Regression: queued elements of a branch were acknowledged when the merged stream ended. It takes a few hundred
     * rounds to see this.
     */
    @Test
    void branches_whoseMergedStreamEnds_leaveWhatWaitsForThemUnfinished() throws Exception {
        for (int round = 0; round < 600; round++) {
            TrackedSource<Integer> source = TrackedSource.numbers(5000, 1);
            try (RunningPipeline running = source.source()
                    .partition(2, n -> 0, branch -> branch)
                    .take(5)
                    .to(Sink.ignore())
                    .run()) {
                running.await();
            }
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isEqualTo(5);
        }
    }

    /**
     * Regression: an element abandoned after its inner stream had ended was acknowledged, if it came from a restarted
     * section or withClaim.
     */
    @Test
    void elementsThatHaveLeftAnEndedInnerStream_whenTheStreamFails_stayUnfinished() {
        List<Function<Source<Integer>, Source<Integer>>> inner = List.of(
                section -> section,
                EarlyEndTest::restarted,
                section -> restarted(section.async()),
                EarlyEndTest::claimed,
                EarlyEndTest::wrapped);
        for (Function<Source<Integer>, Source<Integer>> section : inner) {
            TrackedSource<Integer> source = TrackedSource.numbers(20, 10);
            CountDownLatch secondHasBegun = new CountDownLatch(1);
            Function<Source<Integer>, Source<Integer>> marked = part -> section.apply(part.tap(n -> {
                if (n == 10) {
                    secondHasBegun.countDown();
                }
            }));
            RunningPipeline running = source.source()
                    .splitWhen(n -> n == 10, marked)
                    .async()
                    .map(n -> {
                        await(secondHasBegun);
                        throw new IllegalStateException("planted");
                    })
                    .to(Sink.ignore())
                    .run();
            assertThatThrownBy(running::await).hasMessage("planted");
            source.assertProtocolKept();
            assertThat(source.finishedCount()).isZero();
        }
    }

    @Test
    void alsoTo_whoseSinkReturns_endsTheStream() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(100_000, 10);
        try (RunningPipeline running = source.source()
                .alsoTo(firstInto(100))
                .with(Attributes.NONE.withBuffer(20))
                .to(Sink.ignore())
                .run()) {
            running.await();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(100);
        assertThat(source.pulled()).isLessThan(100_000);
    }

    @Test
    void wireTap_whoseSinkIsBlocked_doesNotSlowTheStream() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(5000, 10);
        CountDownLatch done = new CountDownLatch(5000);
        AtomicInteger shown = new AtomicInteger();
        try (RunningPipeline running = source.source()
                .wireTap(Sink.forEach(n -> {
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    shown.incrementAndGet();
                }))
                .with(Attributes.NONE.withBuffer(100))
                .to(Sink.forEach(n -> done.countDown()))
                .run()) {
            running.await();
        }
        source.assertAllFinished();
        assertThat(shown).hasValueBetween(100, 130);
    }

    @Test
    void anyOfThem_whoseReaderReturnsWhileTheSourceWaits_endsWithoutAFailure() throws Exception {
        List<Function<Source<Integer>, Source<Integer>>> ways = List.of(
                source -> source.alsoTo(Sink.through(side -> side.async().to(Sink.ignore()))),
                source -> source.wireTap(Sink.ignore()),
                source -> source.divertTo(Sink.ignore(), n -> n < 5),
                source -> source.broadcast(List.<Function<Source<Integer>, Source<Integer>>>of(
                        branch -> branch.async(), branch -> branch.map(n -> n).async())),
                source -> source.balance(2, branch -> branch.async()),
                source -> source.unzip(
                        n -> n, n -> n, (left, right) -> left.async().merge(right.async())),
                source -> source.merge(Source.of(1)),
                source -> source.flatMapMerge(3, n -> Source.of(n).async()),
                source -> source.switchMap(n -> Source.of(n).async()),
                source -> source.groupBy(n -> n % 3, 3, key -> key.async()),
                source -> source.splitWhen(n -> n % 3 == 0, section -> section.async()),
                source -> source.prefixAndTail(2, (prefix, tail) -> tail.async()));
        for (int round = 0; round < 20; round++) {
            for (Function<Source<Integer>, Source<Integer>> way : ways) {
                TrackedSource<Integer> source = TrackedSource.numbers(50, 1).heldOpen();
                try (RunningPipeline running =
                        way.apply(source.source()).async().to(firstInto(1)).run()) {
                    running.await();
                }
                source.assertProtocolKept();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
