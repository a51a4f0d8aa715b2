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

    // Records, by what the brokers have confirmed.
    final LongAdder accepted = new LongAdder();
    final LongAdder released = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder renewed = new LongAdder();
    final LongAdder failedAcknowledgements = new LongAdder();

    // Records, by what was seen of them here.
    final LongAdder acquired = new LongAdder();
    final LongAdder redelivered = new LongAdder();
    final LongAdder lockExpired = new LongAdder();
    final LongAdder neverBegun = new LongAdder();
    final LongAdder parked = new LongAdder();
    final LongAdder settled = new LongAdder();

    /** Offsets of batches that the policy left out. */
    final DroppedRecords skipped = new DroppedRecords(false);

    /** Longest time that the pipeline held a record since this was read last. */
    final LongAccumulator slowestNanos = new LongAccumulator(Long::max, 0);

    /** True if the log has it that a quota throttles the share consumers. */
    final AtomicBoolean quotaReported = new AtomicBoolean();

    /** Answers that a quota emptied after their records had been acquired. */
    final LongAdder emptiedAnswers = new LongAdder();

    /** Went back in their last delivery, and no copy stands. */
    final LongAdder lost = new LongAdder();

    // What the share consumers do with their time.
    final LongAdder polls = new LongAdder();
    final LongAdder pollNanos = new LongAdder();
    final LongAdder emptyPollNanos = new LongAdder();
    final LongAdder rounds = new LongAdder();
    final LongAdder roundNanos = new LongAdder();
    final LongAdder acknowledgements = new LongAdder();
    final LongAdder acknowledgementNanos = new LongAdder();

    /** Records came. */
    void countAcquired(List<AcquiredRecord> records) {
        acquired.add(records.size());
        redelivered.add(records.stream().filter(record -> record.delivery() > 1).count());
    }

    /** The pipeline has let go of a record. */
    void countSettled(AcquiredRecord record) {
        settled.increment();
        slowestNanos.accumulate(record.inHandNanos(System.nanoTime()));
    }

    /** A record goes back, by a word or with the session of whoever had it. */
    void countIfLost(String pipeline, AcquiredRecord record) {
        if (!record.isLostIfReleased()) {
            return;
        }
        lost.increment();
        LOG.warn(
                "{}: {} is lost: it goes back in delivery {} of {}, after which the group gives it up, and no copy"
                        + " stands; a dead-letter topic keeps such records",
                pipeline,
                record.name(),
                record.delivery(),
                record.deliveryLimit());
    }
}
