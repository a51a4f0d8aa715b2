package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.testing.SourceProbe;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests that checked exceptions of actions reach the caller unchanged. */
class CheckedActionsTest {

    private static void refuse(Object element) throws IOException {
        throw new IOException("disk full at " + element);
    }

    @Test
    void writer_isAnActionAsItIs() throws InterruptedException {
        Writer file = new StringWriter();
        Source.of("a", "b").tap(file::write).runTo(Sink.forEach(file::write));
        assertThat(file).hasToString("abab");
    }

    @Test
    void forEach_thatThrows_failsThePipelineWithItsException_andAcknowledgesNothing() throws InterruptedException {
        SourceProbe<String> source = new SourceProbe<>();
        try (RunningPipeline running =
                source.source().to(Sink.forEach(CheckedActionsTest::refuse)).run()) {
            source.emit("x");
            assertThatThrownBy(running::await)
                    .rootCause()
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full at x");
        }
        assertThat(source.unacknowledged()).containsExactly("x");
    }

    @Test
    void forEach_belowMaps_throwsTheSame() {
        assertThatThrownBy(() -> Source.of(1, 2)
                        .map(n -> n + 1)
                        .map(n -> n * 2)
                        .to(Sink.forEach(CheckedActionsTest::refuse))
                        .run()
                        .await())
                .rootCause()
                .hasMessage("disk full at 4");
    }

    @Test
    void onStart_thatThrows_keepsTheRunFromStarting() {
        assertThatThrownBy(() -> Source.of(1)
                        .to(Sink.ignore())
                        .onStart(CheckedActionsTest::refuse)
                        .run())
                .rootCause()
                .isInstanceOf(IOException.class);
    }

    @Test
    void onDrained_thatThrows_keepsNoOtherFromBeingCalled() throws InterruptedException {
        Writer file = new StringWriter();
        RunningPipeline running = Source.of(1).to(Sink.ignore()).run();
        running.await();
        running.onDrained(CheckedActionsTest::refuse).onDrained(report -> file.write("closed"));
        assertThat(file).hasToString("closed");
    }

    @Test
    void tap_thatThrows_isSupervised() throws InterruptedException {
        List<Integer> passed = new ArrayList<>();
        Source.of(1, 2, 3)
                .tap(n -> {
                    if (n == 2) {
                        refuse(n);
                    }
                })
                .supervised(Supervision.skip())
                .runTo(Sink.forEach(passed::add));
        assertThat(passed).containsExactly(1, 3);
    }

    @Test
    void watch_thatThrows_failsACompletedStream_andIsAddedToAFailure() {
        assertThatThrownBy(() -> Source.of(1)
                        .watch(CheckedActionsTest::refuse)
                        .to(Sink.ignore())
                        .run()
                        .await())
                .rootCause()
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Source.of(0)
                        .map(n -> 1 / n)
                        .watch(CheckedActionsTest::refuse)
                        .to(Sink.ignore())
                        .run()
                        .await())
                .isInstanceOf(ArithmeticException.class)
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
    }

    @Test
    void stateOfStatefulMap_thatCannotBeClosed_failsThePipeline() {
        AtomicReference<Object> closed = new AtomicReference<>();
        assertThatThrownBy(() -> Source.of(1)
                        .<String, Integer>statefulMap(
                                () -> "state", (state, n) -> n, state -> Optional.empty(), state -> {
                                    closed.set(state);
                                    refuse(state);
                                })
                        .to(Sink.ignore())
                        .run()
                        .await())
                .rootCause()
                .hasMessage("disk full at state");
        assertThat(closed).hasValue("state");
    }
}
