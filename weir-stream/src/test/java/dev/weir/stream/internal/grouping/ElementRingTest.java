package dev.weir.stream.internal.grouping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ElementRingTest {

    /** Records the acknowledged elements. */
    private static final class Acks implements AckTarget {
        final List<Long> tokens = new ArrayList<>();

        @Override
        public void ack(long token) {
            tokens.add(token);
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError();
        }
    }

    @Test
    void ring_underRandomUse_isADeque() {
        Random random = new Random(7);
        Acks acks = new Acks();
        List<Long> expectedAcks = new ArrayList<>();
        ElementRing<Long> ring = new ElementRing<>();
        ArrayDeque<Long> model = new ArrayDeque<>();
        Batch<Long> out = new Batch<>(4);
        List<Long> expectedOut = new ArrayList<>();
        for (long n = 0; n < 20_000; n++) {
            // Grows for a while, then shrinks.
            int action = random.nextInt(n % 2000 < 1000 ? 8 : 5);
            if (action >= 3 || model.isEmpty()) {
                Batch<Long> one = new Batch<>(1);
                one.add(n, acks, n);
                ring.add(one, 0, -n);
                model.add(n);
            } else if (action == 0) {
                ring.moveFirst(out);
                expectedOut.add(model.removeFirst());
            } else if (action == 1) {
                ring.ackFirst();
                expectedAcks.add(model.removeFirst());
            } else {
                ring.ackLast();
                expectedAcks.add(model.removeLast());
            }
            assertThat(ring.size()).isEqualTo(model.size());
            if (!model.isEmpty()) {
                assertThat(ring.value(0)).isEqualTo(model.getFirst());
                assertThat(ring.firstMark()).isEqualTo(-model.getFirst());
                assertThat(ring.token(ring.size() - 1)).isEqualTo(model.getLast());
            }
        }
        assertThat(acks.tokens).isEqualTo(expectedAcks);
        assertThat(out.size()).isEqualTo(expectedOut.size());
        for (int i = 0; i < out.size(); i++) {
            assertThat(out.get(i)).isEqualTo(expectedOut.get(i)).isEqualTo(out.token(i));
        }
        List<Long> rest = new ArrayList<>(model);
        acks.tokens.clear();
        ring.ackAll();
        assertThat(acks.tokens).isEqualTo(rest);
        assertThat(ring.isEmpty()).isTrue();
    }
}
