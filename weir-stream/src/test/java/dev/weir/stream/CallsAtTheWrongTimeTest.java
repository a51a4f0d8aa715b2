package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests calls after the end, repeated calls, calls within a stage, and arguments that change after the call. */
class CallsAtTheWrongTimeTest {

    private static final Duration LONG = Duration.ofHours(1);

    /** A call that waits for a pipeline, made by a stage of that pipeline. */
    @FunctionalInterface
    interface Waiting {
        void on(RunningPipeline running) throws InterruptedException;
    }

    static Stream<Waiting> waitingCalls() {
        return Stream.of(running -> running.drain(LONG), RunningPipeline::await, RunningPipeline::close);
    }

    @ParameterizedTest
    @MethodSource("waitingCalls")
    void waitForTheEnd_inAStage_isRefused(Waiting call) {
        assertRefusedInAStage(call, source -> source);
        assertRefusedInAStage(call, source -> source.async());
    }

    @ParameterizedTest
    @MethodSource("waitingCalls")
    void waitForTheEnd_inALane_isRefused(Waiting call) {
        AtomicReference<RunningPipeline> self = new AtomicReference<>();
        SourceQueue<Integer> queue = SourceQueue.of(1);
        Pipeline pipeline = Source.queue(queue)
                .mapBlocking(2, Ordering.unordered(), n -> {
                    call.on(self.get());
                    return n;
                })
                .to(Sink.ignore());
        assertRefused(pipeline, queue, self);
    }

    private static void assertRefusedInAStage(Waiting call, Function<Source<Integer>, Source<Integer>> above) {
        AtomicReference<RunningPipeline> self = new AtomicReference<>();
        SourceQueue<Integer> queue = SourceQueue.of(1);
        Pipeline pipeline = above.apply(Source.queue(queue)).to(Sink.forEach(n -> {
            try {
                call.on(self.get());
            } catch (InterruptedException interrupted) {
                throw new AssertionError("it waited", interrupted);
            }
        }));
        assertRefused(pipeline, queue, self);
    }

    private static void assertRefused(
            Pipeline pipeline, SourceQueue<Integer> queue, AtomicReference<RunningPipeline> self) {
        try (RunningPipeline running = pipeline.named("orders").run()) {
            self.set(running);
            queue.offer(1);
            assertThatThrownBy(running::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in a stage of pipeline orders would wait for its own end; call stop()");
        }
    }

    @ParameterizedTest
    @MethodSource("waitingCalls")
    void waitForTheEnd_atTheStart_isRefused(Waiting call) {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 1);
        Pipeline pipeline = source.source().to(Sink.ignore()).named("orders").onStart(running -> {
            try {
                call.on(running);
            } catch (InterruptedException interrupted) {
                throw new AssertionError("it waited", interrupted);
            }
        });
        assertThatThrownBy(pipeline::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("at the start of pipeline orders would wait for its own end; call stop()");
    }

    @Test
    void drain_ofAnotherPipelineInAStage_works() throws InterruptedException {
        try (RunningPipeline other = Source.never().to(Sink.ignore()).run()) {
            assertThat(Source.of(1)
                            .mapBlocking(
                                    1, Ordering.input(), n -> other.drain(LONG).drained())
                            .toList())
                    .containsExactly(true);
        }
    }

    @Test
    void stop_inAStage_endsThePipeline() throws InterruptedException {
        AtomicReference<RunningPipeline> self = new AtomicReference<>();
        SourceQueue<Integer> queue = SourceQueue.of(1);
        Pipeline pipeline = Source.queue(queue).to(Sink.forEach(n -> self.get().stop()));
        try (RunningPipeline running = pipeline.run()) {
            self.set(running);
            queue.offer(1);
            assertThat(running.await().drained()).isTrue();
        }
    }

    @Test
    void everyCall_afterTheEnd_isAnsweredAtOnce() throws InterruptedException {
        try (RunningPipeline running = Source.of(1).to(Sink.ignore()).run()) {
            DrainReport report = running.await();
            running.stop();
            running.cancel();
            running.cancel();
            Stream.of(running).forEach(RunningPipeline::close);
            assertThat(running.drain(LONG)).isSameAs(report);
            assertThat(running.await()).isSameAs(report);
        }
    }

    @Test
    void close_byAnInterruptedThread_cancelsAndLeavesItInterrupted() throws InterruptedException {
        TrackedSource<Integer> source = TrackedSource.numbers(1, 1).heldOpen();
        CountDownLatch handled = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        RunningPipeline running = source.source()
                .to(Sink.forEach(number -> {
                    handled.countDown();
                    never.await();
                }))
                .run();
        handled.await(); // the pipeline cannot drain from now on
        Thread.currentThread().interrupt();
        running.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        source.assertProtocolKept();
    }

    @Test
    void queues_afterTheEnd_answerThatTheyAreClosed() throws InterruptedException {
        SourceQueue<Integer> in = SourceQueue.of(1);
        SinkQueue<Integer> out = SinkQueue.create();
        in.complete();
        in.complete();
        in.fail(new IllegalStateException("too late to count"));
        assertThat(in.offer(1)).isEqualTo(new SourceQueue.Closed(null));
        assertThat(in.offer(1, LONG)).isEqualTo(new SourceQueue.Closed(null));
        try (RunningPipeline running = Source.queue(in).to(Sink.queue(out)).run()) {
            assertThat(out.take()).isEmpty();
            assertThat(out.take()).isEmpty();
            out.cancel();
            out.cancel();
            running.await();
        }
    }

    @Test
    void killSwitch_turnedTwice_heedsTheFirst() throws InterruptedException {
        KillSwitch killSwitch = new KillSwitch();
        killSwitch.shutdown();
        killSwitch.abort(new IllegalStateException("too late to count"));
        assertThat(Source.repeat(1).via(killSwitch).toList()).isEmpty();
    }

    /** Every operator of the pipeline has state. */
    @Test
    void blueprint_runTwice_startsAgain() throws InterruptedException {
        AtomicInteger starts = new AtomicInteger();
        Source<Integer> source = Source.fromIterator(() -> {
                    starts.incrementAndGet();
                    return List.of(1, 1, 2).iterator();
                })
                .deduplicate(n -> n, 9)
                .scan(0, Integer::sum)
                .statefulMap(AtomicInteger::new, (sum, n) -> sum.addAndGet(n))
                .take(3);
        assertThat(source.toList()).containsExactly(0, 1, 4);
        assertThat(source.toList()).containsExactly(0, 1, 4);
        assertThat(starts).hasValue(2);
    }

    @Test
    void argument_changedAfterTheCall_changesNothing() throws InterruptedException {
        Integer[] elements = {1, 2};
        Source<Integer> of = Source.of(elements);
        elements[0] = 9;
        List<Source<Integer>> others = new ArrayList<>(List.of(Source.of(3)));
        int[] weights = {1, 1};
        Source<Integer> merged = of.mergePrioritized(others, weights);
        others.clear();
        Arrays.fill(weights, 0);
        List<Function<Source<Integer>, Source<Integer>>> branches = new ArrayList<>(List.of(branch -> branch));
        Source<Integer> broadcast = of.broadcast(branches);
        branches.clear();

        assertThat(of.toList()).containsExactly(1, 2);
        assertThat(merged.toList()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(broadcast.toList()).containsExactly(1, 2);
    }
}
