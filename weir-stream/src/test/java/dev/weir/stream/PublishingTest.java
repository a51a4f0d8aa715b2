package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.internal.interop.ReactiveInterop;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests streams as publishers: demand, acknowledgements, and endings. checks/interop runs the TCK. */
class PublishingTest {

    private static final int INPUTS = 3000;
    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    static Stream<Arguments> sizesAndPortions() {
        return BATCH_SIZES.stream()
                .flatMap(sizes -> Stream.of(1L, 3L, 600L, Long.MAX_VALUE).map(portion -> Arguments.of(sizes, portion)));
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static <T> void assertClean(Receiver<T> receiver) {
        assertThat(receiver.breaches).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void publisher_acknowledgesEachElementWhenOnNextHasReturned(int[] sizes, long portion) throws Exception {
        Receiver<Integer> receiver = Receiver.asking(portion);
        TrackedSource<Integer> tracked =
                TrackedSource.numbers(INPUTS, sizes).mayFinish(index -> index < receiver.returned.get());
        RunningPipeline running =
                tracked.source().to(Sink.toSubscriber(receiver)).run();
        assertThat(receiver.ended.get()).isNull();
        running.await();
        assertThat(receiver.seen).isEqualTo(numbers(INPUTS));
        assertClean(receiver);
        tracked.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void cancelFromOnNext_endsTheRunAndFinishesWhatWasHandedOver(int[] sizes, long portion) throws Exception {
        Receiver<Integer>[] self = newArray();
        Receiver<Integer> receiver = new Receiver<>(portion, n -> {
            if (n == 1000) {
                self[0].subscription().cancel();
            }
        });
        self[0] = receiver;
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes).heldOpen();
        tracked.source().to(Sink.toSubscriber(receiver)).run().await();
        assertThat(receiver.seen).isEqualTo(numbers(1001));
        assertThat(receiver.ended).isNotDone();
        assertClean(receiver);
        tracked.assertProtocolKept();
        assertThat(tracked.finishedCount()).isEqualTo(1001);
        assertThat(tracked.waitedFor()).isEmpty();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one, filled at once
    private static Receiver<Integer>[] newArray() {
        return new Receiver[1];
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void failureAnywhere_isSignalledBehindTheElementsBeforeIt(int[] sizes, long portion) throws Exception {
        int at = new Random(portion).nextInt(INPUTS);
        Receiver<Integer> receiver = Receiver.asking(portion);
        TrackedSource<Integer> tracked =
                TrackedSource.numbers(INPUTS, sizes).mayFinish(index -> index < receiver.returned.get());
        RunningPipeline running = tracked.source()
                .mapConcat(n -> {
                    if (n == at) {
                        throw new IllegalStateException("planted");
                    }
                    return List.of(n);
                })
                .async()
                .to(Sink.toSubscriber(receiver))
                .run();
        assertThat(receiver.ended.get()).hasMessage("planted");
        assertThatThrownBy(running::await).hasMessage("planted");
        assertThat(receiver.seen).isEqualTo(numbers(receiver.seen.size())).hasSizeLessThanOrEqualTo(at);
        assertClean(receiver);
        tracked.assertProtocolKept();
    }

    @Test
    void subscriberThatThrows_failsTheRunAndIsToldNothingMore() throws Exception {
        Receiver<Integer> receiver = new Receiver<>(Long.MAX_VALUE, n -> {
            if (n == 100) {
                throw new IllegalStateException("no");
            }
        });
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 7);
        RunningPipeline running =
                tracked.source().to(Sink.toSubscriber(receiver)).run();
        assertThatThrownBy(running::await).hasMessage("no");
        assertThat(receiver.ended).isNotDone();
        assertThat(tracked.finishedCount()).isEqualTo(100);
        tracked.assertProtocolKept();
    }

    @Test
    void cancel_whileTheSourceIsSilent_endsTheRunAndItsThreads() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(1);
        TrackedSource<Integer> tracked = TrackedSource.numbers(0, 1).heldOpen();
        RunningPipeline running = tracked.source()
                .async()
                .mapBlocking(4, Ordering.input(), n -> n)
                .to(Sink.toSubscriber(receiver))
                .named("silent")
                .run();
        receiver.subscription().cancel();
        assertThat(running.await().drained()).isTrue();
        ThreadCensus.assertNoneLeft("silent");
        assertThat(receiver.ended).isNotDone();
        tracked.assertProtocolKept();
    }

    @Test
    void cancelOfTheRun_isSignalledAsAFailure() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(1);
        RunningPipeline running = TrackedSource.numbers(0, 1)
                .heldOpen()
                .source()
                .to(Sink.toSubscriber(receiver))
                .run();
        running.cancel();
        assertThat(receiver.ended.get()).isInstanceOf(CancellationException.class);
        assertClean(receiver);
    }

    @Test
    void stop_letsTheSubscriberComplete() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(1);
        RunningPipeline running = TrackedSource.numbers(10, 3)
                .heldOpen()
                .source()
                .to(Sink.toSubscriber(receiver))
                .run();
        running.stop();
        assertThat(receiver.ended.get()).isNull();
        assertThat(running.await().drained()).isTrue();
    }

    @Test
    void nonPositiveRequest_isRefusedEvenWhileTheSourceIsSilent() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(0);
        TrackedSource<Integer> tracked = TrackedSource.numbers(0, 1).heldOpen();
        RunningPipeline running =
                tracked.source().to(Sink.toSubscriber(receiver)).run();
        receiver.subscription().request(0);
        assertThat(receiver.ended.get())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3.9");
        running.await();
        assertClean(receiver);
    }

    @Test
    void publisher_givesEachSubscriberARunOfItsOwn() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Flow.Publisher<Integer> publisher = Source.from(() -> {
                    runs.incrementAndGet();
                    return List.of(1, 2, 3).iterator();
                })
                .asPublisher();
        for (int i = 0; i < 2; i++) {
            Receiver<Integer> receiver = Receiver.asking(1);
            publisher.subscribe(receiver);
            assertThat(receiver.ended.get()).isNull();
            assertThat(receiver.seen).containsExactly(1, 2, 3);
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void publisherThatCannotStart_signalsWhy() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(1);
        Source.<Integer>from(() -> {
                    throw new IllegalStateException("planted");
                })
                .asPublisher()
                .subscribe(receiver);
        assertThat(receiver.ended.get()).hasMessage("planted");
        assertClean(receiver);
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void sharedPublisher_finishesAnElementWhenAllHaveHadIt(int[] sizes, long portion) throws Exception {
        List<Receiver<Integer>> receivers =
                List.of(Receiver.asking(portion), Receiver.asking(1), Receiver.asking(Long.MAX_VALUE));
        CountDownLatch allThere = new CountDownLatch(1);
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes)
                .mayFinish(index -> receivers.stream().allMatch(receiver -> index < receiver.returned.get()));
        Source<Integer> source = tracked.source().filter(n -> awaited(allThere));
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        Flow.Publisher<Integer> publisher = ReactiveInterop.sharedPublisher(sink -> {
            running.set(source.to(Sink.custom("shared", sink)).run());
            return running.get();
        });
        receivers.forEach(publisher::subscribe);
        allThere.countDown();
        for (Receiver<Integer> receiver : receivers) {
            assertThat(receiver.ended.get()).isNull();
            assertThat(receiver.seen).isEqualTo(numbers(INPUTS));
            assertClean(receiver);
        }
        running.get().await();
        tracked.assertAllFinished();
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void sharedPublisher_withOneWhoAsksForNothing_finishesNothing() throws Exception {
        CountDownLatch batchHad = new CountDownLatch(7);
        Receiver<Integer> quick = new Receiver<>(0, n -> batchHad.countDown());
        Receiver<Integer> slow = Receiver.asking(0);
        TrackedSource<Integer> tracked = TrackedSource.numbers(70, 7).mayFinish(index -> index < slow.returned.get());
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        Flow.Publisher<Integer> publisher = ReactiveInterop.sharedPublisher(sink -> {
            running.set(tracked.source().to(Sink.custom("shared", sink)).run());
            return running.get();
        });
        publisher.subscribe(quick);
        publisher.subscribe(slow);
        quick.subscription().request(Long.MAX_VALUE);
        batchHad.await();
        assertThat(tracked.finishedCount()).isZero();
        slow.subscription().request(Long.MAX_VALUE);
        running.get().await();
        assertThat(quick.seen).isEqualTo(slow.seen).isEqualTo(numbers(70));
        tracked.assertAllFinished();
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void publisher_sendsNothingUnasked(int[] sizes, long portion) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Semaphore had = new Semaphore(0);
        Receiver<Integer> receiver = new Receiver<>(0, n -> {
            assertThat(n).isLessThan(asked.get());
            had.release();
        });
        RunningPipeline running = TrackedSource.numbers(INPUTS, sizes)
                .source()
                .to(Sink.toSubscriber(receiver))
                .run();
        Random random = new Random(portion);
        while (asked.get() < INPUTS) {
            int more = Math.min(1 + random.nextInt(200), INPUTS - asked.get());
            asked.addAndGet(more);
            receiver.subscription().request(more);
            assertThat(had.tryAcquire(more, 10, TimeUnit.SECONDS)).isTrue();
        }
        running.await();
        assertThat(receiver.seen).isEqualTo(numbers(INPUTS));
    }

    @Test
    void sharedPublisher_goesOnWithoutThoseWhoCancel_andEndsWithTheLast() throws Exception {
        Receiver<Integer> stays = Receiver.asking(0);
        Receiver<Integer> leaves = Receiver.asking(0);
        Flow.Publisher<Integer> publisher = Source.from(numbers(INPUTS)).asSharedPublisher();
        publisher.subscribe(stays);
        publisher.subscribe(leaves);
        stays.subscription().request(Long.MAX_VALUE);
        leaves.subscription().cancel();
        assertThat(stays.ended.get()).isNull();
        assertThat(stays.seen).isEqualTo(numbers(INPUTS));
        Receiver<Integer> late = Receiver.asking(1);
        publisher.subscribe(late);
        assertThat(late.ended.get()).isNull();
        assertThat(late.seen).isEmpty();
    }

    @Test
    void sharedPublisher_newcomerWithinABatch_takesOverWhereTheLastOneLeft() throws Exception {
        CountDownLatch threeHad = new CountDownLatch(3);
        Receiver<Integer> leaves = new Receiver<>(0, n -> threeHad.countDown());
        TrackedSource<Integer> tracked = TrackedSource.numbers(70, 7);
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        Flow.Publisher<Integer> publisher = ReactiveInterop.sharedPublisher(sink -> {
            running.set(tracked.source().to(Sink.custom("shared", sink)).run());
            return running.get();
        });
        publisher.subscribe(leaves);
        leaves.subscription().request(3);
        threeHad.await();
        Receiver<Integer> newcomer = Receiver.asking(0);
        publisher.subscribe(newcomer);
        leaves.subscription().cancel();
        newcomer.subscription().request(Long.MAX_VALUE);
        running.get().await();
        assertThat(newcomer.seen).isEqualTo(numbers(70).subList(3, 70));
        tracked.assertAllFinished();
    }

    @Test
    void sharedPublisher_thatAllHaveLeft_refusesNewcomers() throws Exception {
        Receiver<Integer> only = Receiver.asking(0);
        Flow.Publisher<Integer> publisher = Source.from(numbers(INPUTS)).asSharedPublisher();
        publisher.subscribe(only);
        only.subscription().cancel();
        Receiver<Integer> late = Receiver.asking(1);
        publisher.subscribe(late);
        assertThat(late.ended.get()).hasMessageContaining("cancelled");
    }

    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void claim_holdsBackItsElementUntilItIsEnded(int[] sizes, long portion) throws Exception {
        ConcurrentLinkedQueue<Claim<Integer>> held = new ConcurrentLinkedQueue<>();
        Receiver<Claim<Integer>> receiver = new Receiver<>(portion, held::add);
        AtomicInteger mayFinish = new AtomicInteger();
        TrackedSource<Integer> tracked =
                TrackedSource.numbers(INPUTS, sizes).mayFinish(index -> index < mayFinish.get());
        RunningPipeline running =
                tracked.source().withClaim().to(Sink.toSubscriber(receiver)).run();
        assertThat(receiver.ended.get()).isNull();
        running.await();
        assertThat(tracked.finishedCount()).isZero();
        mayFinish.set(INPUTS);
        for (Claim<Integer> claim : new ArrayList<>(held)) {
            claim.ack();
            claim.ack();
        }
        tracked.assertAllFinished();
    }

    /** Each element is copied twice. One copy of the first element is delivered, and none of the second. */
    @Test
    void claim_isPendingAsLongAsACopyHasBeenDelivered() throws Exception {
        List<Claim<Integer>> held = new ArrayList<>();
        TrackedSource<Integer> tracked = TrackedSource.numbers(2, 2);
        RunningPipeline running = tracked.source()
                .withClaim()
                .to(Sink.custom("branches", context -> upstream -> {
                    Batch<Claim<Integer>> batch = Objects.requireNonNull(upstream.pull(Stage.NEVER));
                    for (int i = 0; i < 2; i++) {
                        held.add(batch.get(i));
                        batch.target(i).retain(batch.token(i), 1);
                    }
                    batch.ack(0);
                    batch.forgo(0);
                    batch.forgo(1);
                    batch.forgo(1);
                }))
                .run();
        running.await();
        assertThat(tracked.waitedFor()).containsExactly(0);
        held.forEach(Claim::ack);
        assertThat(tracked.waitedFor()).isEmpty();
    }

    /** Regression: the source waited for elements that were never handed over. */
    @ParameterizedTest
    @MethodSource("sizesAndPortions")
    void cancel_leavesNoClaimPendingThatNobodyHas(int[] sizes, long portion) throws Exception {
        ConcurrentLinkedQueue<Claim<Integer>> held = new ConcurrentLinkedQueue<>();
        CompletableFuture<Flow.Subscription> self = new CompletableFuture<>();
        Receiver<Claim<Integer>> receiver = new Receiver<>(portion, claim -> {
            held.add(claim);
            if (claim.value() == 1000) {
                self.join().cancel();
            }
        });
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, sizes).heldOpen();
        RunningPipeline running =
                tracked.source().withClaim().to(Sink.toSubscriber(receiver)).run();
        self.complete(receiver.subscription());
        running.await();
        assertThat(tracked.waitedFor()).hasSize(1001);
        held.forEach(Claim::ack);
        tracked.assertProtocolKept();
        assertThat(tracked.finishedCount()).isEqualTo(1001);
        assertThat(tracked.waitedFor()).isEmpty();
    }

    @RepeatedTest(150)
    void endingAtAnyMoment_keepsTheProtocol(RepetitionInfo repetition) throws Exception {
        Random random = new Random(repetition.getCurrentRepetition());
        int moment = random.nextInt(INPUTS);
        CountDownLatch reached = new CountDownLatch(1);
        Receiver<Integer> receiver = new Receiver<>(1 + random.nextInt(100), n -> {
            if (n == moment) {
                reached.countDown();
            }
        });
        TrackedSource<Integer> tracked =
                TrackedSource.numbers(INPUTS, BATCH_SIZES.get(random.nextInt(BATCH_SIZES.size())));
        Source<Integer> source =
                random.nextBoolean() ? tracked.source() : tracked.source().async();
        if (random.nextBoolean()) {
            source = source.mapBlocking(4, Ordering.input(), n -> n);
        }
        RunningPipeline running = source.to(Sink.toSubscriber(receiver)).run();
        reached.await();
        int way = random.nextInt(4);
        switch (way) {
            case 0 -> receiver.subscription().cancel();
            case 1 -> running.cancel();
            case 2 -> running.stop();
            default -> receiver.subscription().request(-1);
        }
        TrackedRun.awaitEnd(running);
        tracked.assertProtocolKept();
        assertThat(receiver.seen).isEqualTo(numbers(receiver.seen.size()));
        assertThat(tracked.finishedCount()).isEqualTo(receiver.seen.size());
        assertThat(receiver.breaches.stream().filter(breach -> !breach.contains("interrupted")))
                .isEmpty();
        if (way != 0) {
            assertThat(receiver.ended).isDone();
        }
    }

    @Test
    void demandOneByOneFromOnNext_doesNotDeepenTheStack() throws Exception {
        Receiver<Integer> receiver = Receiver.asking(1);
        Source.from(numbers(200_000)).asPublisher().subscribe(receiver);
        assertThat(receiver.ended.get()).isNull();
        assertThat(receiver.seen).hasSize(200_000);
        assertClean(receiver);
    }

    @Test
    void stalledSubscriber_letsOneBatchWait() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        Receiver<Integer> receiver = new Receiver<>(0, n -> first.countDown());
        TrackedSource<Integer> tracked = TrackedSource.numbers(INPUTS, 64);
        RunningPipeline running =
                tracked.source().to(Sink.toSubscriber(receiver)).run();
        receiver.subscription().request(1);
        first.await();
        assertThat(tracked.pulled()).isEqualTo(64);
        receiver.subscription().request(Long.MAX_VALUE);
        running.await();
        tracked.assertAllFinished();
    }
}
