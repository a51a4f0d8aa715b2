package dev.weir.drivers.asimov;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Source;
import java.util.function.Function;

/** Threads on which the four steps run. Stateless. */
enum Shape {
    /** All on one. */
    SEQUENTIAL {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.map(step);
        }
    },
    /** Two steps on one, two on another, with a buffer between them. */
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
    /** Each on as many as there are processors, in the order of the input. */
    PARALLEL {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(PROCESSORS, step::apply);
        }
    },
    /** The same, each event as soon as it is ready. */
    UNORDERED {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapBlocking(PROCESSORS, Ordering.unordered(), step::apply)
                    .with(Attributes.NONE.withDispatcher(Dispatcher.cpu()));
        }
    },
    /** Keeps the order of the input; each step has threads of its own. */
    DISPATCHERS {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(PROCESSORS, step::apply)
                    .with(Attributes.NONE.withDispatcher(Dispatcher.fixed(name, PROCESSORS)));
        }
    },
    /** Keeps the order of the input; each step finds its best number of threads. */
    ADAPTIVE {
        @Override
        <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step) {
            return above.mapParallel(Parallelism.adaptive(1, 4 * PROCESSORS), step::apply);
        }
    };

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    abstract <A, B> Source<B> step(Source<A> above, String name, Function<A, B> step);

    /** The part between the second step and the third. */
    <A> Source<A> halfWay(Source<A> above) {
        return above;
    }
}
