package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingAcknowledgementsTest {

    private static AcknowledgementRange accepted(long first, long last) {
        return new AcknowledgementRange(first, last, AcknowledgementRange.ACCEPT, (int) (last - first + 1));
    }

    /**
     * One late acknowledgement makes the broker refuse all acknowledgements of its partition. The valid ones must still
     * be sent.
     */
    @Test
    void oneExpiredAmongGoodOnes_isFound_andTheOthersAreTold() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        List<AcknowledgementRange> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            all.add(accepted(i * 10L, i * 10L + 4));
        }
        pending.add(all, 0);
        List<AcknowledgementRange> taken = new ArrayList<>();
        List<AcknowledgementRange> blamed = new ArrayList<>();
        for (Packet packet = pending.take(); packet != null; packet = pending.take()) {
            if (packet.acks().stream().noneMatch(ack -> ack.first() == 40)) {
                taken.addAll(packet.acks());
                continue;
            }
            AcknowledgementRange toBlame = pending.split(packet);
            if (toBlame != null) {
                blamed.add(toBlame);
            }
        }
        assertThat(blamed).containsExactly(accepted(40, 44));
        assertThat(taken).hasSize(8).doesNotContain(accepted(40, 44));
    }

    @Test
    void overlappingAcknowledgements_goOneAfterTheOther() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        pending.add(List.of(accepted(10, 19)), 0);
        pending.add(List.of(accepted(12, 14), accepted(20, 20)), 0);
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(10, 19), accepted(20, 20)), false));
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(12, 14)), false));
    }

    @Test
    void acknowledgements_goInTheOrderOfOffsets_doubtfulOnesBehindThemAndAlone() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        pending.addApart(List.of(accepted(1, 1)), false, 0);
        pending.add(List.of(accepted(30, 31)), 1);
        pending.add(List.of(accepted(20, 25)), 2);
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(20, 25), accepted(30, 31)), false));
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(1, 1)), false));
        assertThat(pending.take()).isNull();
    }

    /** A packet that the broker did not process is older than all waiting packets. */
    @Test
    void packetThatIsPutBack_goesBeforeAllOthersThatGoApart() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        pending.addApart(List.of(accepted(5, 5)), false, 0);
        pending.putBack(new Packet(List.of(accepted(1, 1)), false));
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(1, 1)), false));
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(5, 5)), false));
        AcknowledgementRange renewal = new AcknowledgementRange(7, 7, AcknowledgementRange.RENEW, 1);
        AcknowledgementRange later = new AcknowledgementRange(8, 8, AcknowledgementRange.RENEW, 1);
        pending.addApart(List.of(later), true, 0);
        pending.putBack(new Packet(List.of(renewal), true));
        assertThat(pending.hasRenewals()).isTrue();
        assertThat(pending.hasAcks()).isFalse();
        assertThat(pending.takeRenewals()).isEqualTo(new Packet(List.of(renewal), true));
        assertThat(pending.takeRenewals()).isEqualTo(new Packet(List.of(later), true));
    }

    @Test
    void refusedRenewals_areDivided_andStayRenewals() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        AcknowledgementRange one = new AcknowledgementRange(1, 1, AcknowledgementRange.RENEW, 1);
        AcknowledgementRange two = new AcknowledgementRange(2, 2, AcknowledgementRange.RENEW, 1);
        assertThat(pending.split(new Packet(List.of(one, two), true))).isNull();
        assertThat(pending.hasAcks()).isFalse();
        assertThat(pending.takeRenewals()).isEqualTo(new Packet(List.of(one), true));
        assertThat(pending.takeRenewals()).isEqualTo(new Packet(List.of(two), true));
        assertThat(pending.split(new Packet(List.of(two), true))).isEqualTo(two);
    }

    @Test
    void age_isThatOfTheOldestAcknowledgement_andRenewalsHaveNone() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        pending.addApart(List.of(new AcknowledgementRange(1, 1, AcknowledgementRange.RENEW, 1)), true, 3);
        pending.addApart(List.of(), false, 4);
        assertThat(pending.hasAcks()).isFalse();
        pending.addApart(List.of(accepted(2, 2)), false, 5);
        pending.add(List.of(accepted(3, 3)), 6);
        assertThat(pending.sinceNanos()).isEqualTo(5);
        pending.hurry();
        assertThat(pending.isHurried()).isTrue();
        assertThat(pending.clear())
                .containsExactlyInAnyOrder(
                        new Packet(List.of(accepted(2, 2)), false),
                        new Packet(List.of(accepted(3, 3)), false),
                        new Packet(List.of(new AcknowledgementRange(1, 1, AcknowledgementRange.RENEW, 1)), true));
        assertThat(pending.isHurried()).isFalse();
        assertThat(pending.hasRenewals()).isFalse();
        assertThat(pending.clear()).isEmpty();
        pending.add(List.of(accepted(3, 3)), 9);
        assertThat(pending.sinceNanos()).isEqualTo(9);
    }

    /** The broker refuses a request with two acknowledgements of one offset. */
    @Test
    void acknowledgementsWithOneOffsetInCommon_goOneAfterTheOther() {
        PendingAcknowledgements pending = new PendingAcknowledgements();
        pending.add(List.of(accepted(10, 19), accepted(19, 20)), 0);
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(10, 19)), false));
        assertThat(pending.take()).isEqualTo(new Packet(List.of(accepted(19, 20)), false));
    }
}
