package dev.weir.stream.internal.boundary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.internal.ack.RecordingTarget;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputQueueTest {

    private final StageMeter giver = new StageMeter();
    private final RecordingTarget source = new RecordingTarget();
    private final BoundaryQueue<Integer> queue = new BoundaryQueue<>(4, Clock.SYSTEM);
    private final OutputQueue<Integer> output = new OutputQueue<>(queue, () -> false);

    private Batch<Integer> batch(int token) {
        return batch(source, token);
    }

    private static Batch<Integer> batch(AckTarget target, int token) {
        return Batch.of(new Object[] {token}, 1, target, new long[] {token});
    }

    private static Batch<Integer> pulled(OutputQueue<Integer> from) throws InterruptedException {
        return Objects.requireNonNull(from.pull(Stage.NEVER));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void release_endsHeldQueuedAndLaterElements_asTheStreamEnded(boolean completed) throws Exception {
        String outcome = completed ? "ack " : "abandon ";
        assertThat(output.give(batch(1), giver)).isTrue();
        assertThat(output.give(batch(2), giver)).isTrue();
        // A downstream stage is closed while it holds this element.
        pulled(output).abandonAll();
        assertThat(source.calls()).isEmpty();
        assertThat(output.isReleased()).isFalse();
        output.release(completed);
        assertThat(output.isReleased()).isTrue();
        assertThat(output.isWhole()).isEqualTo(completed);
        assertThat(source.calls()).containsExactlyInAnyOrder(outcome + 1, outcome + 2);
        assertThat(output.give(batch(3), giver)).isTrue();
        assertThat(source.calls()).containsExactly(outcome + 3);
        assertThat(output.offer(batch(4))).isFalse();
        // The end of the run changes nothing.
        output.leave();
        assertThat(output.give(batch(5), giver)).isTrue();
        assertThat(source.calls()).containsExactly(outcome + 5);
    }

    @Test
    void cancel_abandonsQueuedElements_andRefusesLaterOnes() throws Exception {
        assertThat(output.offer(batch(1))).isTrue();
        output.cancel();
        assertThat(source.calls()).containsExactly("abandon 1");
        assertThat(output.give(batch(2), giver)).isFalse();
        assertThat(source.calls()).containsExactly("abandon 2");
        assertThat(output.offer(batch(3))).isFalse();
        assertThat(source.calls()).isEmpty();
    }

    @Test
    void leave_atTheEndOfTheRun_abandonsHeldAndQueuedElements() throws Exception {
        assertThat(output.give(batch(1), giver)).isTrue();
        assertThat(output.give(batch(2), giver)).isTrue();
        Batch<Integer> late = pulled(output);
        output.leave();
        assertThat(source.calls()).containsExactly("abandon 2");
        late.abandonAll();
        assertThat(source.calls()).containsExactly("abandon 1");
        assertThat(output.give(batch(3), giver)).isFalse();
        assertThat(source.calls()).containsExactly("abandon 3");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaveToOthers_endsHeldElementsOnly(boolean completed) throws Exception {
        OutputQueue<Integer> other = new OutputQueue<>(queue, () -> true);
        assertThat(output.give(batch(1), giver)).isTrue();
        assertThat(output.give(batch(2), giver)).isTrue();
        pulled(output).abandonAll();
        output.leaveToOthers(completed);
        assertThat(source.calls()).containsExactly(completed ? "ack 1" : "abandon 1");
        assertThat(pulled(other).get(0)).isEqualTo(2);
    }

    /** A stage that needs no more elements forgoes the others before the outcome of the stream is known. */
    @Test
    void forgoneElement_isKept_onceTheDownstreamStagesHaveEnded() throws Exception {
        assertThat(output.give(batch(1), giver)).isTrue();
        assertThat(output.give(batch(2), giver)).isTrue();
        pulled(output).forgo(0);
        assertThat(source.calls()).containsExactly("forgo 1");
        Batch<Integer> second = pulled(output);
        output.ended();
        second.forgo(0);
        assertThat(source.calls()).isEmpty();
        output.release(true);
        assertThat(source.calls()).containsExactly("ack 2");
    }

    @Test
    void exhausted_isAnOutputWhoseEndWasPulled() throws Exception {
        assertThat(output.give(batch(1), giver)).isTrue();
        output.end(null);
        assertThat(pulled(output).size()).isEqualTo(1);
        assertThat(output.isExhausted()).isFalse();
        assertThat(output.pull(Stage.NEVER)).isNull();
        assertThat(output.isExhausted()).isTrue();
        OutputQueue<Integer> released = new OutputQueue<>(new BoundaryQueue<>(4, Clock.SYSTEM), () -> true);
        released.release(true);
        assertThat(released.pull(Stage.NEVER)).isNull();
        assertThat(released.isExhausted()).isFalse();
    }

    @Test
    void end_afterAFailure_passesItOn() throws Exception {
        assertThat(output.give(batch(1), giver)).isTrue();
        output.end(new IllegalStateException("above"));
        assertThat(pulled(output).size()).isEqualTo(1);
        assertThatThrownBy(() -> output.pull(Stage.NEVER)).hasMessage("above");
    }

    @Test
    void wait_ofTheDownstreamThread_isMeasuredByItsMeter() throws Exception {
        StageMeter segment = new StageMeter();
        output.pulledBy(segment);
        Thread puller = Thread.ofVirtual().start(() -> {
            try {
                assertThat(output.pull(Stage.NEVER)).isNull();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (!segment.isBlockedUp()) {
            Thread.onSpinWait();
        }
        output.end(null);
        puller.join();
        assertThat(segment.isBlockedUp()).isFalse();
    }

    @Test
    void queuedElements_areFound_andDroppedIfRevoked() throws Exception {
        RecordingTarget revoked = new RecordingTarget().revoked();
        assertThat(output.give(batch(1), giver)).isTrue();
        assertThat(output.give(batch(revoked, 2), giver)).isTrue();
        assertThat(output.depth()).isEqualTo(2);
        assertThat(output.find(source, 1)).isEqualTo(new StageEntry.Kept(1, false));
        assertThat(output.find(revoked, 2)).isEqualTo(new StageEntry.Kept(2, false));
        output.dropRevoked();
        assertThat(revoked.calls()).containsExactly("drop 2");
        assertThat(output.depth()).isEqualTo(1);
        assertThat(output.find(revoked, 2)).isNull();
    }

    /** The last stage downstream of an output. */
    private static final class Lowest implements Stage<Integer> {

        private final Deque<Batch<Integer>> batches = new ArrayDeque<>();
        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return batches.poll();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Test
    void leaving_givesElementsTheirTargetsOutside() throws Exception {
        Lowest lowest = new Lowest();
        assertThat(output.give(batch(1), giver)).isTrue();
        lowest.batches.add(pulled(output));
        Stage<Integer> leaving = output.leaving(lowest);
        Objects.requireNonNull(leaving.pull(Stage.NEVER)).abandonAll();
        assertThat(source.calls()).containsExactly("abandon 1");
        assertThat(leaving.pull(Stage.NEVER)).isNull();
        leaving.close();
        assertThat(lowest.closed).hasValue(1);
    }

    /** Regression: after a queued element's target threw, the elements of closed downstream stages stayed pending. */
    @Test
    void end_withAQueuedElementWhoseTargetThrows_endsTheHeldElements() throws Exception {
        IllegalStateException planted = new IllegalStateException("planted");
        RecordingTarget throwing = new RecordingTarget().throwing(planted);
        OutputQueue<Integer> released = holding(throwing);
        assertThatThrownBy(() -> released.release(true)).isSameAs(planted);
        assertThat(source.calls()).containsExactly("ack 1");
        OutputQueue<Integer> left = holding(throwing);
        assertThatThrownBy(left::leave).isSameAs(planted);
        assertThat(source.calls()).containsExactly("abandon 1");
        assertThat(throwing.calls()).containsExactly("ack 2", "abandon 2");
    }

    /** Returns an output with an abandoned element of the source and a queued element of {@code queued}. */
    private OutputQueue<Integer> holding(AckTarget queued) throws InterruptedException {
        OutputQueue<Integer> holding = new OutputQueue<>(new BoundaryQueue<>(4, Clock.SYSTEM), () -> true);
        assertThat(holding.give(batch(1), giver)).isTrue();
        assertThat(holding.give(batch(queued, 2), giver)).isTrue();
        pulled(holding).abandonAll();
        return holding;
    }
}
