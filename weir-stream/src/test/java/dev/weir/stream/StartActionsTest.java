package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests the argument and the time of {@link Pipeline#onStart} actions. */
class StartActionsTest {

    @Test
    void action_isCalledInTheCallersThread_withAllStagesMade_andNoneRunning() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 3).heldOpen();
        List<String> told = new ArrayList<>();
        Pipeline pipeline = source.source()
                .async()
                .to(Sink.ignore())
                .named("told")
                .onStart(running -> {
                    assertThat(ThreadCensus.threadsOf("told")).isEmpty();
                    told.add(Thread.currentThread().getName());
                    running.stages().forEach(stage -> told.add(stage.name()));
                });
        assertThat(told).isEmpty();
        try (RunningPipeline running = pipeline.run()) {
            assertThat(told).containsExactly(Thread.currentThread().getName(), "tracked", "async", "ignore");
            running.stop();
            assertThat(running.await().drained()).isTrue();
        }
        source.assertProtocolKept();
    }

    @Test
    void handler_thatIsToldOfItsRun_stopsItAtTheFirstElement() throws Exception {
        AtomicReference<RunningPipeline> self = new AtomicReference<>();
        TrackedSource<Integer> source = TrackedSource.numbers(3, 1).heldOpen();
        Pipeline pipeline = source.source()
                .to(Sink.forEach(n -> Objects.requireNonNull(self.get()).stop()))
                .onStart(self::set);
        assertThat(pipeline.run().await().drained()).isTrue();
        source.assertProtocolKept();
        assertThat(source.isFinished(0)).isTrue();
    }

    @Test
    void actions_areCalledInTheirOrder_inEachRun_alsoThoseOfASinkThatIsAPart() throws Exception {
        List<String> order = new ArrayList<>();
        Sink<Integer> part = Sink.through(
                source -> source.to(Sink.<Integer>ignore()).onStart(running -> order.add("part of " + running.name())));
        Pipeline pipeline = Source.of(1)
                .alsoTo(part)
                .to(part)
                .onStart(running -> order.add("first"))
                .named("whole")
                .onStart(running -> order.add("second"));
        pipeline.run().await();
        assertThat(order).containsExactly("part of whole", "part of whole", "first", "second");
        pipeline.run().await();
        assertThat(order).hasSize(8);
    }

    @Test
    void part_withinAStreamInTheStream_isToldOfTheWholeRun() throws Exception {
        List<String> told = new ArrayList<>();
        Sink<Integer> part =
                Sink.through(source -> source.to(Sink.<Integer>ignore()).onStart(running -> told.add(running.name())));
        Source.of(1, 2)
                .flatMapConcat(n -> Source.of(n).alsoTo(part))
                .to(Sink.ignore())
                .named("whole")
                .run()
                .await();
        assertThat(told).containsExactly("whole", "whole");
    }

    @Test
    void actionThatThrows_leavesNothingBehind() {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 1);
        IllegalStateException planted = new IllegalStateException("planted");
        assertThatThrownBy(source.source().to(Sink.ignore()).named("unmade").onStart(running -> {
                    throw planted;
                })::run)
                .isSameAs(planted);
        source.assertProtocolKept();
        assertThat(source.pulled()).isZero();
        ThreadCensus.assertNoneLeft("unmade");
    }

    /** Given an earlier action that has kept a reference to the run. */
    @Test
    void actionThatThrows_endsTheRunForThoseThatWereTold() throws Exception {
        AtomicReference<RunningPipeline> self = new AtomicReference<>();
        assertThatThrownBy(Source.of(1).to(Sink.ignore()).onStart(self::set).onStart(running -> {
                    throw new IllegalStateException("planted");
                })::run)
                .hasMessage("planted");
        RunningPipeline told = Objects.requireNonNull(self.get());
        assertThat(told.completion()).isCompletedExceptionally();
        assertThatThrownBy(told::await).hasMessage("planted");
        assertThat(told.drain(Duration.ZERO).drained()).isFalse();
        told.close();
    }

    @Test
    void actionThatCancels_endsTheRunBeforeItsFirstElement() {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 1);
        RunningPipeline running = source.source()
                .to(Sink.ignore())
                .onStart(RunningPipeline::cancel)
                .run();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        source.assertProtocolKept();
        assertThat(source.pulled()).isZero();
    }
}
