package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the outcomes of the records of a run. Thread-safe. */
final class ShareCounters {

    private static final Logger LOG = LoggerFactory.getLogger(ShareCounters.class);

    // Records by type of acknowledgement, counted when the brokers respond.
    final LongAdder accepted = new LongAdder();
    final LongAdder released = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder renewed = new LongAdder();
    final LongAdder failedAcknowledgements = new LongAdder();

    // Records by what happened to them in this process.
    final LongAdder acquired = new LongAdder();
    final LongAdder redelivered = new LongAdder();
    final LongAdder lockExpired = new LongAdder();
    final LongAdder neverBegun = new LongAdder();
    final LongAdder parked = new LongAdder();
    final LongAdder settled = new LongAdder();

    final DroppedRecords skipped = new DroppedRecords(false);

    /** Longest time that the pipeline held a record since the last reading. */
    final LongAccumulator slowestNanos = new LongAccumulator(Long::max, 0);

    final AtomicBoolean quotaReported = new AtomicBoolean();

    /** Number of responses that a quota emptied after the broker had acquired their records. */
    final LongAdder emptiedAnswers = new LongAdder();

    /** Records released in their last delivery without a copy. */
    final LongAdder lost = new LongAdder();

    // Numbers and total durations of polls, rounds and acknowledgements. A round lasts from the acquisition of records
    // until all of them are finished.
    final LongAdder polls = new LongAdder();
    final LongAdder pollNanos = new LongAdder();
    final LongAdder emptyPollNanos = new LongAdder();
    final LongAdder rounds = new LongAdder();
    final LongAdder roundNanos = new LongAdder();
    final LongAdder acknowledgements = new LongAdder();
    final LongAdder acknowledgementNanos = new LongAdder();

    void countAcquired(List<AcquiredRecord> records) {
        acquired.add(records.size());
        redelivered.add(records.stream().filter(record -> record.delivery() > 1).count());
    }

    void countSettled(AcquiredRecord record) {
        settled.increment();
        slowestNanos.accumulate(record.inHandNanos(System.nanoTime()));
    }

    /**
     * Counts a record as lost if this is its last delivery and there is no copy. Called when the record returns to the
     * group.
     */
    void countIfLost(String pipeline, AcquiredRecord record) {
        if (!record.isLostIfReleased()) {
            return;
        }
        lost.increment();
        LOG.warn(
                "{}: {} is lost: it is released in delivery {} of {}, after which the group gives it up, and has"
                        + " no copy; a dead-letter topic keeps such records",
                pipeline,
                record.name(),
                record.delivery(),
                record.deliveryLimit());
    }
}
