package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.HandlerOutcome;

/** Chooses the acknowledgements of records whose handler failed. Stateless. */
public final class ReturnedRecords {

    private ReturnedRecords() {}

    /**
     * Requests the acknowledgement of a failed record. Rejects the record if its handler did. Releases the record if
     * its failure is retriable and this is not its last delivery.
     */
    public static <R> HandlerOutcome<R> again(HandlerOutcome<R> outcome) {
        if (outcome instanceof HandlerOutcome.Rejected<R> rejected
                && rejected.raw() instanceof AcquiredRecord acquired) {
            acquired.endsWith(RecordAcknowledgement.REJECT);
        }
        if (outcome instanceof HandlerOutcome.Failed<R> failed && failed.raw() instanceof AcquiredRecord acquired) {
            FailedRecord record = failed.failed();
            if (record.retriable() && !acquired.isLastDelivery()) {
                acquired.endsWith(RecordAcknowledgement.RELEASE);
                return new HandlerOutcome.Skipped<>();
            }
        }
        return outcome;
    }
}
