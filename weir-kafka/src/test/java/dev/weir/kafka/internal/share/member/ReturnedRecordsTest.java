package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the acknowledgement of a record whose handler failed. The group delivers a record five times. */
class ReturnedRecordsTest {

    private static AcquiredRecord acquired(int delivery) {
        return new AcquiredRecord(ShareClientStub.record(7, delivery), () -> 5, settled -> {});
    }

    private static HandlerOutcome<String> failed(ConsumerRecord<byte[], byte[]> raw, boolean retriable) {
        return new HandlerOutcome.Failed<>(
                new FailedRecord(raw, FailedRecord.Reason.HANDLER, new IllegalStateException("planted"), 1, retriable));
    }

    @ParameterizedTest
    @CsvSource({"1, true, RELEASE", "4, true, RELEASE", "5, true, ACCEPT", "6, true, ACCEPT", "1, false, ACCEPT"})
    void failedRecord_isReleased_ifItIsRetriable_andNotInItsLastDelivery(
            int delivery, boolean retriable, RecordAcknowledgement acknowledgement) {
        AcquiredRecord record = acquired(delivery);
        HandlerOutcome<String> outcome = failed(record, retriable);
        HandlerOutcome<String> then = ReturnedRecords.again(outcome);
        assertThat(record.acknowledgement()).isEqualTo(acknowledgement);
        if (acknowledgement == RecordAcknowledgement.RELEASE) {
            assertThat(then).isInstanceOf(HandlerOutcome.Skipped.class);
        } else {
            assertThat(then).isSameAs(outcome);
        }
    }

    @Test
    void rejectedRecord_isRejected() {
        AcquiredRecord record = acquired(1);
        HandlerOutcome<String> outcome = new HandlerOutcome.Rejected<>(record);
        assertThat(ReturnedRecords.again(outcome)).isSameAs(outcome);
        assertThat(record.acknowledgement()).isEqualTo(RecordAcknowledgement.REJECT);
    }

    @Test
    void doneRecord_isAccepted() {
        AcquiredRecord record = acquired(1);
        HandlerOutcome<String> outcome = new HandlerOutcome.Done<>(record, "done", 1);
        assertThat(ReturnedRecords.again(outcome)).isSameAs(outcome);
        assertThat(record.acknowledgement()).isEqualTo(RecordAcknowledgement.ACCEPT);
    }

    /** A flow may also read topics without a share group. */
    @Test
    void recordThatIsNotAcquired_keepsItsOutcome() {
        ConsumerRecord<byte[], byte[]> plain = ShareClientStub.record(7, 1);
        HandlerOutcome<String> failed = failed(plain, true);
        assertThat(ReturnedRecords.again(failed)).isSameAs(failed);
        HandlerOutcome<String> rejected = new HandlerOutcome.Rejected<>(plain);
        assertThat(ReturnedRecords.again(rejected)).isSameAs(rejected);
    }
}
