package dev.weir.checks.interop;

import io.smallrye.mutiny.Multi;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.AsPublisher;
import org.apache.pekko.stream.javadsl.JavaFlowSupport;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** The libraries connected to Weir, each through its own adapter. Has only constants. */
enum Library {
    PEKKO(16) {
        @Override
        Flow.Publisher<Integer> numbers(int count, int failAt, IntConsumer emitted, Runnable cancelled) {
            return Source.range(0, count - 1)
                    .map(n -> emit(n, failAt, emitted))
                    .watchTermination((ignored, end) -> end.whenComplete((done, failure) -> cancelled.run()))
                    .runWith(JavaFlowSupport.Sink.asPublisher(AsPublisher.WITHOUT_FANOUT), SYSTEM);
        }

        @Override
        CompletionStage<?> consume(Flow.Publisher<Integer> publisher, long limit, IntConsumer consumer) {
            return JavaFlowSupport.Source.fromPublisher(publisher)
                    .take(limit)
                    .runWith(Sink.foreach(consumer::accept), SYSTEM);
        }
    },

    REACTOR(256) {
        @Override
        Flow.Publisher<Integer> numbers(int count, int failAt, IntConsumer emitted, Runnable cancelled) {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.range(0, count)
                    .map(n -> emit(n, failAt, emitted))
                    .doOnCancel(cancelled)
                    .subscribeOn(Schedulers.boundedElastic()));
        }

        @Override
        CompletionStage<?> consume(Flow.Publisher<Integer> publisher, long limit, IntConsumer consumer) {
            return JdkFlowAdapter.flowPublisherToFlux(publisher)
                    .take(limit)
                    .publishOn(Schedulers.boundedElastic(), 256)
                    .doOnNext(consumer::accept)
                    .then()
                    .toFuture();
        }
    },

    MUTINY(0) {
        @Override
        Flow.Publisher<Integer> numbers(int count, int failAt, IntConsumer emitted, Runnable cancelled) {
            return Multi.createFrom()
                    .items(() -> IntStream.range(0, count).boxed())
                    .onItem()
                    .transform(n -> emit(n, failAt, emitted))
                    .onCancellation()
                    .invoke(cancelled);
        }

        @Override
        CompletionStage<?> consume(Flow.Publisher<Integer> publisher, long limit, IntConsumer consumer) {
            return Multi.createFrom()
                    .publisher(publisher)
                    .select()
                    .first(limit)
                    .onItem()
                    .invoke(consumer::accept)
                    .onItem()
                    .ignoreAsUni()
                    .subscribeAsCompletionStage();
        }
    },

    /** The interfaces of reactivestreams.org, for libraries that know only these. */
    REACTIVE_STREAMS(0) {
        @Override
        Flow.Publisher<Integer> numbers(int count, int failAt, IntConsumer emitted, Runnable cancelled) {
            return FlowAdapters.toFlowPublisher(
                    Flux.range(0, count).map(n -> emit(n, failAt, emitted)).doOnCancel(cancelled));
        }

        @Override
        CompletionStage<?> consume(Flow.Publisher<Integer> publisher, long limit, IntConsumer consumer) {
            return Flux.from(FlowAdapters.toPublisher(publisher))
                    .take(limit)
                    .doOnNext(consumer::accept)
                    .then()
                    .toFuture();
        }
    };

    static final ActorSystem SYSTEM = Pekko.system();

    /** The number of elements that the library's adapter, or its consuming operator, buffers by default. */
    final int buffer;

    Library(int buffer) {
        this.buffer = buffer;
    }

    /**
     * Returns a publisher of this library that emits the numbers from 0.
     *
     * @param failAt the number at which to fail, or -1
     * @param emitted called with each number before it is emitted
     * @param cancelled called after a cancellation
     */
    abstract Flow.Publisher<Integer> numbers(int count, int failAt, IntConsumer emitted, Runnable cancelled);

    /** Consumes the first {@code limit} elements with this library. The future fails if the publisher fails. */
    abstract CompletionStage<?> consume(Flow.Publisher<Integer> publisher, long limit, IntConsumer consumer);

    final CompletableFuture<?> consumeAll(Flow.Publisher<Integer> publisher, IntConsumer consumer) {
        return consume(publisher, Long.MAX_VALUE, consumer).toCompletableFuture();
    }

    private static int emit(int n, int failAt, IntConsumer emitted) {
        if (n == failAt) {
            throw new IllegalStateException("planted");
        }
        emitted.accept(n);
        return n;
    }
}
