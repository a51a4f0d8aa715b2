package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests turns, bounds and supervision of operators with several inputs or outputs, or with inner streams. */
class JunctionBehaviourTest {

    private static final int HALF = 100_000;

    /** Returns the numbers from {@code first} on, one per batch. Counts the pulled numbers. */
    private static Source<Integer> counting(int first, AtomicInteger pulled, CountDownLatch reached, int mark) {
        return Source.custom("counting", context -> new Stage<>() {
            @Override
            public Batch<Integer> pull(long deadlineNanos) {
                int n = pulled.getAndIncrement();
                if (n == mark) {
                    reached.countDown();
                }
                return Batch.unacknowledged(new Object[] {first + n}, 1);
            }

            @Override
            public void close() {}
        });
    }

    /** Returns the first elements of a merge whose two buffers of 100 elements are full. */
    private static List<Integer> firstOf(int count, Merging merging) throws Exception {
        AtomicInteger lefts = new AtomicInteger();
        AtomicInteger rights = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(2);
        List<Integer> seen = new ArrayList<>();
        Source<Integer> merged = merging.apply(counting(0, lefts, full, 100), counting(HALF, rights, full, 100))
                .with(Attributes.NONE.withBuffer(100));
        try (RunningPipeline running = merged.to(Sink.<Integer>custom("first", context -> upstream -> {
                    full.await();
                    while (seen.size() < count) {
                        Batch<Integer> batch = upstream.pull(Stage.NEVER);
                        if (batch != null) {
                            seen.add(batch.get(0));
                        }
                    }
                }))
                .run()) {
            running.await();
        }
        assertThat(lefts.get()).isLessThan(count + 110);
        return seen;
    }

    @FunctionalInterface
    interface Merging {
        Source<Integer> apply(Source<Integer> left, Source<Integer> right);
    }

    private static long lefts(List<Integer> seen) {
        return seen.stream().filter(n -> n < HALF).count();
    }

    @Test
    void merge_ofBusyInputs_takesTurnsAndBoundsItsBuffers() throws Exception {
        assertThat(lefts(firstOf(80, (left, right) -> left.merge(right)))).isEqualTo(40);
    }

    @Test
    void mergePreferred_ofBusyInputs_takesThePreferredFirst() throws Exception {
        assertThat(lefts(firstOf(80, (left, right) -> left.mergePreferred(right))))
                .isZero();
    }

    @Test
    void mergePrioritized_ofBusyInputs_sharesByWeight() throws Exception {
        assertThat(lefts(firstOf(80, (left, right) -> left.mergePrioritized(List.of(right), 3, 1))))
                .isBetween(59L, 61L);
    }

    record Throwing(String name, UnaryOperator<Source<Integer>> operator) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Returns operators with a function that throws for every tenth element. */
    static List<Throwing> throwing() {
        List<Integer> thousand = IntStream.range(0, 1000).boxed().toList();
        return List.of(
                new Throwing("zipWith", s -> s.zipWith(Source.from(thousand), (n, m) -> check(n))),
                new Throwing("partition", s -> s.partition(2, n -> check(n) % 2, branch -> branch)),
                new Throwing("divertTo", s -> s.divertTo(Sink.ignore(), n -> check(n) < 0)),
                new Throwing("flatMapConcat", s -> s.flatMapConcat(n -> Source.of(check(n)))),
                new Throwing("flatMapMerge", s -> s.flatMapMerge(3, n -> Source.of(check(n)))),
                new Throwing("groupBy", s -> s.groupBy(n -> check(n) % 3, 3, key -> key)),
                new Throwing("splitWhen", s -> s.splitWhen(n -> check(n) % 7 == 0, section -> section)),
                new Throwing("splitAfter", s -> s.splitAfter(n -> check(n) % 7 == 0, section -> section)));
    }

    private static int check(int n) {
        if (n % 10 == 0) {
            throw new IllegalArgumentException("planted at " + n);
        }
        return n;
    }

    @ParameterizedTest
    @MethodSource("throwing")
    void function_thatThrows_isPutToSupervision(Throwing throwing) throws Exception {
        for (Supervision.Decision decision : Supervision.Decision.values()) {
            TrackedSource<Integer> source = TrackedSource.numbers(1000, 7, 0, 64);
            AtomicInteger seen = new AtomicInteger();
            RunningPipeline running = throwing.operator
                    .apply(source.source())
                    .with(Attributes.NONE.withSupervision(Supervision.of(failure -> decision)))
                    .to(Sink.forEach(n -> seen.incrementAndGet()))
                    .run();
            if (decision == Supervision.Decision.FAIL) {
                assertThatThrownBy(running::await).hasMessageContaining("planted at");
                source.assertProtocolKept();
                continue;
            }
            running.await();
            assertThat(seen).as(decision.name()).hasValue(900);
            if (decision == Supervision.Decision.SKIP_UNACKNOWLEDGED) {
                source.assertProtocolKept();
                assertThat(source.finishedCount()).isEqualTo(900);
            } else {
                source.assertAllFinished();
            }
        }
    }

    @Test
    void zipLatestWith_thatThrows_isPutToSupervision() throws Exception {
        for (Supervision.Decision decision : Supervision.Decision.values()) {
            TrackedSource<Integer> left = TrackedSource.numbers(1000, 7, 0, 64);
            TrackedSource<Integer> right = TrackedSource.numbers(1000, 7, 0, 64);
            RunningPipeline running = left.source()
                    .mergeLatest(right.source())
                    .filter(pair -> !pair.isEmpty())
                    .zipLatestWith(Source.of(1), (pair, one) -> check(pair.getFirst()))
                    .with(Attributes.NONE.withSupervision(Supervision.of(failure -> decision)))
                    .to(Sink.ignore())
                    .run();
            TrackedRun.awaitEnd(running);
            left.assertProtocolKept();
            right.assertProtocolKept();
        }
    }

    @Test
    void options_outOfBounds_areRefusedWithTheirValue() {
        Source<Integer> source = Source.of(1);
        assertThatThrownBy(() -> source.interleave(source, 0)).hasMessageContaining("segmentSize=0");
        assertThatThrownBy(() -> source.mergePrioritized(List.of(source), 1)).hasMessageContaining("weights=1");
        assertThatThrownBy(() -> source.mergePrioritized(List.of(source), 1, 0)).hasMessageContaining("weights=0");
        assertThatThrownBy(() -> source.balance(0, s -> s)).hasMessageContaining("branches=0");
        assertThatThrownBy(() -> source.flatMapMerge(0, Source::of)).hasMessageContaining("breadth=0");
        assertThatThrownBy(() -> source.prefixAndTail(-1, (prefix, tail) -> tail))
                .hasMessageContaining("n=-1");
        assertThatThrownBy(() -> MergeHub.create(0)).hasMessageContaining("buffer=0");
        assertThatThrownBy(() -> BroadcastHub.create(0)).hasMessageContaining("buffer=0");
    }

    @Test
    void tail_usedTwice_isRefused() {
        Pipeline twice = Source.of(1, 2, 3)
                .prefixAndTail(1, (prefix, tail) -> tail.concat(tail))
                .to(Sink.ignore());
        assertThatThrownBy(() -> twice.run().await()).hasMessageContaining("can be used once");
    }

    @Test
    void partition_ofAnElementToNoBranch_fails() {
        Pipeline wrong = Source.of(5).partition(2, n -> n, branch -> branch).to(Sink.ignore());
        assertThatThrownBy(() -> wrong.run().await())
                .hasMessageContaining("the function of partition must return 0 to 1: 5");
    }
}
