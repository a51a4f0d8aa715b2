package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests queues between pipelines and other threads. */
class QueuesTest {

    private static final Duration LONG = Duration.ofSeconds(50);

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10_000})
    void sourceQueue_filledByManyThreads_losesNothingAndKeepsEachThreadsOrder(int capacity) throws Exception {
        SourceQueue<int[]> queue = SourceQueue.of(capacity);
        ResultSink<int[], List<int[]>> list = Sink.toList();
        try (RunningPipeline running = Source.queue(queue).to(list).run()) {
            List<CompletableFuture<Void>> offering = IntStream.range(0, 4)
                    .mapToObj(thread -> CompletableFuture.runAsync(
                            () -> offerAll(queue, thread, 500),
                            task -> Thread.ofVirtual().start(task)))
                    .toList();
            offering.forEach(CompletableFuture::join);
            queue.complete();
            int[] nextOf = new int[4];
            for (int[] each : running.result(list).join()) {
                assertThat(each[1]).isEqualTo(nextOf[each[0]]++);
            }
            assertThat(nextOf).containsExactly(500, 500, 500, 500);
        }
    }

    private static void offerAll(SourceQueue<int[]> queue, int thread, int count) {
        try {
            for (int i = 0; i < count; i++) {
                assertThat(queue.offer(new int[] {thread, i}, LONG)).isInstanceOf(SourceQueue.Enqueued.class);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void sourceQueue_thatIsFull_refusesOrLetsWait() throws Exception {
        SourceQueue<Integer> queue = SourceQueue.of(2);
        assertThat(queue.offer(0)).isInstanceOf(SourceQueue.Enqueued.class);
        assertThat(queue.offer(1)).isInstanceOf(SourceQueue.Enqueued.class);
        assertThat(queue.offer(2)).isInstanceOf(SourceQueue.Full.class);
        assertThat(queue.offer(2, Duration.ofNanos(1))).isInstanceOf(SourceQueue.Full.class);
        assertThat(queue.size()).isEqualTo(2);
        CompletableFuture<List<Integer>> list = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return Source.queue(queue).toList();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
        assertThat(queue.offer(2, LONG)).isInstanceOf(SourceQueue.Enqueued.class);
        queue.complete();
        assertThat(list.join()).isEqualTo(numbers(3));
        assertThat(queue.offer(3, LONG)).isEqualTo(new SourceQueue.Closed(null));
    }

    @Test
    void sourceQueue_thatFails_failsTheStreamBehindWhatWasInIt() {
        SourceQueue<Integer> queue = SourceQueue.of(10);
        numbers(3).forEach(queue::offer);
        IllegalStateException failure = new IllegalStateException("no more");
        queue.fail(failure);
        queue.complete(); // too late to matter
        assertThat(queue.offer(4)).isEqualTo(new SourceQueue.Closed(failure));
        int[] seen = new int[1];
        RunningPipeline running =
                Source.queue(queue).to(Sink.forEach(n -> seen[0]++)).run();
        assertThatThrownBy(running::await).isSameAs(failure);
        assertThat(seen[0]).isEqualTo(3);
    }

    @Test
    void sourceQueue_ofAStoppedPipeline_handsOverWhatIsInItAndTakesNoMore() throws Exception {
        SourceQueue<Integer> queue = SourceQueue.of(2000);
        numbers(2000).forEach(queue::offer);
        ResultSink<Integer, Long> count = Sink.count();
        try (RunningPipeline running = Source.queue(queue).to(count).run()) {
            running.stop();
            assertThat(queue.isClosed()).isTrue();
            assertThat(running.result(count).join()).isEqualTo(2000);
        }
    }

    @Test
    void sourceQueue_whosePipelineEndsOtherwise_isClosedAndWakesWhoWaits() throws Exception {
        SourceQueue<Integer> queue = SourceQueue.of(1);
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        RunningPipeline running = Source.queue(queue)
                .to(Sink.forEachBlocking(1, n -> {
                    taken.countDown();
                    never.await();
                }))
                .run();
        CompletableFuture<SourceQueue.Offer> last = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        SourceQueue.Offer offer;
                        do {
                            offer = queue.offer(1, LONG);
                        } while (offer instanceof SourceQueue.Enqueued);
                        return offer;
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
        taken.await();
        running.cancel();
        assertThat(last.join()).isInstanceOf(SourceQueue.Closed.class);
        TrackedRun.awaitEnd(running);
        assertThat(queue.size()).isZero();
    }

    @Test
    void queues_inASecondRun_areRefused() throws Exception {
        SourceQueue<Integer> in = SourceQueue.of(1);
        SinkQueue<Integer> out = SinkQueue.create();
        in.complete();
        Pipeline pipeline = Source.queue(in).to(Sink.queue(out));
        try (RunningPipeline running = pipeline.run()) {
            assertThat(out.take()).isEmpty();
            running.await();
        }
        assertThatThrownBy(pipeline::run).hasMessageContaining("feeds one run");
        assertThatThrownBy(Source.of(1).to(Sink.queue(out))::run).hasMessageContaining("serves one run");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 512})
    void sinkQueue_acknowledgesWhenTheTakerComesBack(int batchSize) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, batchSize);
        SinkQueue<Integer> queue = SinkQueue.create();
        try (RunningPipeline running = source.source().to(Sink.queue(queue)).run()) {
            for (int i = 0; i < 20; i++) {
                assertThat(queue.take()).contains(i);
                assertThat(source.finishedCount()).isEqualTo(i);
                assertThat(source.pulled()).isLessThanOrEqualTo(i + batchSize);
            }
            assertThat(queue.isEnded()).isFalse();
            assertThat(queue.poll(LONG)).isEmpty();
            assertThat(queue.isEnded()).isTrue();
            assertThat(queue.take()).isEmpty();
            running.await();
        }
        source.assertAllFinished();
    }

    @Test
    void sinkQueue_thatIsCancelled_closesTheStreamAndAcknowledgesNoMore() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 7).heldOpen();
        SinkQueue<Integer> queue = SinkQueue.create();
        try (RunningPipeline running = source.source().to(Sink.queue(queue)).run()) {
            queue.take();
            queue.take();
            queue.cancel();
            assertThat(queue.take()).isEmpty();
            assertThat(running.await().drained()).isTrue();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isEqualTo(1);
        assertThat(source.waitedFor()).isEmpty();
    }

    @Test
    void sinkQueue_cancelledBeforeTheRun_leavesNoElementPending() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(20, 7).heldOpen();
        SinkQueue<Integer> queue = SinkQueue.create();
        queue.cancel();
        try (RunningPipeline running = source.source().to(Sink.queue(queue)).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
        assertThat(source.waitedFor()).isEmpty();
    }

    @Test
    void sinkQueue_ofAPipelineThatFails_throwsThatToItsTaker() {
        SinkQueue<Integer> failing = SinkQueue.create();
        RunningPipeline failed = Source.<Integer>failed(new IllegalStateException("broken"))
                .to(Sink.queue(failing))
                .run();
        assertThatThrownBy(failing::take).hasMessage("broken");
        assertThatThrownBy(failed::await).hasMessage("broken");

        SinkQueue<Integer> cancelling = SinkQueue.create();
        RunningPipeline cancelled =
                Source.<Integer>never().to(Sink.queue(cancelling)).run();
        cancelled.cancel();
        assertThatThrownBy(cancelling::take).isInstanceOf(CancellationException.class);
    }

    @Test
    void sinkQueue_polledInVain_returnsAtTheDeadline() throws Exception {
        SinkQueue<Integer> queue = SinkQueue.create();
        try (RunningPipeline running =
                Source.<Integer>never().to(Sink.queue(queue)).run()) {
            assertThat(queue.poll(Duration.ofNanos(1))).isEqualTo(Optional.empty());
            assertThat(queue.isEnded()).isFalse();
            running.stop();
            assertThat(queue.take()).isEmpty();
        }
    }
}
