package dev.weir.kafka.internal.share;

import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.internal.failure.Outcome;

/** The fates of records whose handler failed. Stateless. */
public final class Returns {

    private Returns() {}

    /** Lets a failed record be delivered again, if it may be; a rejected one never. */
    public static <R> Outcome<R> again(Outcome<R> outcome) {
        if (outcome instanceof Outcome.Rejected<R> rejected && rejected.raw() instanceof AcquiredRecord acquired) {
            acquired.endsWith(Fate.REJECT);
        }
        if (outcome instanceof Outcome.Failed<R> failed && failed.raw() instanceof AcquiredRecord acquired) {
            FailedRecord record = failed.failed();
            if (record.retriable() && !acquired.isLastDelivery()) {
                acquired.endsWith(Fate.RELEASE);
                return new Outcome.Skipped<>();
            }
        }
        return outcome;
    }
}
