package dev.weir.drivers.asimov;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Source;
import java.util.function.Function;

/** The threads on which the four steps run. Stateless. */
enum Shape {
    /** All steps run on one thread. */
    SEQUENTIAL {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.map(step);
        }
    },
    /** Two steps run on one thread and two on another, with a buffer between them. */
    BOUNDARY {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.map(step);
        }

        @Override
        <A> Source<A> halfWay(Source<A> above) {
            return above.async();
        }
    },
    /** Each step runs on as many threads as there are processors, and keeps the order of its input. */
    PARALLEL {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(PROCESSORS, step::apply);
        }
    },
    /** Each step runs on as many threads as there are processors, and emits each event as soon as it is ready. */
    UNORDERED {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapBlocking(PROCESSORS, Ordering.unordered(), step::apply)
                    .with(Attributes.NONE.withDispatcher(Dispatcher.cpu()));
        }
    },
    /** Each step has its own threads, and keeps the order of its input. */
    DISPATCHERS {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(PROCESSORS, step::apply)
                    .with(Attributes.NONE.withDispatcher(Dispatcher.fixed(name, PROCESSORS)));
        }
    },
    /** Each step finds its best number of threads, and keeps the order of its input. */
    ADAPTIVE {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(Parallelism.adaptive(1, 4 * PROCESSORS), step::apply);
        }
    };

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    abstract <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step);

    /** Adds an asynchronous boundary between the second and third steps if this is {@link #BOUNDARY}. */
    <A> Source<A> halfWay(Source<A> above) {
        return above;
    }
}
