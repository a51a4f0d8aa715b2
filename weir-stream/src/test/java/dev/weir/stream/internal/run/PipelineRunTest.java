package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests runs that are assembled by hand. */
@Timeout(60)
class PipelineRunTest {

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch inside = new CountDownLatch(1);

    /** A stage that emits nothing until it is interrupted. */
    private final class Silent implements Stage<Integer> {

        private final Runnable whenClosed;

        Silent(Runnable whenClosed) {
            this.whenClosed = whenClosed;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            inside.countDown();
            new CountDownLatch(1).await();
            return null;
        }

        @Override
        public void close() {
            whenClosed.run();
        }
    }

    private static RunningPipeline start(Consumer<RunAssembly> builder) {
        return PipelineRun.start("byHand", Clock.SYSTEM, builder);
    }

    @Test
    void start_thatFails_closesSourcesAndResources() {
        IllegalStateException planted = new IllegalStateException("planted");
        IllegalStateException ofASource = new IllegalStateException("cannot close");
        assertThatThrownBy(() -> start(assembly -> {
                    StageEntry entry = assembly.fused(StageAttributes.named("first"));
                    entry.onTermination(patience -> {
                        calls.add("resource, no patience: " + patience.isZero());
                        return "";
                    });
                    assembly.source(new Silent(() -> {
                        calls.add("first source");
                        throw ofASource;
                    }));
                    assembly.source(new Silent(() -> {
                        calls.add("second source");
                        throw planted;
                    }));
                    throw planted;
                }))
                .isSameAs(planted)
                .satisfies(failure -> assertThat(failure.getSuppressed()).containsExactly(ofASource));
        assertThat(calls).containsExactly("first source", "second source", "resource, no patience: true");
    }

    @Test
    void segment_cancelledBeforeItsStart_endsWithoutAFailure() throws Exception {
        RunningPipeline running = start(assembly -> assembly.closeSegment(
                        "silent", Dispatcher.virtual(), new Silent(() -> calls.add("closed")), from -> {
                            var ignored = from.pull(Stage.NEVER);
                            calls.add("pulled");
                        })
                .cancel());
        assertThat(running.await().drained()).isTrue();
        assertThat(calls).containsExactly("closed");
    }

    @Test
    void awaitClosed_onTheThreadOfTheSegment_doesNotWait() throws Exception {
        AtomicReference<Segment<Integer>> self = new AtomicReference<>();
        RunningPipeline running = start(assembly -> self.set(assembly.closeSegment(
                "silent",
                Dispatcher.virtual(),
                new Silent(() -> calls.add("closed")),
                from -> self.get().awaitClosed())));
        assertThat(running.await().drained()).isTrue();
        assertThat(calls).containsExactly("closed");
    }

    @Test
    void awaitClosed_byAnInterruptedThread_waits_andLeavesItInterrupted() throws Exception {
        AtomicReference<Segment<Integer>> segment = new AtomicReference<>();
        CountDownLatch end = new CountDownLatch(1);
        RunningPipeline running = start(assembly -> segment.set(
                assembly.closeSegment("waiting", Dispatcher.virtual(), new Silent(() -> {}), from -> end.await())));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            Thread.currentThread().interrupt();
            segment.get().awaitClosed();
            interrupted.complete(Thread.interrupted());
        });
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            assertThat(interrupted).isNotDone();
        }
        end.countDown();
        assertThat(interrupted.get()).isTrue();
        assertThat(running.await().drained()).isTrue();
        segment.get().awaitClosed();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void failure_ofOneSegment_isTheOnlyOne_thoughItInterruptsTheOthers() {
        IllegalStateException planted = new IllegalStateException("planted");
        RunningPipeline running = start(assembly -> {
            var ignored = assembly.closeSegment(
                    "silent", Dispatcher.virtual(), new Silent(() -> calls.add("closed")), from -> {
                        var never = from.pull(Stage.NEVER);
                        assertThat(never).isNull();
                    });
            ignored = assembly.closeSegment("failing", Dispatcher.virtual(), new Silent(() -> {}), from -> {
                inside.await();
                throw planted;
            });
        });
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(planted.getSuppressed()).isEmpty();
        assertThat(calls).containsExactly("closed");
    }

    @Test
    void troubles_haveTheNamesOfTheirStages() throws Exception {
        AtomicReference<String> reason = new AtomicReference<>("");
        AtomicReference<StageEntry> entry = new AtomicReference<>();
        CountDownLatch end = new CountDownLatch(1);
        RunningPipeline running = start(assembly -> {
            StageEntry first = assembly.fused(StageAttributes.named("first"));
            StageEntry second = assembly.fused(StageAttributes.named("second"));
            first.trouble(reason::get);
            second.trouble(() -> "waits");
            entry.set(second);
            var ignored =
                    assembly.closeSegment("waiting", Dispatcher.virtual(), new Silent(() -> {}), from -> end.await());
        });
        assertThat(entry.get().troubles()).containsExactly("second: waits");
        reason.set("is closed");
        assertThat(entry.get().troubles()).containsExactly("first: is closed", "second: waits");
        end.countDown();
        running.await();
        assertThat(entry.get().troubles()).isEmpty();
    }

    /** The lifetime of a stream that never ends. */
    private static final class Endless implements StageLifetime {

        @Override
        public void onStop(String of, Runnable stop) {}

        @Override
        public void alsoOnStop(Runnable stop) {}

        @Override
        public boolean isWhole() {
            return true;
        }

        @Override
        public void exposeResource(Object handle) {}

        @Override
        public void onTermination(Termination termination) {}
    }

    /** Regression: a negative number of threads. */
    @Test
    void parallelism_ofManyStreams_isTheirSumWithoutOverflow() throws Exception {
        AtomicReference<StageEntry> entry = new AtomicReference<>();
        RunningPipeline running = start(assembly ->
                entry.set(assembly.threaded(StageAttributes.named("work"), Dispatcher.virtual(), Integer.MAX_VALUE)));
        running.await();
        StageEntry.Shape shape = new StageEntry.Shape(new StageMeter(), Integer.MAX_VALUE, true);
        for (int stream = 0; stream < 2; stream++) {
            entry.get().inStream(new Endless(), shape).depth(() -> 3);
        }
        assertThat(entry.get().snapshot(1000).parallelism()).isEqualTo(Integer.MAX_VALUE);
        assertThat(entry.get().snapshot(1000).depth()).isEqualTo(6);
        entry.get().parallelism(() -> 5);
        assertThat(entry.get().snapshot(1000).parallelism()).isEqualTo(10);
    }
}
