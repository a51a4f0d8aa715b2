package dev.weir.kafka.internal.share.member;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.AcknowledgeType;

/**
 * A share consumer's locks: renews them at half their time for records that the pipeline has, or leaves them their time
 * if the group renews none, gives records back that still wait then, and gives all up when the close's time is over.
 * Confined to the share consumer's thread, but for {@link #unfinished}.
 *
 * <p>Renewals are sent and answered before the client is polled again: one that polls while a renewal is open fetches
 * as well, and shows nothing of what it got before all that it holds is done.
 */
final class ShareConsumerLocks {

    private static final long SCAN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The wait of the close for renewals under way, so that finished work can be acknowledged. */
    private static final long LAST_RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ShareConsumerThread.Setup setup;
    private final ReadyRecords ready;
    private final ShareCounters counters;
    private final HeldLocks held;
    private final ShareConsumerAcknowledgements fates;
    private final ShareConsumerFetch fetch;

    private long scanAtNanos = System.nanoTime();
    private long renewedAtNanos;

    private volatile int unfinished;

    ShareConsumerLocks(
            ShareConsumerThread.Setup setup,
            HeldLocks held,
            ShareConsumerAcknowledgements fates,
            ShareConsumerFetch fetch) {
        this.setup = setup;
        this.ready = setup.ready();
        this.counters = setup.counters();
        this.held = held;
        this.fates = fates;
        this.fetch = fetch;
    }

    /** Records that the pipeline had not finished at the close. Any thread. */
    int unfinished() {
        return unfinished;
    }

    /**
     * Looks after what is held, once, and waits a little.
     *
     * @param timeIsUp whether what is not done by now goes back
     */
    void attend(boolean timeIsUp) {
        fates.tell();
        if (held.isEmpty()) {
            fetch.roundEnded();
            return;
        }
        long now = System.nanoTime();
        fates.sendIfDue(now);
        if (now - scanAtNanos < 0) {
            fates.await(scanAtNanos - now);
            return;
        }
        scan(now, timeIsUp);
        scanAtNanos = System.nanoTime() + SCAN_NANOS;
    }

    /** Looks at the locks of all that is held. */
    private void scan(long now, boolean timeIsUp) {
        if (ready.isEnded()) {
            // The last delivery of a record is not spent on going back as long as the pipeline may take it.
            boolean over = ready.isOver();
            giveBack(
                    held.all(record ->
                            !record.isRenewing() && (!record.isLastDelivery() || (over && record.isOffered()))),
                    false);
        }
        List<AcquiredRecord> open = held.all(record -> !record.isRenewing());
        if (timeIsUp && (!open.isEmpty() || now - renewedAtNanos >= LAST_RENEWAL_NANOS)) {
            giveUpAll();
            return;
        }
        if (open.isEmpty()) {
            if (!held.isEmpty()) {
                awaitRenewals(now);
            }
            return;
        }
        long renewalDue =
                open.stream().mapToLong(AcquiredRecord::lockedSinceNanos).min().getAsLong() + held.lockNanos() / 2;
        if (now - renewalDue < 0) {
            held.publish();
            return;
        }
        // One of the last deliveries is not spent on a record that nobody has looked at.
        giveBack(open, true);
        if (setup.renewsLocks()) {
            renew(open, now);
        } else {
            keepUntilOver();
        }
    }

    /** Gives back those that the pipeline has not taken. */
    private void giveBack(List<AcquiredRecord> open, boolean sparing) {
        int given = 0;
        for (AcquiredRecord record : open) {
            if (!(sparing && record.isAtRisk()) && record.giveBack()) {
                fates.acknowledge(record, AcknowledgeType.RELEASE);
                given++;
            }
        }
        if (given > 0) {
            counters.neverBegun.add(given);
            ready.passedBy();
        }
    }

    private void renew(List<AcquiredRecord> open, long now) {
        for (AcquiredRecord record : open) {
            if (held.contains(record)) {
                fates.acknowledge(record, AcknowledgeType.RENEW);
                record.renewing(now);
            }
        }
        renewedAtNanos = now;
        fates.send();
    }

    /**
     * Keeps locks for their time where brokers do not renew. To ask all the same would end them now: a client forgets
     * the records of a renewal that was refused, and nobody can tell their acknowledgements any more ({@code
     * ShareInFlightBatch.renew} of Kafka 4.4).
     */
    private void keepUntilOver() {
        List<AcquiredRecord> over = held.all(record -> !record.isRenewing() && held.isExpired(record));
        if (!over.isEmpty()) {
            fates.lockOver(over);
        }
        held.publish();
    }

    /** Takes the records up again when all brokers have answered, or as long as the locks of some allow it. */
    private void awaitRenewals(long now) {
        fates.send();
        if (held.isEmpty()) {
            return; // All were refused.
        }
        boolean answered = fates.openRenewals() == 0;
        if (answered || now - renewedAtNanos >= held.lockNanos() / 4) {
            fetch.takeRenewed(answered);
        }
        List<AcquiredRecord> overdue = held.all(record -> record.isRenewing() && held.isExpired(record));
        overdue.forEach(fates::lockLost);
    }

    private void giveUpAll() {
        ParkedCopies copies = setup.copies();
        if (copies != null) {
            copies.keepLast(held.all(each -> true));
        }
        int given = 0;
        for (AcquiredRecord record : held.all(each -> true)) {
            boolean unfinishedOne = record.lose();
            if (record.isRenewing()) {
                boolean ignored = held.remove(record); // It goes back with the session.
                if (record.isUndone()) {
                    counters.countIfLost(setup.name(), record);
                }
                given++;
            } else {
                fates.acknowledge(
                        record,
                        record.isGone()
                                ? AcknowledgeType.RELEASE
                                : record.fate().type());
                given += unfinishedOne ? 1 : 0;
            }
        }
        unfinished = given;
    }

    /** The share consumer ends, and its session with it: what it still holds is for others. */
    void end() {
        held.all(record -> true).forEach(fates::lockLost);
    }
}
