package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Limits the rate at which records leave a {@link RecordBuffer}. Unlimited until a rate is set. Guarded by the buffer's
 * lock.
 */
final class RateLimit {

    /** Maximum burst after an idle period, in seconds of the configured rate. */
    private static final double BURST_SECONDS = 0.05;

    private final Clock clock;

    private boolean splits = true;
    private long perSecond;

    /** Number of records that may leave now. Negative after a large batch that cannot be split. */
    private double credit;

    private long filledNanos;

    /** Total time for which only the rate limit held back records, without the current wait. */
    private long waitedNanos;

    private boolean waits;
    private long waitsSinceNanos;

    RateLimit(Clock clock) {
        this.clock = clock;
    }

    /** Disables the splitting of batches, for batches with a single token. */
    void keepWhole() {
        splits = false;
    }

    void set(long newPerSecond) {
        perSecond = newPerSecond;
        credit = 1;
        filledNanos = clock.nanoTime();
    }

    long perSecond() {
        return perSecond;
    }

    boolean mayTake() {
        if (perSecond == 0) {
            return true;
        }
        long now = clock.nanoTime();
        double most = Math.max(1, perSecond * BURST_SECONDS);
        credit = Math.min(most, credit + (now - filledNanos) / 1e9 * perSecond);
        filledNanos = now;
        return credit >= 1;
    }

    /** Returns the number of records that may leave now. Call after {@link #mayTake} returned true. */
    int most() {
        return perSecond == 0 || !splits ? Integer.MAX_VALUE : (int) Math.min(credit, Integer.MAX_VALUE);
    }

    /**
     * Returns the part of a batch that may leave now, and puts the remaining records back into the queue. The batch
     * must already be removed from the queue.
     */
    Batch<Fetched> cut(Batch<Fetched> first, ArrayDeque<Batch<Fetched>> ofPartition) {
        if (perSecond == 0) {
            return first;
        }
        int most = (int) Math.min(credit, first.size());
        if (!splits || most == first.size()) {
            credit -= first.size();
            return first;
        }
        ofPartition.addFirst(DueRecords.part(first, most, first.size()));
        credit -= most;
        return DueRecords.part(first, 0, most);
    }

    /** Returns the time on the clock when the next record may leave; {@link Stage#NEVER} if it may leave now. */
    long nextNanos() {
        return perSecond == 0 || credit >= 1
                ? Stage.NEVER
                : clock.after(Math.max(1, (long) Math.ceil((1 - credit) / perSecond * TimeUnit.SECONDS.toNanos(1))));
    }

    /** Sets whether only the rate limit holds back records now. */
    void waits(boolean now) {
        if (waits) {
            waitedNanos += System.nanoTime() - waitsSinceNanos;
        }
        waits = now;
        waitsSinceNanos = System.nanoTime();
    }

    long waitedNanos() {
        return waitedNanos + (waits ? System.nanoTime() - waitsSinceNanos : 0);
    }
}
