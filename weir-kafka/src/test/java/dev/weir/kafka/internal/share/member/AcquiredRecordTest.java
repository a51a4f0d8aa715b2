package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcquiredRecordTest {

    private final List<AcquiredRecord> settled = new ArrayList<>();
    private int limit = 5;

    private AcquiredRecord taken(int delivery) {
        AcquiredRecord record = new AcquiredRecord(ShareClientStub.record(0, delivery), () -> limit, 0, settled::add);
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
        record.endClaim();
        assertThat(settled).isEmpty();
        record.endsWith(second);
        record.endClaim();
        assertThat(settled).containsExactly(record);
        assertThat(record.fate()).isEqualTo(whole);
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
}
