package dev.weir.stream;

import dev.weir.stream.internal.interop.Interop;
import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.spi.SinkFactory;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;

/** The end of a pipeline's blueprint. Immutable and free to share: each run makes its own loop. */
public sealed interface Sink<T> {

    /** A sink implemented elsewhere; it acknowledges what it is done with. */
    static <T> Loop<T> custom(String name, SinkFactory<T> factory) {
        return new Loop<>(Attributes.named(name), factory);
    }

    /** Calls {@code consumer} with each element, in order, on one thread, and acknowledges it when that returns. */
    static <T> Loop<T> forEach(Consumer<? super T> consumer) {
        Objects.requireNonNull(consumer, "consumer");
        return custom("forEach", Operators.forEach(consumer));
    }

    /** Acknowledges each element and drops it. */
    static <T> Loop<T> ignore() {
        return custom("ignore", Operators.ignore());
    }

    /**
     * Gives each element to {@code subscriber} as it asks for them, with the rules of {@link Source#asPublisher}: for those
     * who want the {@link RunningPipeline} in hand. {@code onSubscribe} is called by the thread that starts the pipeline.
     * A subscriber serves one run only.
     *
     * {@snippet :
     * RunningPipeline running = orders.to(Sink.toSubscriber(subscriber)).run();
     * }
     */
    static <T> Loop<T> toSubscriber(Flow.Subscriber<? super T> subscriber) {
        return custom("subscriber", Interop.toSubscriber(Objects.requireNonNull(subscriber, "subscriber")));
    }

    /** A sink that is the lower part of a pipeline: operators and the sink below them. */
    static <T> Sink<T> through(Function<Source<T>, Pipeline> lower) {
        return new Lower<>(lower);
    }

    /** Closes the blueprint of {@code source} with this sink. */
    Pipeline close(Source<? extends T> source);

    /** A sink that is one loop; made by {@link #custom}. */
    record Loop<T>(Attributes attributes, SinkFactory<T> factory) implements Sink<T> {

        /** Checks. */
        public Loop {
            Objects.requireNonNull(factory, "factory");
        }

        /** The same sink under another name in snapshots. */
        public Loop<T> named(String name) {
            return new Loop<>(attributes.withName(name), factory);
        }

        @Override
        public Pipeline close(Source<? extends T> source) {
            return Pipeline.of(source, this);
        }
    }

    /** A sink that is a part of a pipeline; made by {@link #through}. */
    record Lower<T>(Function<Source<T>, Pipeline> pipeline) implements Sink<T> {

        /** Checks. */
        public Lower {
            Objects.requireNonNull(pipeline, "pipeline");
        }

        @Override
        @SuppressWarnings("unchecked") // a source is only read
        public Pipeline close(Source<? extends T> source) {
            return pipeline.apply((Source<T>) source);
        }
    }
}
