package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connects each library to Weir in both directions. Checks all elements, the bounds of buffers, and every way to end.
 */
class LibrariesTest {

    private static final int MILLION = 1_000_000;
    private static final int BUFFER = 128;

    /** The maximum number of elements in one of Weir's batches. */
    private static final int BATCH = 512;

    private static void nothing(int ignored) {}

    /** Counts numbers, and notes the first one out of sequence. Confined to one thread at a time. */
    private static final class InOrder implements IntConsumer {

        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<String> fault = new AtomicReference<>();

        @Override
        public void accept(int n) {
            int expected = next.getAndIncrement();
            if (n != expected) {
                fault.compareAndSet(null, n + " where " + expected + " was due");
            }
        }

        void assertSaw(int count) {
            assertThat(fault).hasNullValue();
            assertThat(next).hasValue(count);
        }
    }

    private static Source<Integer> numbers(int count, IntConsumer emitted) {
        return Source.from(() -> IntStream.range(0, count).peek(emitted).iterator());
    }

    @ParameterizedTest
    @EnumSource
    void library_feedsWeir(Library library) throws Exception {
        InOrder seen = new InOrder();
        Source.fromPublisher(library.numbers(MILLION, -1, LibrariesTest::nothing, () -> {}), BUFFER)
                .map(n -> n)
                .to(Sink.forEach(seen::accept))
                .run()
                .await();
        seen.assertSaw(MILLION);
    }

    @ParameterizedTest
    @EnumSource
    void library_consumesFromWeir(Library library) throws Exception {
        InOrder seen = new InOrder();
        library.consumeAll(numbers(MILLION, LibrariesTest::nothing).async().asPublisher(), seen)
                .get();
        seen.assertSaw(MILLION);
    }

    @ParameterizedTest
    @EnumSource
    void library_standsOnBothSidesOfWeir(Library library) throws Exception {
        InOrder seen = new InOrder();
        Flow.Publisher<Integer> through = Source.fromPublisher(
                        library.numbers(100_000, -1, LibrariesTest::nothing, () -> {}), BUFFER)
                .mapBlocking(16, Ordering.input(), n -> n)
                .asPublisher();
        library.consumeAll(through, seen).get();
        seen.assertSaw(100_000);
    }

    @ParameterizedTest
    @EnumSource
    void stalledWeir_letsTheLibraryEmitNoMoreThanTheBuffers(Library library) throws Exception {
        AtomicInteger emitted = new AtomicInteger();
        Gate gate = new Gate();
        RunningPipeline running = Source.fromPublisher(
                        library.numbers(100_000, -1, n -> emitted.incrementAndGet(), () -> {}), BUFFER)
                .to(Sink.forEach(n -> gate.pass()))
                .run();
        gate.awaitFirst();
        // At most the queued elements, the batch in progress, and the library's own buffer.
        assertThat(standstill(emitted)).isBetween(1, BUFFER + BUFFER + library.buffer);
        gate.open();
        running.await();
        assertThat(emitted).hasValue(100_000);
    }

    @ParameterizedTest
    @EnumSource
    void stalledLibrary_letsWeirEmitNoMoreThanTheBuffers(Library library) throws Exception {
        AtomicInteger emitted = new AtomicInteger();
        Gate gate = new Gate();
        CompletableFuture<?> end = library.consumeAll(
                numbers(100_000, n -> emitted.incrementAndGet()).asPublisher(), n -> gate.pass());
        gate.awaitFirst();
        // At most one batch that waits for demand, and the library's own buffer.
        assertThat(standstill(emitted)).isBetween(1, BATCH + library.buffer + 1);
        gate.open();
        end.get();
        assertThat(emitted).hasValue(100_000);
    }

    /** Returns the count once it is stable for 50 ms. */
    private static int standstill(AtomicInteger count) {
        int before;
        do {
            before = count.get();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        } while (count.get() != before);
        return before;
    }

    @ParameterizedTest
    @EnumSource
    void failureOfTheLibrary_failsWeirBehindTheElementsBefore(Library library) {
        InOrder seen = new InOrder();
        RunningPipeline running = Source.fromPublisher(
                        library.numbers(1000, 700, LibrariesTest::nothing, () -> {}), BUFFER)
                .to(Sink.forEach(seen::accept))
                .run();
        assertThatThrownBy(running::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        // Pekko drops its buffered elements at a failure.
        assertThat(seen.next.get()).isBetween(700 - library.buffer, 700);
        seen.assertSaw(seen.next.get());
    }

    @ParameterizedTest
    @EnumSource
    void failureOfWeir_failsTheLibrary(Library library) {
        InOrder seen = new InOrder();
        Flow.Publisher<Integer> failing = numbers(100_000, LibrariesTest::nothing)
                .mapBlocking(4, Ordering.input(), n -> {
                    if (n == 70_000) {
                        throw new IllegalStateException("planted");
                    }
                    return n;
                })
                .asPublisher();
        assertThatThrownBy(() -> library.consumeAll(failing, seen).get())
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        seen.assertSaw(seen.next.get());
    }

    @ParameterizedTest
    @EnumSource
    void cancellationByWeir_reachesTheLibrary(Library library) throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch flowing = new CountDownLatch(1);
        RunningPipeline running = Source.fromPublisher(
                        library.numbers(Integer.MAX_VALUE, -1, LibrariesTest::nothing, cancelled::countDown), BUFFER)
                .to(Sink.forEach(n -> flowing.countDown()))
                .run();
        flowing.await();
        running.stop();
        cancelled.await();
        assertThat(running.await().drained()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void cancellationByTheLibrary_endsTheRun(Library library) throws Exception {
        InOrder seen = new InOrder();
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        Flow.Publisher<Integer> endless = subscriber -> running.set(numbers(Integer.MAX_VALUE, LibrariesTest::nothing)
                .async()
                .to(Sink.toSubscriber(subscriber))
                .run());
        library.consume(endless, 1000, seen).toCompletableFuture().get();
        running.get().await();
        seen.assertSaw(1000);
    }

    @ParameterizedTest
    @EnumSource
    void cancelledWeir_failsTheLibrary(Library library) throws Exception {
        CountDownLatch flowing = new CountDownLatch(1);
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        CompletableFuture<?> end = library.consumeAll(
                subscriber -> running.set(numbers(Integer.MAX_VALUE, LibrariesTest::nothing)
                        .to(Sink.toSubscriber(subscriber))
                        .run()),
                n -> flowing.countDown());
        flowing.await();
        running.get().cancel();
        assertThat(end.handle((done, failure) -> failure).get()).isInstanceOf(CancellationException.class);
    }

    /** Blocks the first element until the gate is opened. Thread-safe. */
    private static final class Gate {

        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);

        void pass() {
            first.countDown();
            try {
                opened.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void awaitFirst() throws InterruptedException {
            first.await();
        }

        void open() {
            opened.countDown();
        }
    }
}
