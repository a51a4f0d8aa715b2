package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.Test;

class RestOfBatchTest {

    private final ScriptedRecord record = ScriptedRecord.at(5);
    private final RestOfBatch rest = new RestOfBatch("topic", 0, 6, record);

    /** The offset is released or lost together with the batch's record. */
    @Test
    void offset_isNeitherGivenBackNorLostByItself() {
        assertThat(rest.giveBack()).isFalse();
        assertThat(rest.lose()).isFalse();
        assertThat(record.isGone()).isFalse();
        assertThat(rest.isGone()).isFalse();
        assertThat(record.lose()).isTrue();
        assertThat(rest.isGone()).isTrue();
    }

    @Test
    void offset_isWhatItsRecordIs() {
        assertThat(rest.isAtRisk()).isFalse();
        assertThat(rest.isLastDelivery()).isFalse();
        assertThat(rest.isOffered()).isTrue();
        record.atRisk = true;
        record.lastDelivery = true;
        record.offered = false;
        record.outcome = AcknowledgeType.REJECT;
        assertThat(rest.isAtRisk()).isTrue();
        assertThat(rest.isLastDelivery()).isTrue();
        assertThat(rest.isOffered()).isFalse();
        assertThat(rest.outcome()).isEqualTo(AcknowledgeType.REJECT);
    }
}
