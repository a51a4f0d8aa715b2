package dev.weir.stream.internal.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FanoutSinkTest {

    private final CountDownLatch inAck = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    /** Blocks the loop while it acknowledges the first element. */
    private final AckTarget halting = new AckTarget() {
        @Override
        public void ack(long token) {
            if (token == 0) {
                inAck.countDown();
                try {
                    mayGoOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }

        @Override
        public void retain(long token, int claims) {}
    };

    /** Regression: a failure overtook elements that a subscriber had already requested. */
    @Test
    void failure_behindARequest_doesNotOvertakeWhatThatAskedFor() throws Exception {
        CompletableFuture<RunningPipeline> running = new CompletableFuture<>();
        SharedPublisher<Integer> publisher = new SharedPublisher<>(sink -> {
            running.complete(source().to(Sink.custom("shared", sink)).run());
            return running.join();
        });
        Subscriber staying = new Subscriber();
        Subscriber leaving = new Subscriber();
        publisher.subscribe(staying);
        publisher.subscribe(leaving);
        staying.subscription().request(1);
        staying.hasOne.await();
        long blockedNanos = blockedNanos(running.get());
        while (blockedNanos(running.get()) == blockedNanos) {
            Thread.onSpinWait();
        }
        // The loop has seen that no subscriber requests the next element, and now acknowledges the first element.
        leaving.subscription().cancel();
        inAck.await();
        staying.subscription().request(1);
        publisher.failInsteadOfWaiting(new IllegalStateException("planted"));
        mayGoOn.countDown();
        assertThat(staying.end.get()).isEqualTo("complete");
        assertThat(staying.seen).containsExactly(0, 1);
    }

    private static void assertEnd(Source<Integer> source, String end) throws Exception {
        SharedPublisher<Integer> publisher = new SharedPublisher<>(
                sink -> source.to(Sink.custom("shared", sink)).run());
        Subscriber throwing = new Subscriber() {
            @Override
            public void onComplete() {
                throw new LinkageError("planted");
            }

            @Override
            public void onError(Throwable failure) {
                throw new LinkageError("planted");
            }
        };
        Subscriber other = new Subscriber();
        publisher.subscribe(throwing);
        publisher.subscribe(other);
        throwing.subscription().request(1);
        other.subscription().request(1);
        assertThat(other.end.get()).isEqualTo(end);
    }

    /** Regression: the other subscribers waited forever for the end of the stream. */
    @Test
    void errorOfASubscriberAtTheEnd_leavesTheOthersTheirEnd() throws Exception {
        assertEnd(Source.of(1), "complete");
        assertEnd(
                Source.of(1).concat(Source.failed(new IllegalStateException("no"))),
                "java.lang.IllegalStateException: no");
    }

    /** An exception whose methods throw. {@code toString} does not. */
    @SuppressWarnings("OverrideThrowableToString") // its message would follow the name of the class
    private static final class HostileWrapper extends CompletionException {

        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new UnsupportedOperationException("no cause");
        }

        @Override
        public String toString() {
            return "hostile";
        }
    }

    @Test
    void failureWhoseMethodsThrow_isSignalled() throws Exception {
        assertEnd(Source.of(1).concat(Source.failed(new HostileWrapper())), "hostile");
    }

    private static long blockedNanos(RunningPipeline running) {
        return running.stages().getLast().blockedDownNanos();
    }

    private Source<Integer> source() {
        return Source.custom("two", context -> new Stage<Integer>() {

            private boolean ended;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                if (ended) {
                    return null;
                }
                ended = true;
                return Batch.of(new Object[] {0, 1}, 2, halting, new long[] {0, 1});
            }

            @Override
            public void close() {}
        });
    }

    private static class Subscriber implements Flow.Subscriber<Integer> {

        final List<Integer> seen = new ArrayList<>();
        final CountDownLatch hasOne = new CountDownLatch(1);
        final CompletableFuture<String> end = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;

        Flow.Subscription subscription() {
            return Objects.requireNonNull(subscription);
        }

        @Override
        public void onSubscribe(Flow.Subscription offered) {
            subscription = offered;
        }

        @Override
        public void onNext(Integer item) {
            seen.add(item);
            hasOne.countDown();
        }

        @Override
        public void onError(Throwable failure) {
            end.complete(failure.toString());
        }

        @Override
        public void onComplete() {
            end.complete("complete");
        }
    }
}
