package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.ElementOperator;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import userland.Kept;
import userland.Repeated;

/** Tests users' own operators, and named flows that are used several times. */
@Timeout(20)
class OwnOperatorTest {

    /** Records its calls. */
    private static final class Summing implements ElementOperator<Integer, Integer> {

        private final List<String> events;
        private int sum;

        Summing(List<String> events) {
            this.events = events;
            events.add("made");
        }

        @Override
        public void onElement(Integer element, Emitter<? super Integer> below) {
            below.emit(sum);
            if (element < 0) {
                throw new IllegalArgumentException("negative");
            }
            sum += element;
        }

        @Override
        public void onEnd(Emitter<? super Integer> below) {
            below.emit(sum);
            events.add("end");
        }

        @Override
        public void close() {
            events.add("closed");
        }
    }

    private static List<Integer> collect(Source<Integer> source) throws InterruptedException {
        return source.runTo(Sink.toList());
    }

    @Test
    void operator_emitsForEachElementAndAtTheEnd_andIsClosed() throws Exception {
        List<String> events = new ArrayList<>();
        Source<Integer> sums = Source.of(1, 2, 3).operator("sums", () -> new Summing(events));
        assertThat(collect(sums)).containsExactly(0, 1, 3, 6);
        assertThat(collect(sums)).as("another run has an operator of its own").containsExactly(0, 1, 3, 6);
        assertThat(events).containsExactly("made", "end", "closed", "made", "end", "closed");
    }

    @Test
    void operatorThatThrows_emitsNothingOfThatElement_andBeginsAgainIfRestarted() throws Exception {
        List<String> events = new ArrayList<>();
        Source<Integer> sums = Source.of(1, -1, 2, 3).operator("sums", () -> new Summing(events));
        assertThat(collect(sums.supervised(Supervision.skip()))).containsExactly(0, 1, 3, 6);
        events.clear();
        assertThat(collect(sums.supervised(Supervision.of(failure -> Supervision.Decision.RESTART))))
                .containsExactly(0, 0, 2, 5);
        assertThat(events).containsExactly("made", "closed", "made", "end", "closed");
        assertThatThrownBy(() -> collect(sums)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void flow_namesItsStages_andIsUsedSeveralTimes() throws Exception {
        Flow<Integer, Integer> odd = Flow.<Integer, Integer>of(
                "odd",
                numbers ->
                        numbers.stage("kept", (upstream, context) -> new Kept<>(upstream, context, n -> n % 2 == 1)));
        Flow<Integer, Integer> twice =
                Flow.of("twice", numbers -> numbers.operator("all", () -> new Repeated<>(n -> List.of(n, n))));
        List<Integer> seen = new ArrayList<>();
        RunningPipeline running = Source.range(0, 6)
                .via(odd.andThen(twice))
                .map(n -> n)
                .via(Flow.identity())
                .via(twice)
                .to(Sink.forEach(seen::add))
                .run();
        running.completion().get(10, TimeUnit.SECONDS);
        assertThat(seen).containsExactly(1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5, 5);
        assertThat(running.stages())
                .extracting(StageSnapshot::name)
                .containsExactly("range", "odd/kept", "twice/all", "map", "twice/all-2", "forEach");
    }

    @Test
    void flow_isTestedWithProbes() throws Exception {
        SourceProbe<Integer> above = new SourceProbe<>();
        SinkProbe<Integer> below = new SinkProbe<>();
        Sink<Integer> part = Flow.<Integer, Integer>of("part", numbers -> numbers.filter(n -> n > 1))
                .to(below.sink());
        try (RunningPipeline running = above.source().to(part).run()) {
            below.request(2);
            above.emit(1, 2).complete();
            assertThat(below.expectNext()).isEqualTo(2);
            below.expectEnd();
            running.completion().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void stageThatFails_failsThePipeline() {
        RunningPipeline running = Source.of(1)
                .<Integer>stage(
                        "kept",
                        (upstream, context) -> new Kept<>(upstream, context, n -> {
                            throw new IllegalStateException("broken");
                        }))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(() -> running.completion().get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("broken");
    }

    @Test
    void page_showsTheTestedOperators_wordForWord() throws Exception {
        String page = Files.readString(Path.of("../docs/guide/own-operators.md"));
        for (String name : List.of("Kept", "Repeated")) {
            String source = Files.readString(Path.of("src/test/java/userland/" + name + ".java"));
            assertThat(page).contains(source.substring(source.indexOf("/** An operator")));
        }
    }
}
