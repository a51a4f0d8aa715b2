package dev.weir.stream.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.internal.ack.LeftoverAcknowledgements;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests elements that leave a restarted section and the inner stream around it. */
class ReplayableBatchTest {

    private final List<String> calls = new ArrayList<>();
    private boolean revoked;
    private final AckTarget source = new AckTarget() {
        @Override
        public void ack(long token) {
            calls.add("ack");
        }

        @Override
        public void abandon(long token) {
            calls.add("abandon");
        }

        @Override
        public boolean isRevoked(long token) {
            return revoked;
        }

        @Override
        public boolean dropIfRevoked(long token) {
            if (revoked) {
                calls.add("drop");
            }
            return revoked;
        }

        @Override
        public void retain(long token, int count) {
            calls.add("retain");
        }
    };
    private final SubstreamTarget.Wrapper border =
            new SubstreamTarget.Wrapper(() -> true, new LeftoverAcknowledgements());
    private final ReplayableBatch<Integer> given =
            new ReplayableBatch<>(Batch.of(new Object[] {1}, 1, border.apply(source), new long[1]));
    private final Batch<Integer> first = given.give();
    private final Batch<Integer> second = given.give();

    @Test
    void element_abandonedAfterItLeft_isAbandonedInItsSource() {
        SubstreamTarget.leave(first, border);
        second.ackAll();
        first.abandonAll();
        assertThat(calls).containsExactly("retain", "ack", "abandon");
    }

    /** Regression: a rebalance waited for the element until the end of the inner stream. */
    @Test
    void element_abandonedBecauseItIsRevoked_isDroppedAtOnce() {
        revoked = true;
        assertThat(given.give().isEmpty()).isTrue();
        assertThat(calls).containsExactly("drop");
    }

    /** A finished element must get no further pending acknowledgements. */
    @Test
    void element_leavingAfterAnotherAttemptFinishedIt_changesNothing() {
        second.ackAll();
        SubstreamTarget.leave(first, border);
        first.abandonAll();
        assertThat(calls).containsExactly("ack");
    }

    /** Two elements without an inner stream around the section. */
    private ReplayableBatch<Integer> two() {
        return new ReplayableBatch<>(Batch.of(new Object[] {1, 2}, 2, source, new long[2]));
    }

    @Test
    void batch_isFinishedOnceAllItsElementsAre() {
        ReplayableBatch<Integer> batch = two();
        assertThat(batch.isFinished()).isFalse();
        Batch<Integer> attempt = batch.give();
        attempt.ack(0);
        assertThat(batch.isFinished()).isFalse();
        assertThat(batch.give().size()).isEqualTo(1);
        attempt.ack(1);
        assertThat(batch.isFinished()).isTrue();
        assertThat(batch.give().isEmpty()).isTrue();
        assertThat(calls).containsExactly("ack", "ack");
    }

    @Test
    void element_thatAnAttemptAbandons_isHandedOutAgain_untilTheBatchIsClosed() {
        ReplayableBatch<Integer> batch = two();
        batch.give().abandonAll();
        assertThat(batch.isFinished()).isFalse();
        Batch<Integer> last = batch.give();
        assertThat(last.size()).isEqualTo(2);
        last.target(0).abandon(last.token(0));
        assertThat(calls).isEmpty();

        batch.close();
        assertThat(calls).containsExactly("abandon");
        last.target(1).abandon(last.token(1));
        assertThat(calls).containsExactly("abandon", "abandon");
        assertThat(batch.isFinished()).isTrue();
        batch.close();
        assertThat(calls).hasSize(2);
    }

    /** An earlier attempt may end after the batch was closed. Its elements belong to the last attempt. */
    @Test
    void close_leavesElementsThatAnEarlierAttemptAbandons() {
        ReplayableBatch<Integer> batch = two();
        Batch<Integer> earlier = batch.give();
        Batch<Integer> last = batch.give();
        batch.close();
        earlier.abandonAll();
        assertThat(calls).isEmpty();
        last.ackAll();
        assertThat(calls).containsExactly("ack", "ack");
    }

    @Test
    void close_beforeTheFirstAttempt_changesNothing() {
        ReplayableBatch<Integer> batch = two();
        batch.close();
        batch.leaveRevoked();
        assertThat(calls).isEmpty();
        assertThat(batch.give().size()).isEqualTo(2);
    }

    @Test
    void leaveRevoked_abandonsElementsThatWereAbandonedAndRevoked() {
        ReplayableBatch<Integer> batch = two();
        Batch<Integer> attempt = batch.give();
        attempt.target(0).abandon(attempt.token(0));
        batch.leaveRevoked();
        assertThat(calls).as("not revoked").isEmpty();
        revoked = true;
        batch.leaveRevoked();
        assertThat(calls).containsExactly("abandon");
        // The other element is still in the section.
        attempt.ack(1);
        assertThat(calls).containsExactly("abandon", "ack");
    }

    @Test
    void element_abandonedAfterItWasRevoked_isAbandonedAtOnce() {
        ReplayableBatch<Integer> batch = two();
        Batch<Integer> attempt = batch.give();
        revoked = true;
        attempt.target(0).abandon(attempt.token(0));
        assertThat(calls).containsExactly("abandon");
    }
}
