package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests stages that close after a failure. Each of their elements must be abandoned once, even if an acknowledgement
 * target or an upstream stage throws meanwhile. Regression: after a target threw, the later elements stayed pending.
 */
class AbandonmentTest {

    private static final RestartSettings AT_ONCE = RestartSettings.of(Backoff.NONE);

    private final AtomicIntegerArray ends = new AtomicIntegerArray(3);

    /** Counts the ends of each acknowledgement. */
    private class Counting implements AckTarget {

        @Override
        public void ack(long token) {
            ends.incrementAndGet((int) token);
        }

        @Override
        public void forgo(long token) {
            ends.incrementAndGet((int) token);
        }

        @Override
        public void abandon(long token) {
            ends.incrementAndGet((int) token);
        }

        @Override
        public void retain(long token, int count) {}
    }

    /** Throws if element 0 is abandoned. */
    private final class Throwing extends Counting {

        @Override
        public void abandon(long token) {
            super.abandon(token);
            if (token == 0) {
                throw new IllegalStateException("planted");
            }
        }
    }

    /** Emits three elements in batches of {@code batchSize}, and then fails. */
    private static class Three implements Stage<Integer> {

        private final AckTarget target;
        private final int batchSize;
        private int next;

        Three(AckTarget target, int batchSize) {
            this.target = target;
            this.batchSize = batchSize;
        }

        @Override
        public Batch<Integer> pull(long deadlineNanos) {
            if (next == 3) {
                throw new IllegalStateException("planted");
            }
            Batch<Integer> batch = new Batch<>(batchSize);
            for (int i = 0; i < batchSize; i++) {
                batch.add(next, target, next);
                next++;
            }
            return batch;
        }

        @Override
        public void close() {}
    }

    private static final class FailingToClose extends Three {

        FailingToClose(AckTarget target, int batchSize) {
            super(target, batchSize);
        }

        @Override
        public void close() {
            throw new IllegalStateException("planted");
        }
    }

    /** Abandons all elements and emits nothing. */
    private record Abandoning(Stage<Integer> upstream) implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
            Batch<Integer> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                return null;
            }
            batch.abandonAll();
            return new Batch<>(0);
        }

        @Override
        public void close() {
            upstream.close();
        }
    }

    private static Source<Integer> abandoning(Source<Integer> source) {
        return source.stage("abandoning", (upstream, context) -> new Abandoning(upstream));
    }

    private void assertEndsEachOnce(Stage<Integer> source, UnaryOperator<Source<Integer>> operator) {
        RunningPipeline running = operator.apply(Source.custom("three", context -> source))
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).hasMessageContaining("planted");
        assertThat(ends).hasToString("[1, 1, 1]");
    }

    @Test
    void flatMapConcat_whoseFirstParentThrows_abandonsTheOthers() {
        assertEndsEachOnce(
                new Three(new Throwing(), 3),
                source -> source.flatMapConcat(n -> Source.failed(new IllegalStateException("planted"))));
    }

    @Test
    void flatMapConcat_whoseUpstreamFailsToClose_abandonsItsParents() {
        assertEndsEachOnce(
                new FailingToClose(new Counting(), 3),
                source -> source.flatMapConcat(n -> Source.failed(new IllegalStateException("planted"))));
    }

    @Test
    void prefixAndTail_whoseUpstreamFailsToClose_abandonsPrefixAndRest() {
        assertEndsEachOnce(
                new FailingToClose(new Counting(), 3),
                source ->
                        source.prefixAndTail(2, (prefix, tail) -> Source.failed(new IllegalStateException("planted"))));
    }

    @Test
    void prefixAndTail_whosePrefixThrows_abandonsTheRest() {
        assertEndsEachOnce(
                new Three(new Throwing(), 3),
                source ->
                        source.prefixAndTail(2, (prefix, tail) -> Source.failed(new IllegalStateException("planted"))));
    }

    @Test
    void prefixAndTail_whoseFunctionThrows_abandonsPrefixAndRest() {
        assertEndsEachOnce(
                new FailingToClose(new Counting(), 3),
                source -> source.prefixAndTail(2, (prefix, tail) -> {
                    throw new IllegalStateException("planted");
                }));
    }

    @Test
    void restartedSection_whoseFirstElementThrows_abandonsTheOthers() {
        assertEndsEachOnce(
                new Three(new Throwing(), 1), source -> source.restarted(AT_ONCE, AbandonmentTest::abandoning));
    }

    /** The groups' streams abandon elements but keep running, so each group keeps its elements until it ends. */
    @Test
    void groups_whoseFirstElementThrows_abandonTheOthers() {
        assertEndsEachOnce(
                new Three(new Throwing(), 1), source -> source.groupBy(n -> n % 2, 2, AbandonmentTest::abandoning));
    }
}
