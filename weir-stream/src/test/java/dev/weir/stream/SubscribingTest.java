package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests publishers as sources: demand, order, and endings. checks/interop runs the TCK. */
class SubscribingTest {

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** A publisher for one subscriber. The test tells it what to do. Records the calls that it receives. */
    private static final class Scripted implements Flow.Publisher<Integer>, Flow.Subscription {

        final AtomicReference<Flow.Subscriber<? super Integer>> subscriber = new AtomicReference<>();
        final List<Long> requests = Collections.synchronizedList(new ArrayList<>());
        final AtomicLong requested = new AtomicLong();
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch cancelled = new CountDownLatch(1);
        final AtomicInteger sent = new AtomicInteger();

        @Override
        public void subscribe(Flow.Subscriber<? super Integer> newcomer) {
            subscriber.set(newcomer);
        }

        void accept() {
            subscriber.get().onSubscribe(this);
        }

        void send(int count) {
            for (int i = 0; i < count; i++) {
                subscriber.get().onNext(sent.getAndIncrement());
            }
        }

        @Override
        public void request(long elements) {
            requests.add(elements);
            requested.addAndGet(elements);
            asked.countDown();
        }

        @Override
        public void cancel() {
            cancelled.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 256, 5000})
    void publisher_deliversAllInOrder_withinItsBuffer(int buffer) throws Exception {
        AtomicLong requested = new AtomicLong();
        AtomicLong mostAhead = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        Flow.Publisher<Integer> publisher = Source.from(numbers(20_000)).asPublisher();
        Flow.Publisher<Integer> watched = subscriber -> publisher.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(new Flow.Subscription() {
                    @Override
                    public void request(long elements) {
                        mostAhead.accumulateAndGet(requested.addAndGet(elements) - taken.get(), Math::max);
                        subscription.request(elements);
                    }

                    @Override
                    public void cancel() {
                        subscription.cancel();
                    }
                });
            }

            @Override
            public void onNext(Integer element) {
                subscriber.onNext(element);
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
            }
        });
        List<Integer> seen = new ArrayList<>();
        Source.fromPublisher(watched, buffer)
                .to(Sink.forEach(n -> {
                    seen.add(n);
                    taken.incrementAndGet();
                }))
                .run()
                .await();
        assertThat(seen).isEqualTo(numbers(20_000));
        // The buffer limits queued and requested elements. The batch that was just taken is not included.
        assertThat(mostAhead.get()).isBetween((long) buffer, buffer + Math.min(buffer, 512L));
    }

    @Test
    void demand_isTheBufferAndThenItsHalves() throws Exception {
        Scripted publisher = new Scripted();
        CountDownLatch sawLast = new CountDownLatch(8);
        RunningPipeline running = Source.fromPublisher(publisher, 8)
                .to(Sink.forEach(n -> sawLast.countDown()))
                .run();
        publisher.accept();
        publisher.asked.await();
        assertThat(publisher.requests).containsExactly(8L);
        publisher.send(8);
        sawLast.await();
        publisher.subscriber.get().onComplete();
        running.await();
        assertThat(publisher.requests).allMatch(elements -> elements >= 4);
        assertThat(publisher.requested.get()).isBetween(8L, 16L);
    }

    @Test
    void publisherThatSendsUnasked_isCancelledAndFailsTheStreamBehindWhatFits() throws Exception {
        Scripted publisher = new Scripted();
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RunningPipeline running = Source.fromPublisher(publisher, 4)
                .to(Sink.forEach(n -> {
                    seen.add(n);
                    stalled.countDown();
                    await(goOn);
                }))
                .run();
        publisher.accept();
        publisher.asked.await();
        publisher.send(1);
        stalled.await();
        publisher.send(5);
        goOn.countDown();
        assertThatThrownBy(running::await).hasMessageContaining("buffer=4");
        publisher.cancelled.await();
        assertThat(seen).containsExactly(0, 1, 2, 3, 4);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failure_comesBehindTheElementsBeforeIt_andIsWrappedIfChecked() throws Exception {
        Scripted publisher = new Scripted();
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running =
                Source.fromPublisher(publisher, 4).to(Sink.forEach(seen::add)).run();
        publisher.accept();
        publisher.send(3);
        publisher.subscriber.get().onError(new IOException("planted"));
        assertThatThrownBy(running::await)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("planted");
        assertThat(seen).containsExactly(0, 1, 2);
        assertThat(publisher.cancelled.getCount()).isEqualTo(1);
    }

    @Test
    void interruptOfThePublisher_isNoInterruptOfThePipeline() {
        Scripted publisher = new Scripted();
        RunningPipeline running =
                Source.fromPublisher(publisher, 4).to(Sink.ignore()).run();
        publisher.accept();
        publisher.subscriber.get().onError(new InterruptedException("theirs"));
        assertThatThrownBy(running::await).hasMessage("the publisher failed").hasRootCauseMessage("theirs");
    }

    @Test
    void stop_cancelsAndHandsOverWhatHadCome() throws Exception {
        Scripted publisher = new Scripted();
        List<Integer> seen = new ArrayList<>();
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch stalled = new CountDownLatch(1);
        RunningPipeline running = Source.fromPublisher(publisher, 8)
                .to(Sink.forEach(n -> {
                    stalled.countDown();
                    await(goOn);
                    seen.add(n);
                }))
                .run();
        publisher.accept();
        publisher.send(1);
        stalled.await();
        publisher.send(4);
        running.stop();
        publisher.send(2);
        goOn.countDown();
        assertThat(running.await().drained()).isTrue();
        publisher.cancelled.await();
        assertThat(seen).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void cancelledPipeline_cancelsTheSubscription_evenOneThatComesLater() throws Exception {
        Scripted prompt = new Scripted();
        RunningPipeline first =
                Source.fromPublisher(prompt, 8).to(Sink.ignore()).run();
        prompt.accept();
        first.cancel();
        prompt.cancelled.await();

        Scripted late = new Scripted();
        RunningPipeline second = Source.fromPublisher(late, 8).to(Sink.ignore()).run();
        second.cancel();
        TrackedRun.awaitEnd(second);
        late.accept();
        assertThat(late.cancelled.getCount()).isZero();
        assertThat(late.requests).isEmpty();
    }

    @Test
    void publisherThatNeverAnswers_doesNotHoldUpAStop() throws Exception {
        RunningPipeline running =
                Source.fromPublisher(new Scripted(), 8).to(Sink.ignore()).run();
        running.stop();
        assertThat(running.await().drained()).isTrue();
    }

    @Test
    void publisherThatRefuses_failsTheStart() {
        Flow.Publisher<Integer> refusing = subscriber -> {
            throw new IllegalStateException("planted");
        };
        Pipeline pipeline = Source.fromPublisher(refusing, 8).to(Sink.ignore());
        assertThatThrownBy(pipeline::run).hasMessage("planted");
    }

    @Test
    void buffer_ofNothing_isRefused() {
        assertThatThrownBy(() -> Source.fromPublisher(new Scripted(), 0)).hasMessageContaining("buffer=0");
        assertThatThrownBy(() -> Source.processor(0, source -> source)).hasMessageContaining("buffer=0");
    }

    @Test
    void pull_withADeadline_returnsAnEmptyBatchInsteadOfWaiting() throws Exception {
        Scripted publisher = new Scripted();
        RunningPipeline running = Source.fromPublisher(publisher, 8)
                .to(Sink.<Integer>custom("impatient", context -> upstream -> {
                    Batch<Integer> batch = upstream.pull(System.nanoTime() + 1_000_000);
                    assertThat(batch).isNotNull().returns(true, Batch::isEmpty);
                }))
                .run();
        assertThat(running.await().drained()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64})
    void submissionPublisher_feedsAPipelineFromManyThreads(int buffer) throws Exception {
        int threads = 4;
        int each = 2000;
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running;
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>()) {
            running = Source.fromPublisher(publisher, buffer)
                    .mapBlocking(8, Ordering.input(), n -> n)
                    .to(Sink.forEach(seen::add))
                    .run();
            List<Thread> submitters = IntStream.range(0, threads)
                    .mapToObj(t -> Thread.startVirtualThread(() -> {
                        for (int i = 0; i < each; i++) {
                            publisher.submit(t * each + i);
                        }
                    }))
                    .toList();
            for (Thread submitter : submitters) {
                submitter.join();
            }
        }
        running.await();
        assertThat(seen.stream().sorted().toList()).isEqualTo(numbers(threads * each));
        for (int t = 0; t < threads; t++) {
            int of = t;
            assertThat(seen.stream().filter(n -> n / each == of).toList()).isSorted();
        }
    }
}
