package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import io.smallrye.mutiny.Multi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.AsPublisher;
import org.apache.pekko.stream.javadsl.JavaFlowSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The samples of {@code docs/guide/interop.md}. */
class InteropSamplesTest {

    private final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    private final Source<Integer> source = Source.of(1, 2, 3);

    private void assertThrough(Flow.Publisher<Integer> publisher) throws InterruptedException {
        RunningPipeline running =
                Source.fromPublisher(publisher, 256).to(Sink.forEach(seen::add)).run();
        running.await();
        assertThat(seen).containsExactly(1, 2, 3);
    }

    @Test
    void reactor() throws Exception {
        Flux<Integer> flux = JdkFlowAdapter.flowPublisherToFlux(source.asPublisher());
        Flow.Publisher<Integer> publisher = JdkFlowAdapter.publisherToFlowPublisher(flux);
        assertThrough(publisher);
    }

    @Test
    void mutiny() throws Exception {
        Multi<Integer> multi = Multi.createFrom().publisher(source.asPublisher());
        Flow.Publisher<Integer> publisher = multi;
        assertThrough(publisher);
    }

    @Test
    void pekko() throws Exception {
        ActorSystem system = Pekko.system();
        try {
            org.apache.pekko.stream.javadsl.Source<Integer, NotUsed> pekkoSource =
                    JavaFlowSupport.Source.fromPublisher(source.asPublisher());
            Flow.Publisher<Integer> publisher =
                    pekkoSource.runWith(JavaFlowSupport.Sink.asPublisher(AsPublisher.WITHOUT_FANOUT), system);
            assertThrough(publisher);
        } finally {
            system.terminate();
        }
    }

    @Test
    void reactiveStreams() throws Exception {
        Publisher<Integer> theirs = FlowAdapters.toPublisher(source.asPublisher());
        Flow.Publisher<Integer> publisher = FlowAdapters.toFlowPublisher(theirs);
        assertThrough(publisher);
    }

    @Test
    void handleOfTheRun() {
        AtomicReference<RunningPipeline> running = new AtomicReference<>();
        Flow.Publisher<Integer> publisher = subscriber ->
                running.set(source.to(Sink.toSubscriber(subscriber)).run());
        assertThat(Multi.createFrom()
                        .publisher(publisher)
                        .collect()
                        .asList()
                        .await()
                        .indefinitely())
                .containsExactly(1, 2, 3);
        assertThat(running.get().completion()).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void processor() {
        Flow.Processor<Integer, String> processor = Source.processor(256, numbers -> numbers.map(n -> "no. " + n));
        Multi.createFrom().items(1, 2, 3).subscribe().withSubscriber(processor);
        assertThat(Multi.createFrom()
                        .publisher(processor)
                        .collect()
                        .asList()
                        .await()
                        .indefinitely())
                .containsExactly("no. 1", "no. 2", "no. 3");
    }

    @Test
    void claims() {
        Set<Integer> stored = new ConcurrentSkipListSet<>();
        Acks acks = new Acks(1000, stored::contains);
        Source<Integer> orders = Source.custom("orders", context -> acks);

        JdkFlowAdapter.flowPublisherToFlux(orders.withClaim().asPublisher())
                .flatMap(order -> store(order.value(), stored).doOnSuccess(done -> order.ack()), 64)
                .blockLast();

        assertThat(acks.finished).hasValue(1000);
        assertThat(acks.early).hasValue(0);
    }

    private static Mono<Integer> store(int order, Set<Integer> stored) {
        return Mono.delay(Duration.ofMillis(order % 3)).map(tick -> order).doOnNext(stored::add);
    }

    /** Emits the numbers from 0 in one batch, and counts their pending acknowledgements. Thread-safe. */
    private static final class Acks implements AckTarget, Stage<Integer> {

        private final AtomicIntegerArray claims;
        private final IntPredicate mayFinish;
        private boolean emitted;
        final AtomicInteger finished = new AtomicInteger();
        final AtomicInteger early = new AtomicInteger();

        Acks(int count, IntPredicate mayFinish) {
            claims = new AtomicIntegerArray(count);
            this.mayFinish = mayFinish;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            if (emitted) {
                return null;
            }
            emitted = true;
            Batch<Integer> batch = new Batch<>(claims.length());
            for (int i = 0; i < claims.length(); i++) {
                claims.set(i, 1);
                batch.add(i, this, i);
            }
            return batch;
        }

        @Override
        public void close() {}

        @Override
        public void ack(long token) {
            int index = (int) token;
            if (claims.decrementAndGet(index) == 0) {
                finished.incrementAndGet();
                if (!mayFinish.test(index)) {
                    early.incrementAndGet();
                }
            }
        }

        @Override
        public void retain(long token, int more) {
            claims.addAndGet((int) token, more);
        }
    }
}
