package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.DrainReport;
import dev.weir.stream.ResultSink;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.lang.reflect.Proxy;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KeyedResultTest {

    private final KeyedResult.OfRun results = new KeyedResult.OfRun();
    private final ResultSink<Integer, Long> sink = Sink.count();
    private final CompletableFuture<Long> result = new CompletableFuture<>();

    private static RunningPipeline ended(Source<Integer> source) {
        RunningPipeline running = source.to(Sink.ignore()).named("ended").run();
        assertThat(running.completion().handle((report, failure) -> true).join())
                .isTrue();
        return running;
    }

    @Test
    void result_ofASinkThatWasCutOff_isCancelled() {
        results.add(new KeyedResult<>(sink, result));
        CompletableFuture<Long> cut = results.of(ended(Source.of(1)), sink);
        assertThat(cut.handle((value, failure) -> failure).join())
                .isInstanceOf(CancellationException.class)
                .hasMessage("the sink was cut off before its result");
    }

    @Test
    void result_afterAFailureOfTheRun_isTheFailure() {
        IllegalStateException planted = new IllegalStateException("planted");
        results.add(new KeyedResult<>(sink, result));
        assertThatThrownBy(results.of(ended(Source.failed(planted)), sink)::join)
                .hasRootCause(planted);
    }

    /** Regression: each call registered another action at the end of the run. */
    @Test
    void result_readManyTimes_waitsForTheEndOnce() {
        CompletableFuture<DrainReport> completion = new CompletableFuture<>();
        RunningPipeline running = (RunningPipeline) Proxy.newProxyInstance(
                RunningPipeline.class.getClassLoader(),
                new Class<?>[] {RunningPipeline.class},
                (proxy, method, arguments) -> method.getName().equals("hasEnded") ? completion.isDone() : completion);
        results.add(new KeyedResult<>(sink, result));
        for (int i = 0; i < 100; i++) {
            assertThat(results.of(running, sink)).isSameAs(result);
        }
        assertThat(completion.getNumberOfDependents()).isEqualTo(1);
    }

    @Test
    void result_thatTheSinkHasProduced_stays() {
        results.add(new KeyedResult<>(sink, result));
        assertThat(result.complete(7L)).isTrue();
        assertThat(results.of(ended(Source.failed(new IllegalStateException("planted"))), sink))
                .isCompletedWithValue(7L);
    }

    @Test
    void result_ofASinkThatOccursTwice_isRefused() {
        RunningPipeline running = ended(Source.of(1));
        results.add(new KeyedResult<>(sink, result));
        results.add(new KeyedResult<>(sink, new CompletableFuture<>()));
        assertThatThrownBy(() -> results.of(running, sink))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count occurs 2 times in pipeline ended");
        assertThatThrownBy(() -> results.of(running, Sink.<Integer>count()))
                .hasMessageContaining("count occurs 0 times in pipeline ended");
    }
}
