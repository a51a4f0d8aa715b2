package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.session.LentRange.Lock;
import dev.weir.kafka.internal.session.Outbox.Packet;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class LentTest {

    private static final Lock LOCK = new Lock(0, 2_000_000_000);

    private final Lent lent = new Lent(new TopicIdPartition(new Uuid(1, 2), 0, "topic"));

    private static Ack ack(long first, long last, byte type) {
        return new Ack(first, last, type, (int) (last - first + 1));
    }

    // COORDINATOR_NOT_AVAILABLE for longer than a lock, and what was to be told came back with each answer.
    @Test
    void rangeThatIsLentAgain_takesWhatWasMeantForItsLastLockOutOfTheOutbox() {
        lent.outbox.add(List.of(ack(0, 4, Ack.RELEASE), ack(5, 9, Ack.ACCEPT), ack(10, 14, Ack.RELEASE)), 0);
        lent.outbox.putBack(new Packet(List.of(ack(6, 12, Ack.RELEASE), ack(20, 20, Ack.REJECT)), false));
        lent.outbox.putBack(new Packet(List.of(ack(8, 8, Ack.RELEASE)), false));
        lent.outbox.putBack(new Packet(List.of(ack(2, 30, Ack.RENEW)), true));
        assertThat(lent.add(new LentRange(3, 10, LOCK, 0))).isEmpty();
        assertThat(lent.outbox.take())
                .isEqualTo(new Packet(
                        List.of(ack(0, 2, Ack.RELEASE), ack(5, 9, Ack.ACCEPT), ack(11, 14, Ack.RELEASE)), false));
        assertThat(lent.outbox.take())
                .isEqualTo(new Packet(List.of(ack(11, 12, Ack.RELEASE), ack(20, 20, Ack.REJECT)), false));
        assertThat(lent.outbox.take()).isNull();
        assertThat(lent.outbox.takeRenewals())
                .isEqualTo(new Packet(List.of(ack(2, 2, Ack.RENEW), ack(11, 30, Ack.RENEW)), true));
        assertThat(lent.outbox.takeRenewals()).isNull();
    }

    @Test
    void rangeBesideThem_leavesTheOutboxAlone() {
        lent.outbox.add(List.of(ack(0, 4, Ack.RELEASE)), 0);
        lent.outbox.addApart(List.of(ack(9, 9, Ack.RENEW)), true, 0);
        assertThat(lent.add(new LentRange(5, 8, LOCK, 0))).isEmpty();
        assertThat(lent.outbox.take()).isEqualTo(new Packet(List.of(ack(0, 4, Ack.RELEASE)), false));
        assertThat(lent.outbox.takeRenewals()).isEqualTo(new Packet(List.of(ack(9, 9, Ack.RENEW)), true));
    }
}
