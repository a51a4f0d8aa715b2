package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the operators with several outputs, for all batch sizes and all endings. */
class FanOutTest extends OperatorEndings {

    @Override
    List<Step> steps() {
        return JunctionSteps.all();
    }

    @ParameterizedTest
    @MethodSource("steps")
    void operator_inPairs_doesAsItsModel(Step step) throws Exception {
        for (Step other : steps()) {
            Endings.normal(List.of(step, Step.async(30), other), 400, 33, 0, 1);
        }
    }

    /** Regression: some unneeded elements stayed unfinished, depending on which branch ended first. */
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

    /** The branch ends in the middle of a group. The side sink has received only the first part of that group. */
    @Test
    void branch_thatEndsWithinAGroupOfWhichASideHasAPart_leavesNothingUnfinished() throws Exception {
        CountDownLatch branchEnded = new CountDownLatch(1);
        CountDownLatch otherMayEnd = new CountDownLatch(1);
        TrackedSource<Integer> source = TrackedSource.numbers(10, 10);
        Sink<Integer> side = Sink.through(part -> part.tap(n -> await(branchEnded))
                .watch(end -> otherMayEnd.countDown())
                .to(Sink.ignore()));
        List<Function<Source<Integer>, Source<Integer>>> branches = List.of(
                branch -> branch.grouped(4).mapConcat(list -> list).take(2).alsoTo(side),
                branch -> branch.concat(Source.resource(
                        () -> {
                            await(otherMayEnd);
                            return otherMayEnd;
                        },
                        opened -> Optional.empty(),
                        opened -> {})));
        try (RunningPipeline running =
                source.source().broadcast(branches).to(Sink.ignore()).run()) {
            long limit = System.nanoTime() + 10_000_000_000L;
            while (source.finishedCount() < 6 && System.nanoTime() < limit) {
                Thread.onSpinWait();
            }
            branchEnded.countDown();
            running.await();
        }
        source.assertAllFinished();
    }

    /** Regression: the number of acknowledgements per group was the square of its size, and more in nested groups. */
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
