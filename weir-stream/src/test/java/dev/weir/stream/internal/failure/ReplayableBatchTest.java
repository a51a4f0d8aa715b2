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
}
