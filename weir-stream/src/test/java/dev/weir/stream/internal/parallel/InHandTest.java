package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InHandTest {

    private final Set<Long> revoked = new HashSet<>();

    /** The source of the elements. The token of an element is its value. */
    private final AckTarget owner = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int count) {}

        @Override
        public boolean isRevoked(long token) {
            return revoked.contains(token);
        }
    };

    private final InHand<Integer> inHand = new InHand<>();

    private void begin(int size) {
        Batch<Integer> batch = new Batch<>(size);
        for (int n = 0; n < size; n++) {
            batch.add(n, owner, n);
        }
        inHand.begin(batch);
    }

    private static List<Object> valuesOf(Batch<?> batch) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            assertThat(batch.token(i)).isEqualTo(((Integer) batch.get(i)).longValue());
            values.add(batch.get(i));
        }
        return values;
    }

    /** Passes all remaining elements and returns their indexes. */
    private List<Integer> passAll() {
        List<Integer> passed = new ArrayList<>();
        while (inHand.hasNext()) {
            passed.add(inHand.next());
            inHand.taken();
        }
        return passed;
    }

    @Test
    void revokedElements_areTakenOnce_andTheOthersFollowInOrder() {
        begin(6);
        assertThat(inHand.hasNext()).isTrue();
        inHand.taken();
        revoked.addAll(Set.of(0L, 2L, 4L));
        assertThat(inHand.hasRevokedNext()).isFalse();
        // Element 0 was added before.
        assertThat(valuesOf(inHand.takeRevoked())).containsExactly(2, 4);
        assertThat(inHand.takeRevoked().isEmpty()).isTrue();
        assertThat(passAll()).containsExactly(1, 3, 5);
        assertThat(inHand.hasRevokedNext()).isFalse();
        assertThat(inHand.size()).isZero();
    }

    @Test
    void elementThatIsNext_ifRevoked_isReportedUntilItIsTaken() {
        begin(2);
        revoked.add(0L);
        assertThat(inHand.hasRevokedNext()).isTrue();
        assertThat(valuesOf(inHand.takeRevoked())).containsExactly(0);
        assertThat(inHand.hasRevokedNext()).isFalse();
        assertThat(inHand.next()).isEqualTo(1);
    }

    @Test
    void size_countsWhatIsNotAdded() {
        begin(3);
        assertThat(inHand.size()).isEqualTo(3);
        inHand.taken();
        assertThat(inHand.size()).isEqualTo(2);
        revoked.addAll(Set.of(1L, 2L));
        assertThat(valuesOf(inHand.takeRevoked())).containsExactly(1, 2);
        assertThat(inHand.hasNext()).isFalse();
        assertThat(inHand.size()).isZero();
        inHand.taken();
        assertThat(inHand.size()).isZero();
    }

    /** The drops of one batch must not remove elements of the next one. */
    @Test
    void nextBatch_afterDrops_isWhole() {
        begin(4);
        revoked.addAll(Set.of(0L, 3L));
        assertThat(inHand.takeRevoked().size()).isEqualTo(2);
        assertThat(valuesOf(inHand.end())).containsExactly(1, 2);
        begin(5);
        assertThat(passAll()).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void end_returnsWhatWasNotAdded_once() {
        begin(3);
        inHand.taken();
        Batch<?> left = inHand.end();
        assertThat(valuesOf(left)).containsExactly(1, 2);
        assertThat(left.target(0)).isSameAs(owner);
        assertThat(inHand.end().isEmpty()).isTrue();
        assertThat(inHand.hasNext()).isFalse();
    }
}
