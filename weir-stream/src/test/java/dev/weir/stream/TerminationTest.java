package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.LifetimeTest.Silent;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests when, in which order and how quickly resources of a run are closed. */
class TerminationTest {

    private static final String NAME = "terminations";

    @AfterEach
    void noThreadIsLeft() {
        ThreadCensus.assertNoneLeft(NAME);
    }

    @Test
    void terminations_runOnceInReverseOrder_afterAllStages_beforeCompletion() throws Exception {
        List<String> events = new ArrayList<>();
        AtomicReference<RunningPipeline> handle = new AtomicReference<>();
        // Wait for both threads: a thread cancelled before its start never calls its loop.
        CountDownLatch started = new CountDownLatch(2);
        Source<Integer> source = Source.custom("ending", context -> {
            context.onTermination(patience -> {
                events.add("first, threads " + ThreadCensus.countDownTo(1, NAME));
                return "";
            });
            context.onTermination(patience -> {
                events.add("second, done " + handle.get().completion().isDone());
                return "left by second";
            });
            return new Silent(started);
        });
        RunningPipeline running = source.async()
                .to(Sink.custom("sink", context -> {
                    context.onTermination(patience -> {
                        events.add("sink, patience " + patience.isZero());
                        return "";
                    });
                    return upstream -> {
                        started.countDown();
                        try {
                            upstream.pull(Stage.NEVER);
                        } finally {
                            events.add("sink ended");
                        }
                    };
                }))
                .named(NAME)
                .run();
        handle.set(running);
        started.await();
        running.cancel();
        TrackedRun.awaitEnd(running);
        assertThat(events)
                .containsExactly("sink ended", "sink, patience true", "second, done false", "first, threads 1");
        assertThat(running.drain(Duration.ZERO).leftUndone()).containsExactly("left by second");
    }

    /** Regression: the run never completed if the last snapshot of its stages threw. */
    @Test
    void failureWhileTheRunCompletes_failsTheRun() throws Exception {
        LinkageError planted = new LinkageError("planted");
        RunningPipeline running = TrackedSource.numbers(3, 3)
                .source()
                .to(Sink.custom("broken", context -> {
                    context.depth(() -> {
                        throw planted;
                    });
                    return upstream -> {};
                }))
                .named(NAME)
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(running.drain(Duration.ZERO).drained()).isFalse();
    }

    @Test
    void patience_isTheDefault_unlessADrainSetADeadline() throws Exception {
        AtomicReference<Duration> patience = new AtomicReference<>();
        TrackedSource<Integer> tracked = TrackedSource.numbers(10, 3);
        RunningPipeline stopped =
                tracked.source().to(sinkThatTells(patience)).named(NAME).run();
        stopped.stop();
        stopped.await();
        assertThat(patience).hasValue(RunningPipeline.DEFAULT_DRAIN);

        tracked = TrackedSource.numbers(10, 3).heldOpen();
        RunningPipeline drained =
                tracked.source().to(sinkThatTells(patience)).named(NAME).run();
        drained.drain(Duration.ofSeconds(10));
        assertThat(patience.get()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    }

    private static Sink<Integer> sinkThatTells(AtomicReference<Duration> patience) {
        return Sink.custom("sink", context -> {
            context.onTermination(given -> {
                patience.set(given);
                return "";
            });
            return upstream -> {
                while (upstream.pull(Stage.NEVER) != null) {}
            };
        });
    }
}
