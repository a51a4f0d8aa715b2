package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Lineage.Item;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests each operator with two inputs against its model, for all batch sizes and all ways to end a stream. */
class FanInTest {

    /** Joins two inputs. One numbers its elements from 0, the other from 10,000. */
    @FunctionalInterface
    interface Joined {
        Source<Item> apply(Source<Item> left, Source<Item> right, Books books);
    }

    /** Computes the result in plain Java. The result is sorted if its order depends on timing. */
    @FunctionalInterface
    interface Model {
        List<Long> apply(List<Long> left, List<Long> right);
    }

    record Join(String name, boolean keepsOrder, boolean finishesAll, Joined joined, Model model) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** The lineage of both inputs. Also records which inputs went into any output. */
    static final class Books {
        final Lineage lineage;
        private final BitSet used = new BitSet();

        Books(int inputs) {
            lineage = new Lineage(inputs);
        }

        /** Returns an output made of two elements. */
        Item use(Item left, Item right) {
            useAgain(left);
            useAgain(right);
            return Item.merged(List.of(left, right));
        }

        private void useAgain(Item item) {
            int input = item.firstInput();
            if (used.get(input)) {
                lineage.split(item, 2);
            }
            used.set(input);
        }

        boolean mayFinish(int input) {
            return lineage.isDone(input);
        }
    }

    private static final long RIGHT = 10_000;

    private static List<Long> sorted(List<Long> left, List<Long> right) {
        return Stream.concat(left.stream(), right.stream()).sorted().toList();
    }

    private static List<Long> interleaved(List<Long> left, List<Long> right, int size) {
        List<Long> out = new ArrayList<>();
        for (int i = 0; i < Math.max(left.size(), right.size()); i += size) {
            out.addAll(left.subList(Math.min(i, left.size()), Math.min(i + size, left.size())));
            out.addAll(right.subList(Math.min(i, right.size()), Math.min(i + size, right.size())));
        }
        return out;
    }

    private static List<Long> zipped(List<Long> left, List<Long> right) {
        return IntStream.range(0, Math.min(left.size(), right.size()))
                .mapToObj(i -> left.get(i) + right.get(i))
                .toList();
    }

    private static List<Long> zippedToTheLongest(List<Long> left, List<Long> right) {
        return IntStream.range(0, Math.max(left.size(), right.size()))
                .mapToObj(i -> (i < left.size() ? left.get(i) : 0) + (i < right.size() ? right.get(i) : 0))
                .toList();
    }

    static List<Join> joins() {
        return Stream.concat(merges().stream(), zips().stream()).toList();
    }

    private static List<Join> merges() {
        Comparator<Item> modulo = Comparator.comparingLong(item -> item.value % RIGHT);
        return List.of(
                new Join("merge", false, true, (a, b, books) -> a.merge(b), FanInTest::sorted),
                new Join("mergePreferred", false, true, (a, b, books) -> a.mergePreferred(b), FanInTest::sorted),
                new Join(
                        "mergePrioritized",
                        false,
                        true,
                        (a, b, books) -> a.mergePrioritized(List.of(b), 3, 1),
                        FanInTest::sorted),
                new Join(
                        "mergeSorted",
                        true,
                        true,
                        (a, b, books) -> a.mergeSorted(b, modulo),
                        (a, b) -> Stream.concat(a.stream(), b.stream())
                                .sorted(Comparator.comparingLong(v -> v % RIGHT))
                                .toList()),
                new Join(
                        "concat",
                        true,
                        true,
                        (a, b, books) -> a.concat(b),
                        (a, b) -> Stream.concat(a.stream(), b.stream()).toList()),
                new Join(
                        "prepend",
                        true,
                        true,
                        (a, b, books) -> a.prepend(b),
                        (a, b) -> Stream.concat(b.stream(), a.stream()).toList()),
                new Join("orElse", true, false, (a, b, books) -> a.orElse(b), (a, b) -> a.isEmpty() ? b : a),
                new Join(
                        "interleave1", true, true, (a, b, books) -> a.interleave(b, 1), (a, b) -> interleaved(a, b, 1)),
                new Join(
                        "interleave17",
                        true,
                        true,
                        (a, b, books) -> a.interleave(b, 17),
                        (a, b) -> interleaved(a, b, 17)));
    }

    private static List<Join> zips() {
        return List.of(
                new Join(
                        "zip",
                        true,
                        false,
                        (a, b, books) -> a.zip(b).map(pair -> Item.merged(List.of(pair.first(), pair.second()))),
                        FanInTest::zipped),
                new Join(
                        "zipN",
                        true,
                        false,
                        (a, b, books) ->
                                a.zipN(b, Source.repeat(Item.merged(List.of()))).map(Item::merged),
                        FanInTest::zipped),
                new Join(
                        "allZipped",
                        true,
                        true,
                        (a, b, books) -> a.zipAll(b, Item.merged(List.of()), Item.merged(List.of()))
                                .map(pair -> Item.merged(List.of(pair.first(), pair.second()))),
                        FanInTest::zippedToTheLongest),
                new Join(
                        "zipWith",
                        true,
                        false,
                        (a, b, books) -> a.async().zipWith(b.async(), (x, y) -> Item.merged(List.of(x, y))),
                        FanInTest::zipped));
    }

    static Stream<Arguments> joinsAndSizes() {
        return joins().stream().flatMap(join -> Endings.BATCH_SIZES.stream().map(sizes -> Arguments.of(join, sizes)));
    }

    static final class Run {
        final Books books;
        final TrackedSource<Item> left;
        final TrackedSource<Item> right;
        final List<Long> seen = new ArrayList<>();
        final List<Long> leftValues;
        final List<Long> rightValues;
        private final Join join;

        Run(Join join, int lefts, int rights, int... sizes) {
            this.join = join;
            books = new Books(lefts + rights);
            List<Item> items = books.lineage.inputs();
            left = TrackedSource.of(items.subList(0, lefts), sizes).mayFinish(books::mayFinish);
            List<Item> others = items.subList(lefts, lefts + rights).stream()
                    .map(item -> item.with(item.value - lefts + RIGHT))
                    .toList();
            right = TrackedSource.of(others, sizes).mayFinish(index -> books.mayFinish(lefts + index));
            leftValues = JunctionSteps.range(0, lefts);
            rightValues = JunctionSteps.range(RIGHT, RIGHT + rights);
        }

        RunningPipeline start(Runnable tick) {
            return join.joined
                    .apply(left.source(), right.source(), books)
                    .to(Sink.forEach(item -> {
                        tick.run();
                        seen.add(item.value);
                        books.lineage.done(item);
                    }))
                    .run();
        }
    }

    @ParameterizedTest
    @MethodSource("joinsAndSizes")
    void join_toItsEnd_doesAsItsModelAndFinishesWhatItUsed(Join join, int[] sizes) throws Exception {
        for (int[] counts : new int[][] {{0, 0}, {0, 5}, {5, 0}, {1, 700}, {700, 1}, {600, 600}, {520, 300}}) {
            Run run = new Run(join, counts[0], counts[1], sizes);
            try (RunningPipeline running = run.start(() -> {})) {
                assertThat(running.await().drained()).isTrue();
                assertThat(running.stages()).allMatch(stage -> stage.depth() == 0);
            }
            List<Long> expected = join.model.apply(run.leftValues, run.rightValues);
            assertThat(join.keepsOrder ? run.seen : run.seen.stream().sorted().toList())
                    .isEqualTo(expected);
            if (join.finishesAll) {
                run.left.assertAllFinished();
                run.right.assertAllFinished();
                assertThat(run.seen.stream().filter(value -> value < RIGHT)).isSorted();
                assertThat(run.seen.stream().filter(value -> value >= RIGHT)).isSorted();
            } else {
                run.left.assertProtocolKept();
                run.right.assertProtocolKept();
                int pairs = expected.size();
                boolean zip = join.name.startsWith("zip");
                assertThat(run.left.finishedCount()).isEqualTo(zip ? pairs : counts[0]);
                assertThat(run.right.finishedCount()).isEqualTo(zip || counts[0] == 0 ? pairs : 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("joins")
    void join_thatFailsOrIsCancelledOrStopped_finishesNothingTooEarly(Join join) throws Exception {
        IllegalStateException planted = new IllegalStateException("planted");
        for (int seed = 0; seed < 10; seed++) {
            int call = 1 + new Random(seed).nextInt(600);
            Run failing = new Run(join, 700, 700, 64, 0, 1, 7);
            RunningPipeline running = failing.start(Endings.at(call, () -> {
                throw planted;
            }));
            assertThatThrownBy(running::await).isSameAs(planted);
            failing.left.assertProtocolKept();
            failing.right.assertProtocolKept();

            Run stopped = new Run(join, 700, 700, 64, 0, 1, 7);
            stopped.left.heldOpen();
            stopped.right.heldOpen();
            RunningPipeline draining = stopped.start(() -> {});
            draining.stop();
            assertThat(draining.await().drained()).isTrue();
            stopped.left.assertProtocolKept();
            stopped.right.assertProtocolKept();

            Run cancelled = new Run(join, 700, 700, 64, 0, 1, 7);
            RunningPipeline cancelling = cancelled.start(() -> {});
            cancelling.cancel();
            TrackedRun.awaitEnd(cancelling);
            cancelled.left.assertProtocolKept();
            cancelled.right.assertProtocolKept();
        }
    }

    @ParameterizedTest
    @MethodSource("joins")
    void join_whoseInputFails_failsWithThat(Join join) {
        IllegalStateException planted = new IllegalStateException("planted");
        AtomicInteger calls = new AtomicInteger();
        Run run = new Run(join, 700, 700, 64, 0, 1, 7);
        Source<Item> failing = run.left.source().map(item -> {
            if (calls.incrementAndGet() == 500) {
                throw planted;
            }
            return item;
        });
        RunningPipeline running = join.joined
                .apply(failing, run.right.source(), run.books)
                .to(Sink.forEach(run.books.lineage::done))
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        run.left.assertProtocolKept();
        run.right.assertProtocolKept();
    }

    @Test
    void latest_ofTwoInputs_combinesFromWhenBothHaveOneAndKeepsTheBooks() throws Exception {
        Join latest = new Join(
                "zipLatestWith",
                true,
                false,
                (a, b, books) -> a.zipLatestWith(b, (x, y) -> books.use(x, y)),
                FanInTest::zipped);
        for (int[] sizes : Endings.BATCH_SIZES) {
            Run run = new Run(latest, 600, 600, sizes);
            run.left.mayFinish(index -> !run.books.used.get(index) || run.books.mayFinish(index));
            run.right.mayFinish(index -> !run.books.used.get(600 + index) || run.books.mayFinish(600 + index));
            try (RunningPipeline running = run.start(() -> {})) {
                assertThat(running.await().drained()).isTrue();
            }
            run.left.assertProtocolKept();
            run.right.assertProtocolKept();
            assertThat(run.seen).isSorted();
            for (int i = 0; i < 600; i++) {
                assertThat(!run.books.used.get(i) || run.left.isFinished(i)).isTrue();
                assertThat(!run.books.used.get(600 + i) || run.right.isFinished(i))
                        .isTrue();
            }
        }
    }

    @Test
    void mergeLatest_atTheEndOfAll_hasFinishedAllInputs() throws Exception {
        TrackedSource<Integer> left = TrackedSource.numbers(700, 7, 0, 64);
        TrackedSource<Integer> right = TrackedSource.numbers(300, 1);
        List<Integer> last = new ArrayList<>();
        try (RunningPipeline running = left.source()
                .mergeLatest(right.source())
                .grouped(5)
                .mapConcat(lists -> lists)
                .to(Sink.forEach(latest -> {
                    last.clear();
                    last.addAll(latest);
                }))
                .run()) {
            running.await();
        }
        assertThat(last).containsExactly(699, 299);
        left.assertAllFinished();
        right.assertAllFinished();
    }
}
