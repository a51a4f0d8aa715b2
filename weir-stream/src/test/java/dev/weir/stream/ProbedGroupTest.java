package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests groups whose stream is built once in advance, to see whether it has its own threads. Users' code must not
 * notice that.
 */
class ProbedGroupTest {

    private static void runsOneGroup(UnaryOperator<Source<Integer>> inside) throws Exception {
        for (UnaryOperator<Source<Integer>> nested : List.<UnaryOperator<Source<Integer>>>of(
                s -> s.groupBy(n -> 0, 1, inside),
                // The inner group is examined together with the outer one.
                s -> s.groupBy(n -> 0, 1, key -> key.groupBy(n -> 0, 1, inside)),
                s -> s.groupBy(n -> 0, 1, key -> key.splitWhen(n -> false, inside)))) {
            TrackedSource<Integer> source = TrackedSource.numbers(3, 3);
            try (RunningPipeline running =
                    nested.apply(source.source()).to(Sink.ignore()).run()) {
                running.await();
            }
            source.assertAllFinished();
        }
    }

    @Test
    void watch_isToldOfTheEndsOfGroupsOnly() throws Exception {
        List<StreamEnd> ends = new CopyOnWriteArrayList<>();
        runsOneGroup(key -> key.watch(ends::add));
        runsOneGroup(key -> key.watch(ends::add).async());
        assertThat(ends).hasSize(6).containsOnly(new StreamEnd.Completed());
    }

    @Test
    void sourceOfTheUsers_isMadeForGroupsOnly() throws Exception {
        AtomicInteger made = new AtomicInteger();
        runsOneGroup(key -> key.merge(Source.custom("counted", context -> {
            made.incrementAndGet();
            return new Nothing();
        })));
        assertThat(made).hasValue(3);
    }

    /** Regression: a group could not read from a queue. */
    @Test
    void queue_feedsTheGroup() throws Exception {
        SourceQueue<Integer> queue = SourceQueue.of(10);
        queue.offer(4);
        queue.complete();
        List<Integer> seen = new CopyOnWriteArrayList<>();
        try (RunningPipeline running = Source.of(1, 2)
                .groupBy(n -> 0, 1, key -> key.merge(Source.queue(queue)))
                .to(Sink.forEach(seen::add))
                .run()) {
            running.await();
        }
        assertThat(seen).containsExactlyInAnyOrder(1, 2, 4);
    }

    @Test
    void publisher_isSubscribedToByGroupsOnly() throws Exception {
        AtomicInteger subscribed = new AtomicInteger();
        Flow.Publisher<Integer> ending = subscriber -> {
            subscribed.incrementAndGet();
            try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>()) {
                publisher.subscribe(subscriber);
            }
        };
        runsOneGroup(key -> key.merge(Source.fromPublisher(ending, 10)));
        assertThat(subscribed).hasValue(3);
    }

    @Test
    void sinkAtTheSide_hasOneResult() throws Exception {
        ResultSink<Integer, List<Integer>> all = Sink.toList();
        try (RunningPipeline running = Source.of(1, 2)
                .groupBy(n -> 0, 1, key -> key.alsoTo(all))
                .to(Sink.ignore())
                .run()) {
            running.await();
            assertThat(running.result(all).join()).containsExactly(1, 2);
        }
    }

    @Test
    void startAction_isCalledForGroupsOnly() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Sink<Integer> part =
                Sink.through(source -> source.to(Sink.<Integer>ignore()).onStart(running -> told.incrementAndGet()));
        runsOneGroup(key -> key.alsoTo(part));
        assertThat(told).hasValue(3);
    }

    @Test
    void dispatcher_runsTheThreadsOfGroupsOnly() throws Exception {
        try (Dispatcher counted = Dispatcher.fixed("counted", 4)) {
            runsOneGroup(key -> key.async(counted, 10));
            DispatcherSnapshot asked = counted.snapshot();
            assertThat(asked.completed() + asked.active() + asked.queued()).isEqualTo(3);
        }
    }

    /** A source without elements. */
    private static final class Nothing implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return null;
        }

        @Override
        public void close() {}
    }
}
