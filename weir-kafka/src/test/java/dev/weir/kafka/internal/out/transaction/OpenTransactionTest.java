package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import org.junit.jupiter.api.Test;

class OpenTransactionTest {

    private final AckTarget source = new Group(0, AckTarget.NONE);

    @SuppressWarnings("NullAway") // nothing is sent
    private final OpenTransaction<String, String> transaction =
            new OpenTransaction<>(null, 0, (refused, cause) -> {}, false, false);

    @Test
    void recordsOfOneGroup_lookAtItsInputsOnce() {
        Group group = new Group(1000, source);
        for (int i = 0; i < 1000; i++) {
            transaction.sent(group, 0, null);
            assertThat(transaction.belongs(group, 0)).isTrue();
        }
        assertThat(group.looks).isEqualTo(1);
        assertThat(group.acks).isEqualTo(1000);
        assertThat(transaction.open()).hasSize(1000);
    }

    @Test
    void groupsInTurn_areToldApart() {
        Group group = new Group(2, source);
        Group other = new Group(3, new Group(0, AckTarget.NONE));
        transaction.sent(group, 0, null);
        assertThat(transaction.belongs(other, 0)).isFalse();
        transaction.sent(other, 0, null);
        transaction.sent(group, 1, null);
        assertThat(transaction.open()).hasSize(5);
        assertThat(transaction.belongs(group, 0)).isTrue();
        assertThat(transaction.belongs(AckTarget.NONE, 0)).isFalse();
    }

    /** A target that represents the first {@code size} inputs of a source. */
    private static final class Group implements AckTarget {

        private final int size;
        private final AckTarget source;
        private int looks;
        private int acks;

        Group(int size, AckTarget source) {
            this.size = size;
            this.source = source;
        }

        @Override
        public void ack(long token) {
            acks++;
        }

        @Override
        public void abandon(long token) {
            throw new AssertionError("nothing is given up");
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError("no claim is added");
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            looks++;
            for (int i = 0; i < size; i++) {
                visitor.root(source, i);
            }
        }
    }
}
