package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The operators with several outputs, over batches of all sizes and to each ending. */
class FanOutTest {

    static List<Step> steps() {
        return JunctionSteps.all();
    }

    static Stream<Arguments> stepsAndSizes() {
        return steps().stream().flatMap(step -> Endings.BATCH_SIZES.stream().map(sizes -> Arguments.of(step, sizes)));
    }

    @ParameterizedTest
    @MethodSource("stepsAndSizes")
    void operator_toItsEnd_doesAsItsModelAndFinishesEachInputOnce(Step step, int[] sizes) throws Exception {
        for (int inputs : new int[] {0, 1, 1500}) {
            Endings.normal(List.of(step), inputs, sizes);
        }
        Endings.normal(List.of(Step.mapConcat(3), step), 600, sizes);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_whoseFunctionThrows_failsAndFinishesNothingTooEarly(Step step) {
        for (int seed = 0; seed < 10; seed++) {
            Endings.failing(List.of(step, Step.map()), 1500, 1 + new Random(seed).nextInt(1500), 64, 0, 1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_thatIsCancelled_endsAndFinishesNothingTooEarly(Step step) {
        for (int seed = 0; seed < 10; seed++) {
            Endings.cancelled(List.of(step, Step.map()), 1500, 1 + new Random(seed).nextInt(1500), 64, 0, 1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_whoseSinkReturnsEarly_endsWithoutAFailure(Step step) throws Exception {
        for (int seed = 0; seed < 10; seed++) {
            Endings.stoppedBySink(List.of(step), 1500, new Random(seed).nextInt(700), 64, 0, 1, 7);
            Endings.stoppedBySink(List.of(step, Step.async(16)), 1500, new Random(seed).nextInt(700), 64, 0, 1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_thatIsDrained_finishesAllThatWasHandedOut(Step step) throws Exception {
        for (int seed = 0; seed < 5; seed++) {
            Endings.drained(List.of(step, Step.map()), 1500, 1 + new Random(seed).nextInt(1500), 64, 0, 1, 7);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_inPairs_doesAsItsModel(Step step) throws Exception {
        for (Step other : steps()) {
            Endings.normal(List.of(step, Step.async(30), other), 400, 33, 0, 1);
        }
    }

    /** Whether the elements that a branch does not want were finished depended on which branch ended first. */
    @Test
    void branch_thatEndsEarlyAfterAnotherTookAll_leavesNothingUnfinished() throws Exception {
        CountDownLatch otherEnded = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(100, 10);
        List<Function<Source<Integer>, Source<Integer>>> branches = List.of(
                branch -> branch.watch(end -> otherEnded.countDown()),
                branch -> branch.tap(n -> await(otherEnded)).grouped(3).take(1).mapConcat(list -> list));
        try (RunningPipeline running =
                source.source().broadcast(branches).to(Sink.ignore()).run()) {
            running.await();
        }
        source.assertAllFinished();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each child of a group took a claim on each member along: the square of the group's size, and more within each other. */
    @Test
    void childrenOfAGroup_thatLeaveABranch_shareTheirClaims() throws Exception {
        int size = 500;
        AtomicLong claims = new AtomicLong();
        AtomicLong retained = new AtomicLong();
        AckTarget target = new AckTarget() {
            @Override
            public void ack(long token) {
                claims.decrementAndGet();
            }

            @Override
            public void retain(long token, int more) {
                retained.addAndGet(more);
                claims.addAndGet(more);
            }
        };
        Source<Integer> source = Source.custom("counting", context -> new Stage<>() {
            private boolean ended;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                if (ended) {
                    return null;
                }
                ended = true;
                Batch<Integer> batch = new Batch<>(size);
                for (int i = 0; i < size; i++) {
                    batch.add(i, target, i);
                }
                claims.addAndGet(size);
                return batch;
            }

            @Override
            public void close() {}
        });
        Function<Source<Integer>, Source<Integer>> branch =
                s -> s.grouped(size).mapConcat(list -> list).grouped(size / 5).mapConcat(list -> list);
        try (RunningPipeline running =
                source.broadcast(List.of(branch)).to(Sink.ignore()).run()) {
            running.await();
        }
        assertThat(claims).hasValue(0);
        assertThat(retained.get()).isLessThan(10L * size);
    }
}
