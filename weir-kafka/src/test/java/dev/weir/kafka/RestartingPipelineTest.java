package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RestartingPipelineTest {

    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch secondStarts = new CountDownLatch(1);
    private final CountDownLatch mayStart = new CountDownLatch(1);
    private final CompletableFuture<Duration> patienceOfSecond = new CompletableFuture<>();

    /** Regression: {@code close} waited forever if the run being started did not stop by itself. */
    @Test
    void close_whileTheNextRunIsBeingStarted_boundsItsEndToo() throws Exception {
        Pipeline pipeline = Source.<Integer>custom("restarted", this::stage).to(Sink.ignore());
        RestartingPipeline restarting = RestartingPipeline.run(pipeline, RestartSettings.of(Backoff.NONE));
        secondStarts.await();
        Thread closing = Thread.ofPlatform().start(restarting::close);
        while (closing.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        mayStart.countDown();
        closing.join();
        // An ordinary stop would give the run the full default timeout.
        assertThat(patienceOfSecond.get()).isLessThan(RunningPipeline.DEFAULT_DRAIN);
        assertThat(restarting.restarts()).isEqualTo(1);
    }

    @Test
    void jvmThatCannotContinue_isNotFollowedByARestart() {
        Pipeline pipeline = Source.<Integer>custom("fails", context -> {
                    runs.incrementAndGet();
                    return new Only(() -> {
                        throw new OutOfMemoryError("planted");
                    });
                })
                .to(Sink.ignore());
        RestartingPipeline restarting = RestartingPipeline.run(pipeline, RestartSettings.of(Backoff.NONE));
        try {
            assertThatThrownBy(() -> restarting.completion().get(20, TimeUnit.SECONDS))
                    .hasRootCauseMessage("planted");
        } finally {
            restarting.stop();
        }
        assertThat(runs).hasValue(1);
    }

    /** Regression: the pipeline was not restarted if the exception's message could not be read. */
    @Test
    void exceptionThatCannotBeRead_isFollowedByARestart() throws Exception {
        Pipeline pipeline = Source.<Integer>custom(
                        "fails once",
                        context -> new Only(() -> {
                            if (runs.incrementAndGet() == 1) {
                                throw new Unreadable();
                            }
                        }))
                .to(Sink.ignore());
        RestartingPipeline.run(pipeline, RestartSettings.of(Backoff.NONE))
                .completion()
                .get(20, TimeUnit.SECONDS);
        assertThat(runs).hasValue(2);
    }

    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("unreadable");
        }
    }

    private Stage<Integer> stage(StageContext context) {
        if (runs.incrementAndGet() == 1) {
            return new Only(() -> {
                throw new IllegalStateException("planted");
            });
        }
        secondStarts.countDown();
        CountDownLatch stop = new CountDownLatch(1);
        context.onStop(stop::countDown);
        context.onTermination(patience -> {
            patienceOfSecond.complete(patience);
            return "";
        });
        try {
            mayStart.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new Only(stop::await);
    }

    @FunctionalInterface
    private interface Wait {
        void await() throws InterruptedException;
    }

    /** A stage without elements. It ends as soon as {@code end} returns. */
    private record Only(Wait end) implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            end.await();
            return null;
        }

        @Override
        public void close() {}
    }
}
