package dev.weir.stream.internal.ack;

import static dev.weir.stream.internal.ack.CountedAcknowledgements.ABANDONED;
import static dev.weir.stream.internal.ack.CountedAcknowledgements.FORGONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountedAcknowledgementsTest {

    /** Records the elements that have ended, with their outcomes. */
    private static final class Counted extends CountedAcknowledgements {

        private final List<String> ended = new ArrayList<>();

        Counted(int size) {
            super(size);
        }

        @Override
        protected AckTarget original(long token) {
            return AckTarget.NONE;
        }

        @Override
        protected long originalToken(long token) {
            return token;
        }

        @Override
        protected void ended(int index, int outcome) {
            ended.add(index + ": " + outcome);
        }
    }

    /** Compares random calls for one of three elements with a model. */
    @Test
    void element_endsWithItsLastAcknowledgement_andAllOutcomes() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            Counted counted = new Counted(3);
            int index = round % 3;
            int pending = 1;
            int outcome = 0;
            boolean detached = false;
            while (pending > 0) {
                assertThat(counted.ended).isEmpty();
                assertThat(counted.isAbandoned(index)).isFalse();
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        counted.ack(index);
                        pending--;
                    }
                    case 2 -> {
                        counted.forgo(index);
                        pending--;
                        outcome |= FORGONE;
                    }
                    case 3 -> {
                        counted.abandon(index);
                        pending--;
                        outcome |= ABANDONED;
                    }
                    case 4 -> {
                        int more = 1 + random.nextInt(3);
                        counted.retain(index, more);
                        pending += more;
                    }
                    default -> {
                        assertThat(counted.detach(index)).isEqualTo(!detached);
                        detached = true;
                    }
                }
            }
            assertThat(counted.ended).isEqualTo(detached ? List.of() : List.of(index + ": " + outcome));
            assertThat(counted.isAbandoned(index)).isEqualTo((outcome & ABANDONED) != 0);
            assertThat(counted.detach(index)).isFalse();
            assertThat(counted.detach((index + 1) % 3)).isTrue();
        }
    }

    @Test
    void call_afterTheEnd_isRefusedAndChangesNothing() {
        Counted counted = new Counted(1);
        counted.ack(0);
        for (Runnable late :
                List.<Runnable>of(() -> counted.ack(0), () -> counted.forgo(0), () -> counted.abandon(0))) {
            assertThatThrownBy(late::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("acknowledged more often than retained");
        }
        assertThatThrownBy(() -> counted.retain(0, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("retained after it was finished");
        assertThat(counted.ended).containsExactly("0: 0");
        assertThat(counted.isAbandoned(0)).isFalse();
    }

    @Test
    void end_passesOnTheOutcomeThatWeighsMost() {
        RecordingTarget target = new RecordingTarget();
        CountedAcknowledgements.end(target, 1, 0);
        CountedAcknowledgements.end(target, 2, FORGONE);
        CountedAcknowledgements.end(target, 3, ABANDONED);
        CountedAcknowledgements.end(target, 4, FORGONE | ABANDONED);
        assertThat(target.calls()).containsExactly("ack 1", "forgo 2", "abandon 3", "abandon 4");
    }
}
