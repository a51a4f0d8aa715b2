package dev.weir.stream;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.KeyedResult;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.sink.ResultLoop;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A sink that reduces all elements to one result, such as {@link Sink#toList()}. Immutable, so it can be used in any
 * number of runs; each run produces its own result.
 *
 * <p>The sink is also the key to its result; see {@link RunningPipeline#result}. To run a pipeline to the end and get
 * the result, use {@link Source#runTo}.
 *
 * <pre>{@code
 * ResultSink<Integer, Long> count = Sink.count();
 * try (RunningPipeline running = Source.range(0, 10).to(count).run()) {
 *     long n = running.result(count).join();
 * }
 * }</pre>
 *
 * <p>If the pipeline is stopped or closed early, the result covers the elements received until then.
 *
 * <p>An element is acknowledged as soon as it is included in the result. If the pipeline fails later, the result is
 * lost and those elements are not delivered again. If that matters, use {@link Source#fold}, which holds the
 * acknowledgements back.
 *
 * @param <T> the type of the elements
 * @param <R> the type of the result
 */
public final class ResultSink<T, R> implements Sink<T>, ResultKey<R> {

    static final String ACKS = "immediately after processing";

    /** Appends the sink to a source, and registers the result of {@code sink}. */
    @FunctionalInterface
    private interface Closing<T, R> {
        Pipeline close(Source<? extends T> source, ResultSink<?, R> sink);
    }

    private final Attributes attributes;
    private final Closing<T, R> closing;

    private ResultSink(Attributes attributes, Closing<T, R> closing) {
        this.attributes = attributes;
        this.closing = closing;
    }

    static <T, R> ResultSink<T, R> of(String name, ResultLoop<T, R> loop) {
        return new ResultSink<>(
                Attributes.named(name),
                (source, sink) -> Pipeline.of(
                        source,
                        new Loop<T>(sink.attributes.withoutSupervision(), context -> sink.begin(loop, context))));
    }

    /** See {@link Sink#through(Function, ResultSink)}. */
    @SuppressWarnings("unchecked") // sources are only read
    <S> ResultSink<S, R> below(Function<? super Source<S>, ? extends Source<? extends T>> operators) {
        return new ResultSink<>(attributes, (source, sink) -> closing.close(operators.apply((Source<S>) source), sink));
    }

    /** Returns a sink of the same kind with a different name in snapshots. */
    public ResultSink<T, R> named(String name) {
        return with(Attributes.named(name));
    }

    /** Returns a sink of the same kind with additional attributes: name, dispatcher, supervision. */
    public ResultSink<T, R> with(Attributes more) {
        return new ResultSink<>(StageAttributes.merge(more, attributes), closing);
    }

    @Override
    public Pipeline close(Source<? extends T> source) {
        return closing.close(Objects.requireNonNull(source, "source"), this);
    }

    private <U> SinkLoop<U> begin(ResultLoop<U, R> loop, StageContext context) {
        KeyedResult<R> result = new KeyedResult<>(this, new CompletableFuture<>());
        context.expose(result);
        SupervisedCall supervised = SupervisedCall.by(new StageAttributes(attributes), context.clock());
        return (Stage<U> upstream) -> {
            R made = loop.run(upstream, context.meter(), supervised);
            result.future().complete(Objects.requireNonNull(made, "a sink made null"));
        };
    }

    /** The sink's name in snapshots. */
    @Override
    public String toString() {
        return String.valueOf(attributes.name());
    }
}
