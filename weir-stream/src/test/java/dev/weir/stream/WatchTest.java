package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class WatchTest {

    private final List<StreamEnd> upper = new CopyOnWriteArrayList<>();
    private final List<StreamEnd> lower = new CopyOnWriteArrayList<>();
    private final IllegalStateException planted = new IllegalStateException("planted");

    private Source<Integer> watched(Source<Integer> source) {
        return source.watch(upper::add)
                .map(n -> {
                    if (n == 3) {
                        throw planted;
                    }
                    return n;
                })
                .watch(lower::add);
    }

    @Test
    void completion_isToldOnce() throws Exception {
        try (RunningPipeline running =
                watched(Source.of(1, 2)).async().to(Sink.ignore()).run()) {
            running.await();
        }
        assertThat(upper).containsExactly(new StreamEnd.Completed());
        assertThat(lower).containsExactly(new StreamEnd.Completed());
    }

    @Test
    void failure_isToldBelowIt_andAboveItThatNoMoreIsWanted() {
        RunningPipeline running = watched(Source.of(1, 2, 3)).to(Sink.ignore()).run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(lower).containsExactly(new StreamEnd.Failed(planted));
        assertThat(upper).containsExactly(new StreamEnd.Cancelled());
    }

    @Test
    void sinkThatReturnsEarly_isACancellation() throws Exception {
        try (RunningPipeline running = watched(Source.of(1, 2))
                .to(Sink.custom("one", context -> upstream -> upstream.pull(Stage.NEVER)))
                .run()) {
            running.await();
        }
        assertThat(lower).containsExactly(new StreamEnd.Cancelled());
        assertThat(upper).containsExactly(new StreamEnd.Cancelled());
    }

    @Test
    void cancel_isACancellation_evenIfItComesAsAnotherException() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        RunningPipeline running = watched(Source.of(1).map(n -> RecoverTest.wrapTheInterrupt(inside)))
                .to(Sink.ignore())
                .run();
        inside.await();
        running.cancel();
        TrackedRun.awaitEnd(running);
        assertThat(upper).containsExactly(new StreamEnd.Cancelled());
        assertThat(lower).containsExactly(new StreamEnd.Cancelled());
    }

    @Test
    void callbackThatThrows_failsACompletedStream_andIsAddedToAFailure() {
        IllegalArgumentException own = new IllegalArgumentException("in the callback");
        Source<Integer> completing = Source.of(1).watch(end -> {
            upper.add(end);
            throw own;
        });
        assertThatThrownBy(completing.to(Sink.ignore()).run()::await).isSameAs(own);
        assertThat(upper).containsExactly(new StreamEnd.Completed());
        Source<Integer> failing = Source.of(3).map(n -> {
            throw planted;
        });
        assertThatThrownBy(failing.watch(end -> {
                            throw own;
                        })
                        .to(Sink.ignore())
                        .run()::await)
                .isSameAs(planted)
                .hasSuppressedException(own);
    }

    @Test
    void end_isToldOnce_evenIfTheStagesAboveCannotBeClosed() {
        Source<Integer> unclosable = Source.custom("unclosable", context -> new Stage<>() {
            @Override
            public Batch<Integer> pull(long deadlineNanos) {
                return Batch.unacknowledged(new Object[] {1}, 1);
            }

            @Override
            public void close() {
                throw planted;
            }
        });
        RunningPipeline running =
                unclosable.watch(upper::add).take(1).to(Sink.ignore()).run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(upper).containsExactly(new StreamEnd.Cancelled());
    }
}
