package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageContext.PatientTermination;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExposedResourceTest {

    private record Resource(int number) {}

    /** A resource whose close waits for the test. */
    private record Closing(CountDownLatch mayClose) implements PatientTermination {

        @Override
        public String close(Duration patience) {
            try {
                mayClose.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "";
        }

        @Override
        public void hurry(Duration patience) {
            if (patience.isZero()) {
                mayClose.countDown();
            }
        }
    }

    private final CompletableFuture<RunningPipeline> running = new CompletableFuture<>();
    private final List<List<Resource>> seen = new CopyOnWriteArrayList<>();

    /** Starts a source without elements. */
    private static Stage<Integer> start(StageContext context, int number, CountDownLatch mayClose) {
        context.onTermination(new Closing(mayClose));
        context.exposeResource(new Resource(number));
        context.expose("source " + number);
        return new Stage<>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                return null;
            }

            @Override
            public void close() {}
        };
    }

    private Source<Integer> inner(int number, CountDownLatch mayClose) {
        return Source.custom("inner", context -> {
            Stage<Integer> stage = start(context, number, mayClose);
            seen.add(running.join().handles(Resource.class));
            return stage;
        });
    }

    private static void spinUntil(BooleanSupplier condition) {
        long patienceEnds = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - patienceEnds).isNegative();
            Thread.onSpinWait();
        }
    }

    /** Regression: after a restarted section had ended, its consumers were reported as dead. */
    @Test
    void resource_ofASubstream_isExposedUntilItIsClosed() throws Exception {
        CountDownLatch mayClose = new CountDownLatch(1);
        CountDownLatch mayCloseFirst = new CountDownLatch(1);
        try (RunningPipeline pipeline = Source.of(1, 2, 3)
                .flatMapConcat(n -> inner(n, n == 1 ? mayCloseFirst : mayClose))
                .to(Sink.ignore())
                .run()) {
            running.complete(pipeline);
            spinUntil(() -> seen.size() == 3);
            assertThat(pipeline.handles(Resource.class)).contains(new Resource(1));
            mayCloseFirst.countDown();
            spinUntil(() -> !pipeline.handles(Resource.class).contains(new Resource(1)));
            assertThat(pipeline.handles(Resource.class)).contains(new Resource(2));
            mayClose.countDown();
            assertThat(pipeline.await().drained()).isTrue();
            spinUntil(() -> pipeline.handles(Resource.class).isEmpty());
            assertThat(pipeline.handles(String.class)).containsExactly("source 1", "source 2", "source 3");
        }
        assertThat(seen.getFirst()).containsExactly(new Resource(1));
    }

    /** Given a sink that waits until a resource of an ended substream is hurried. */
    @Test
    void drain_limitsTheClosingOfResourcesOfEndedSubstreams() throws Exception {
        CountDownLatch hurried = new CountDownLatch(1);
        List<Duration> ofClosed = new CopyOnWriteArrayList<>();
        List<Duration> ofOpen = new CopyOnWriteArrayList<>();
        CountDownLatch sinkWaits = new CountDownLatch(1);
        try (RunningPipeline pipeline = Source.of(1, 2, 3)
                .flatMapConcat(n -> n == 3
                        ? Source.of(3)
                        : withResource(n, n == 1 ? new CountDownLatch(0) : hurried, n == 1 ? ofClosed : ofOpen))
                .to(Sink.forEach(n -> {
                    sinkWaits.countDown();
                    hurried.await();
                }))
                .run()) {
            sinkWaits.await();
            spinUntil(() -> pipeline.handles(Resource.class).equals(List.of(new Resource(2))));
            assertThat(ofOpen).isEmpty();
            assertThat(pipeline.drain(Duration.ofHours(1)).drained()).isTrue();
        }
        assertThat(ofOpen.getFirst()).isEqualTo(Duration.ofHours(1));
        assertThat(ofClosed).isEmpty();
    }

    /**
     * Returns a source without elements. Its resource closes when {@code mayClose} is released or the resource is
     * hurried.
     */
    private static Source<Integer> withResource(int number, CountDownLatch mayClose, List<Duration> hurries) {
        return Source.custom("inner", context -> {
            Stage<Integer> stage = start(context, number, new CountDownLatch(0));
            context.onTermination(new PatientTermination() {
                @Override
                public String close(Duration patience) {
                    return new Closing(mayClose).close(patience);
                }

                @Override
                public void hurry(Duration patience) {
                    hurries.add(patience);
                    mayClose.countDown();
                }
            });
            return stage;
        });
    }

    @Test
    void trouble_ofASubstream_isReportedUntilItEnds() throws Exception {
        List<List<String>> told = new CopyOnWriteArrayList<>();
        Source<Integer> stuck = Source.custom("stuck", context -> {
            context.trouble(() -> "waits");
            return start(context, 1, new CountDownLatch(0));
        });
        Sink<Integer> sink = Sink.custom("sink", context -> {
            context.trouble(() -> "");
            return upstream -> {
                while (upstream.pull(Stage.NEVER) != null) {
                    told.add(context.troubles());
                }
                told.add(context.troubles());
            };
        });
        Source.of(1)
                .flatMapConcat(n -> Source.of(n).concat(stuck))
                .to(sink)
                .run()
                .await();
        assertThat(told).containsExactly(List.of("stuck: waits"), List.of());
    }

    @Test
    void resource_ofThePipeline_staysExposedAfterItsEnd() throws Exception {
        Source<Integer> source = Source.custom("source", context -> start(context, 1, new CountDownLatch(0)));
        try (RunningPipeline pipeline = source.to(Sink.ignore()).run()) {
            assertThat(pipeline.await().drained()).isTrue();
            assertThat(pipeline.handles(Resource.class)).containsExactly(new Resource(1));
        }
    }

    /** Regression: the results of all ended substreams stayed in memory until the pipeline ended. */
    @Test
    void results_ofSubstreams_areKeptAsLongAsTheirSinks() throws Exception {
        ResultSink<Integer, Long> ofAll = Sink.count();
        List<WeakReference<Object>> ofSubstreams = new CopyOnWriteArrayList<>();
        try (RunningPipeline pipeline = Source.of(1, 2, 3)
                .flatMapConcat(n -> {
                    Object result = new Object();
                    ofSubstreams.add(new WeakReference<>(result));
                    return Source.of(n).alsoTo(Sink.fold(result, (before, element) -> before));
                })
                .to(ofAll)
                .run()) {
            assertThat(pipeline.await().drained()).isTrue();
            spinUntil(() -> {
                System.gc();
                // Drops the keys that were collected.
                return pipeline.result(ofAll).isDone()
                        && ofSubstreams.stream().allMatch(result -> result.get() == null);
            });
            assertThat(pipeline.result(ofAll)).isCompletedWithValue(3L);
        }
    }

    private Sink<Integer> looking(Map<String, List<Resource>> at, String name) {
        return Sink.custom(name, context -> {
            at.put(name, context.upstreamHandles(Resource.class));
            return upstream -> {
                while (upstream.pull(Stage.NEVER) != null) {
                    // ends at once
                }
            };
        });
    }

    /** A sink must not see sources that are merged downstream of it. */
    @Test
    void upstreamHandles_areOfTheStagesAbove_andNotOfOtherInputs() throws Exception {
        Map<String, List<Resource>> seenBySink = new ConcurrentHashMap<>();
        CountDownLatch mayClose = new CountDownLatch(0);
        Source<Integer> first = Source.custom("first", context -> start(context, 1, mayClose));
        Source<Integer> second = Source.custom("second", context -> start(context, 2, mayClose));
        try (RunningPipeline pipeline = first.alsoTo(looking(seenBySink, "of the first"))
                .merge(second.divertTo(looking(seenBySink, "of the second"), n -> true))
                .to(looking(seenBySink, "of both"))
                .run()) {
            pipeline.await();
        }
        assertThat(seenBySink)
                .containsEntry("of the first", List.of(new Resource(1)))
                .containsEntry("of the second", List.of(new Resource(2)))
                .containsEntry("of both", List.of(new Resource(1), new Resource(2)));
    }

    /** Regression: a sink in a group saw a source that is merged downstream of the group. */
    @Test
    void upstreamHandles_withinASubstream_areNotOfInputsMergedBelow() throws Exception {
        Map<String, List<Resource>> seenBySink = new ConcurrentHashMap<>();
        Source<Integer> below = Source.custom("below", context -> start(context, 2, new CountDownLatch(0)));
        Source<Integer> above = Source.custom("above", context -> start(context, 1, new CountDownLatch(0)));
        try (RunningPipeline pipeline = above.merge(Source.of(1))
                .groupBy(n -> n, 4, group -> group.alsoTo(looking(seenBySink, "of the group")))
                .merge(below)
                .to(looking(seenBySink, "of both"))
                .run()) {
            assertThat(pipeline.await().drained()).isTrue();
        }
        assertThat(seenBySink)
                .containsEntry("of the group", List.of(new Resource(1)))
                .containsEntry("of both", List.of(new Resource(1), new Resource(2)));
    }

    /** Regression: a sink did not see a source that is merged in a branch upstream of it. */
    @Test
    void upstreamHandles_belowBranches_areOfTheInputsMergedInThem() throws Exception {
        Map<String, List<Resource>> seenBySink = new ConcurrentHashMap<>();
        CountDownLatch mayClose = new CountDownLatch(0);
        Source<Integer> first = Source.custom("first", context -> start(context, 1, mayClose));
        Source<Integer> second = Source.custom("second", context -> start(context, 2, mayClose));
        try (RunningPipeline pipeline = first.<Integer>broadcast(List.of(
                        branch -> branch.merge(second),
                        branch -> branch.alsoTo(looking(seenBySink, "of the other branch"))))
                .to(looking(seenBySink, "of both"))
                .run()) {
            assertThat(pipeline.await().drained()).isTrue();
        }
        assertThat(seenBySink)
                .containsEntry("of the other branch", List.of(new Resource(1)))
                .containsEntry("of both", List.of(new Resource(1), new Resource(2)));
    }
}
