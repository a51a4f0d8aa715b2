package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcquiredRecordTest {

    private final List<AcquiredRecord> settled = new ArrayList<>();
    private int limit = 5;

    private AcquiredRecord taken(int delivery) {
        AcquiredRecord record = new AcquiredRecord(ShareClientStub.record(0, delivery), () -> limit, settled::add);
        assertThat(record.take(System.nanoTime())).isTrue();
        return record;
    }

    @ParameterizedTest
    @CsvSource({
        "ACCEPT, REJECT, REJECT",
        "REJECT, ACCEPT, REJECT",
        "REJECT, RELEASE, RELEASE",
        "RELEASE, REJECT, RELEASE",
        "RELEASE, ACCEPT, RELEASE"
    })
    void claimsThatEndDifferently_rejectNothingThatOneGaveBack(
            RecordAcknowledgement first, RecordAcknowledgement second, RecordAcknowledgement whole) {
        AcquiredRecord record = taken(1);
        record.retain(1);
        record.endsWith(first);
        record.endAcknowledgement();
        assertThat(settled).isEmpty();
        record.endsWith(second);
        record.endAcknowledgement();
        assertThat(settled).containsExactly(record);
        assertThat(record.acknowledgement()).isEqualTo(whole);
    }

    @Test
    void deliveryLimit_lowered_isHeeded() {
        AcquiredRecord record = taken(3);
        assertThat(record.isLastDelivery()).isFalse();
        assertThat(record.isAtRisk()).isFalse();
        limit = 3;
        assertThat(record.isLastDelivery()).isTrue();
        assertThat(record.isAtRisk()).isTrue();
        assertThat(record.isLostIfReleased()).isTrue();
        record.copied();
        assertThat(record.isLostIfReleased()).isFalse();
    }

    private AcquiredRecord waiting() {
        return new AcquiredRecord(ShareClientStub.record(7, 1), () -> limit, settled::add);
    }

    // ---- The place of a record -------------------------------------------------------------------------------------

    @Test
    void recordThatWaits_isTakenOnce_andThenNotGivenBack() {
        AcquiredRecord record = waiting();
        assertThat(record.isGone()).isFalse();
        assertThat(record.isUndone()).isTrue();
        assertThat(record.take(20)).isTrue();
        assertThat(record.take(30)).isFalse();
        assertThat(record.giveBack()).isFalse();
        assertThat(record.isGone()).isFalse();
        assertThat(record.giveUp()).isTrue();
        assertThat(record.isGone()).isTrue();
        assertThat(record.giveUp()).as("once").isFalse();
    }

    @Test
    void recordThatWentBack_isNotTaken_andIsNotGivenUp() {
        AcquiredRecord record = waiting();
        assertThat(record.giveUp()).as("the pipeline does not have it").isFalse();
        assertThat(record.giveBack()).isTrue();
        assertThat(record.isGone()).isTrue();
        assertThat(record.take(20)).isFalse();
        assertThat(record.lose()).as("it is gone").isFalse();
        record.endAcknowledgement();
        assertThat(settled).isEmpty();
    }

    @Test
    void lockThatIsLost_takesARecordThatWaits_andOneInHand_andNoneThatIsSettled() {
        AcquiredRecord waits = waiting();
        assertThat(waits.lose()).isTrue();
        AcquiredRecord inHand = taken(1);
        assertThat(inHand.lose()).isTrue();
        inHand.endAcknowledgement();
        assertThat(settled).as("somebody else may have it").isEmpty();
        assertThat(inHand.isGone()).isTrue();
        AcquiredRecord done = taken(1);
        done.endAcknowledgement();
        assertThat(settled).containsExactly(done);
        assertThat(done.lose()).isFalse();
        assertThat(done.isGone()).isFalse();
    }

    @Test
    void recordIsUndone_untilItIsSettled_orIfItIsReleased() {
        AcquiredRecord done = taken(1);
        assertThat(done.isUndone()).isTrue();
        done.retain(2);
        done.endAcknowledgement();
        done.endAcknowledgement();
        assertThat(settled).isEmpty();
        done.endAcknowledgement();
        assertThat(done.isUndone()).isFalse();
        assertThat(done.outcome()).isEqualTo(AcknowledgeType.ACCEPT);
        AcquiredRecord released = taken(1);
        released.abandon();
        assertThat(settled).containsExactly(done, released);
        assertThat(released.isUndone()).isTrue();
        assertThat(released.outcome()).isEqualTo(AcknowledgeType.RELEASE);
    }

    @Test
    void deliveries_decideWhetherARecordIsAtRisk() {
        assertThat(taken(3).isAtRisk()).isFalse();
        assertThat(taken(4).isAtRisk()).as("a crash or two").isTrue();
        assertThat(taken(4).isLastDelivery()).isFalse();
        assertThat(taken(4).isLostIfReleased()).isFalse();
        assertThat(taken(5).isLastDelivery()).isTrue();
        assertThat(taken(5).delivery()).isEqualTo(5);
        assertThat(taken(5).name()).isEqualTo("orders-0@0");
    }

    // ---- Acknowledgements by token ---------------------------------------------------------------------------------

    @Test
    void target_endsTheClaimOfTheRecordOfItsToken() {
        AcquiredRecord first = taken(1);
        AcquiredRecord second = taken(1);
        AcquiredRecord third = taken(1);
        AcquisitionTarget target = new AcquisitionTarget(List.of(first, second, third));
        target.retain(0, 1);
        target.ack(0);
        target.forgo(1);
        assertThat(settled).containsExactly(second);
        target.abandon(2);
        assertThat(settled).containsExactly(second, third);
        assertThat(second.acknowledgement()).isEqualTo(RecordAcknowledgement.RELEASE);
        assertThat(third.acknowledgement()).isEqualTo(RecordAcknowledgement.RELEASE);
        target.ack(0);
        assertThat(settled).containsExactly(second, third, first);
        assertThat(first.acknowledgement()).isEqualTo(RecordAcknowledgement.ACCEPT);
        assertThat(target.placeOf(1)).isEqualTo(second.name());
    }

    /** Another member may get the record whose lock is lost. */
    @Test
    void recordWhoseLockIsLost_isDropped_andOneWhoseLockStandsIsNot() {
        AcquiredRecord lost = taken(1);
        AcquiredRecord held = taken(1);
        AcquisitionTarget target = new AcquisitionTarget(List.of(lost, held));
        assertThat(target.isRevoked(0)).isFalse();
        assertThat(lost.lose()).isTrue();
        assertThat(target.isRevoked(0)).isTrue();
        assertThat(target.dropIfRevoked(0)).isTrue();
        assertThat(target.isRevoked(1)).isFalse();
        assertThat(target.dropIfRevoked(1)).isFalse();
        assertThat(settled).isEmpty();
        target.ack(1);
        assertThat(settled).containsExactly(held);
    }
}
