package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Source;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests workers without a pipeline. The test feeds the stage and pulls it. */
class BlockingWorkersTest {

    private static final int MEETS = 0;
    private static final int BLOCKS = 1;
    private static final int QUICK = 2;

    private final CyclicBarrier meeting = new CyclicBarrier(2);
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    private int handle(int element) throws Exception {
        if (element == MEETS) {
            meeting.await(50, TimeUnit.SECONDS);
        } else if (element == BLOCKS) {
            blocked.countDown();
            mayReturn.await();
        }
        return element;
    }

    private static WorkerTasks tasks(Dispatcher dispatcher) {
        return new WorkerTasks(new TaskGroup("test", escaped -> {}), dispatcher, "test");
    }

    private static BlockingWorkers<Integer, Integer> stage(
            Handler<Integer, Integer> handler, WorkerTasks tasks, Clock clock) {
        SupervisedCall supervised = SupervisedCall.by(
                new StageAttributes(Attributes.named("test").withSupervision(Supervision.fail())), clock);
        return new BlockingWorkers<>(
                Ordering.unordered(),
                handler,
                new WorkerStages.Parts(
                        new WorkerLimit(Parallelism.fixed(2), 0), supervised, new StageMeter(), tasks, clock, 16));
    }

    private static void feed(BlockingWorkers<Integer, Integer> stage, Object... elements) throws InterruptedException {
        Batch<Integer> batch = Batch.unacknowledged(elements, elements.length);
        assertThat(stage.add(batch, new long[0], new StageMeter())).isTrue();
    }

    /** Pulls until there are {@code count} elements. A stage that hangs makes the test fail after a while. */
    private static int pulled(BlockingWorkers<Integer, Integer> stage, int count) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int pulled = 0;
        Batch<Integer> batch;
        while (pulled < count && (batch = stage.pull(deadline)) != null && !batch.isEmpty()) {
            pulled += batch.size();
        }
        return pulled;
    }

    /**
     * A worker was woken to watch the others, but ended because the parallelism had been lowered. Regression: while a
     * handler blocked, no watcher was requested again, and no other element was begun.
     */
    @Test
    void watcher_thatEndsBeforeItWatches_isReplaced() throws Exception {
        WorkerTasks tasks = tasks(Dispatcher.virtual());
        BlockingWorkers<Integer, Integer> stage = stage(this::handle, tasks, Clock.SYSTEM);
        // Afterwards, both workers are idle.
        feed(stage, MEETS, MEETS);
        assertThat(pulled(stage, 2)).isEqualTo(2);
        stage.lock.lock();
        try {
            for (int n = 0; n < 200; n++) {
                stage.pace.add(0);
            }
            assertThat(stage.pace.isQuick()).isTrue();
        } finally {
            stage.lock.unlock();
        }
        feed(stage, BLOCKS);
        blocked.await();
        stage.lock.lock();
        try {
            feed(stage, QUICK);
            stage.resize(1);
        } finally {
            stage.lock.unlock();
        }
        while (tasks.begun() > 1) {
            Thread.onSpinWait();
        }
        stage.resize(2);
        assertThat(pulled(stage, 1)).isEqualTo(1);
        mayReturn.countDown();
        assertThat(pulled(stage, 1)).isEqualTo(1);
        stage.close();
    }

    /** Results leave together after an eighth of a handler's duration. */
    @ParameterizedTest
    @CsvSource({"1000, 0", "799999, 0", "800000, 100000", "4000000, 500000", "8000000, 1000000", "100000000, 1000000"})
    void gatherNanos_areAnEighthOfTheDuration_withinBounds(long handlerNanos, long gatherNanos) {
        BlockingWorkers<Integer, Integer> stage = stage(this::handle, tasks(Dispatcher.virtual()), Clock.SYSTEM);
        stage.pace.add(handlerNanos);
        assertThat(stage.gatherNanos()).isEqualTo(gatherNanos);
        BlockingWorkers<Integer, Integer> virtual =
                stage(this::handle, tasks(Dispatcher.virtual()), new VirtualClock());
        virtual.pace.add(handlerNanos);
        assertThat(virtual.gatherNanos()).isZero();
        BlockingWorkers<Integer, Integer> pooled = stage(this::handle, tasks(Dispatcher.cpu()), Clock.SYSTEM);
        pooled.pace.add(handlerNanos);
        assertThat(pooled.gatherNanos()).isZero();
    }

    @Test
    void concurrency_isBounded() {
        Source<Integer> source = Source.of(1);
        assertThat(source.mapBlocking(100_000, Ordering.input(), n -> n)).isNotNull();
        assertThatThrownBy(() -> source.mapBlocking(100_001, Ordering.input(), n -> n))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("concurrency must be 1 to 100000: concurrency=100001");
    }
}
