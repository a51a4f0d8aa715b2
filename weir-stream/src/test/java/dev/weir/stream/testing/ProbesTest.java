package dev.weir.stream.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProbesTest {

    private final SourceProbe<String> in = new SourceProbe<>();
    private final SinkProbe<String> out = new SinkProbe<>();

    @Test
    void probes_passElementsAndAcknowledgements() throws Exception {
        try (RunningPipeline running =
                in.source().map(String::trim).to(out.sink()).run()) {
            in.emit(" a ", "b").emit("c");
            assertThat(out.expectNext()).isEqualTo("a");
            in.awaitAcknowledged(1);
            assertThat(in.acknowledged()).containsExactly(" a ");
            assertThat(in.unacknowledged()).containsExactly("b", "c");
            assertThat(out.expectNext(2)).containsExactly("b", "c");
            in.complete();
            out.expectEnd();
            assertThat(running.await().drained()).isTrue();
            in.awaitClose();
        }
    }

    @Test
    void sink_pullsOnlyWhatIsRequested() throws Exception {
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            in.emit("a", "b").emit("c").emit("d");
            assertThat(in.untaken()).isEqualTo(4);
            out.request(1);
            assertThat(out.expectNext(2)).containsExactly("a", "b");
            assertThat(in.untaken()).isEqualTo(2);
            out.requestBatches(1);
            assertThat(out.expectNext()).isEqualTo("c");
            assertThat(in.untaken()).isEqualTo(1);
            out.requestAll();
            assertThat(out.expectNext()).isEqualTo("d");
            in.awaitPull();
            out.expectNothing();
            running.stop();
            in.awaitStop();
            out.expectEnd();
        }
    }

    @Test
    void sink_withholding_acknowledgesWhenTold() throws Exception {
        out.withholdAcknowledgements();
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            in.emit("a", "b", "c");
            assertThat(out.expectNext(3)).containsExactly("a", "b", "c");
            assertThat(in.acknowledged()).isEmpty();
            out.acknowledge(2);
            assertThat(in.acknowledged()).containsExactly("a", "b");
            out.acknowledge(1);
            assertThat(in.unacknowledged()).isEmpty();
            running.stop();
            out.expectEnd();
        }
    }

    @Test
    void source_thatFails_failsThePipelineBehindWhatItEmitted() throws Exception {
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            IllegalStateException cause = new IllegalStateException("broken");
            in.emit("a").fail(cause);
            assertThat(out.expectNext()).isEqualTo("a");
            assertThat(out.expectFailure()).isSameAs(cause);
            assertThatThrownBy(running::await).isSameAs(cause);
        }
        assertThatThrownBy(() -> in.emit("b")).hasMessageContaining("ended");
    }

    @Test
    void sink_thatCancels_closesTheSource() throws Exception {
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            out.cancel();
            in.awaitClose();
            running.await();
        }
    }

    @Test
    void expectations_thatAreNotMet_failWithWhatCameInstead() throws Exception {
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            in.emit("a").complete();
            assertThatThrownBy(out::expectEnd)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("arrived [a]");
            assertThatThrownBy(out::expectFailure).hasMessageContaining("arrived [a]");
            assertThatThrownBy(out::expectNothing).hasMessageContaining("arrived [a]");
            assertThat(out.expectNext()).isEqualTo("a");
            assertThatThrownBy(out::expectNext).hasMessageContaining("then the end");
            assertThatThrownBy(out::expectFailure).hasMessageContaining("then the end");
            running.await();
        }
    }

    @Test
    void acknowledgement_tooMany_isAFault() throws Exception {
        Sink<String> twice = Sink.custom("twice", context -> upstream -> {
            Batch<String> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                batch.ackAll();
                batch.ackAll();
            }
        });
        RunningPipeline running = in.source().to(twice).run();
        in.emit("a");
        assertThatThrownBy(running::await).hasMessage("acknowledged or retained after it was finished: a");
    }

    @Test
    void probe_inASecondRun_isRefused() throws Exception {
        try (RunningPipeline running = in.source().to(out.sink()).run()) {
            assertThatThrownBy(() -> in.source().to(Sink.ignore()).run()).hasMessageContaining("one run");
            assertThatThrownBy(() -> Source.of("a").to(out.sink()).run()).hasMessageContaining("one run");
            out.requestAll();
            running.stop();
            running.await();
        }
    }

    /** Runs the pattern of {@code docs/guide/testing.md}: emit, wait for the pull, advance, expect. */
    @Test
    void awaitPull_thenAdvance_isExactOverAndOver() throws Exception {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Integer> numbers = new SourceProbe<>();
        SinkProbe<List<Integer>> groups = new SinkProbe<List<Integer>>().requestAll();
        try (RunningPipeline running = numbers.source()
                .groupedWithin(100, Duration.ofMillis(10))
                .to(groups.sink())
                .on(clock)
                .run()) {
            for (int n : IntStream.range(0, 500).toArray()) {
                numbers.emit(n).awaitPull();
                clock.advance(Duration.ofMillis(5));
                numbers.emit(-n).awaitPull();
                clock.advance(Duration.ofMillis(5));
                assertThat(groups.expectNext()).containsExactly(n, -n);
                numbers.awaitPull();
            }
            running.cancel();
            assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        }
    }
}
