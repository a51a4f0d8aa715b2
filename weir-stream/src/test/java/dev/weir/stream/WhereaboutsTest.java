package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Whereabouts;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how a source finds its elements in downstream stages. */
class WhereaboutsTest {

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int claims) {}
    };

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private @Nullable StageContext context;
    private @Nullable RunningPipeline running;

    @AfterEach
    void end() {
        release.countDown();
        Objects.requireNonNull(running).close();
    }

    private Source<Integer> numbers(int count) {
        return numbers(0, count);
    }

    /** Returns numbers in one batch. Each number is its own token. */
    private Source<Integer> numbers(int first, int count) {
        return Source.custom("numbers", made -> {
            context = made;
            return new Stage<Integer>() {
                private boolean through;

                @Override
                public @Nullable Batch<Integer> pull(long deadlineNanos) {
                    if (through) {
                        return null;
                    }
                    through = true;
                    Object[] values =
                            IntStream.range(first, first + count).boxed().toArray();
                    return Batch.of(
                            values,
                            count,
                            target,
                            LongStream.range(first, first + count).toArray());
                }

                @Override
                public void close() {}
            };
        });
    }

    private <T> T stuck(T element) throws InterruptedException {
        entered.countDown();
        release.await();
        return element;
    }

    private void run(Pipeline pipeline) throws InterruptedException {
        running = pipeline.run();
        entered.await();
    }

    private @Nullable Whereabouts find(long token) {
        return Objects.requireNonNull(context).find(target, token);
    }

    @Test
    void element_inAHandler_isAtWorkAndTheOthersWaitThere() throws InterruptedException {
        run(numbers(3)
                .mapBlocking(1, Ordering.input(), this::stuck)
                .named("work")
                .to(Sink.ignore()));
        assertThat(find(0)).isEqualTo(new Whereabouts("work", 0, true));
        assertThat(find(1)).isEqualTo(new Whereabouts("work", 1, false));
        assertThat(find(7)).isNull();
    }

    @Test
    void element_behindAnotherOfItsKey_waitsThoughALaneIsFree() throws InterruptedException {
        run(numbers(2)
                .mapBlocking(2, Ordering.byHash(number -> 1), this::stuck)
                .named("work")
                .to(Sink.ignore()));
        assertThat(find(0)).isEqualTo(new Whereabouts("work", 0, true));
        assertThat(find(1)).isEqualTo(new Whereabouts("work", 1, false));
    }

    @Test
    void element_whoseFutureRuns_isAtWork() throws InterruptedException {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        run(numbers(1)
                .mapAsync(2, number -> {
                    entered.countDown();
                    return never;
                })
                .named("call")
                .to(Sink.ignore()));
        assertThat(find(0)).isEqualTo(new Whereabouts("call", 0, true));
        never.complete(1);
    }

    @Test
    void elements_thatBecameOne_areFoundAsThatOne() throws InterruptedException {
        run(numbers(3)
                .grouped(3)
                .mapBlocking(1, Ordering.input(), this::stuck)
                .named("work")
                .to(Sink.ignore()));
        assertThat(find(2)).isEqualTo(new Whereabouts("work", List.of(0, 1, 2), true));
    }

    @Test
    void element_inOneOfManyStreamsOfAStage_isFoundUnderTheirCommonName() throws InterruptedException {
        CountDownLatch bothEntered = new CountDownLatch(2);
        run(Source.of(0, 1)
                .flatMapMerge(
                        2,
                        number -> numbers(number, 1)
                                .mapBlocking(1, Ordering.input(), each -> {
                                    bothEntered.countDown();
                                    return stuck(each);
                                })
                                .named("work"))
                .to(Sink.ignore()));
        bothEntered.await();
        assertThat(find(0)).isEqualTo(new Whereabouts("work", 0, true));
        assertThat(find(1)).isEqualTo(new Whereabouts("work", 1, true));
    }

    @Test
    void element_inASinkThatCannotTell_isPerhapsThere() throws InterruptedException {
        run(numbers(1).to(Sink.custom("slow", made -> {
            made.depth(() -> 1);
            return upstream -> {
                Batch<Integer> ignored = upstream.pull(Stage.NEVER);
                stuck(1);
                Batch<Integer> end = upstream.pull(Stage.NEVER);
                assertThat(end).isNull();
            };
        })));
        assertThat(find(0)).isEqualTo(new Whereabouts("slow", null, false));
    }

    @Test
    void element_thatSeveralSinksMayHold_isPerhapsInOneOfThem() throws InterruptedException {
        Sink<Integer> first = Sink.custom("first", made -> {
            made.depth(() -> 1);
            return upstream -> stuck(upstream);
        });
        Sink<Integer> second = Sink.custom("second", made -> {
            made.depth(() -> 2);
            return upstream -> stuck(upstream);
        });
        run(numbers(1).alsoTo(first).to(second));
        assertThat(find(7)).isEqualTo(new Whereabouts("first or second", null, false));
    }
}
