package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
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

    /** Total time for which only the rate limit held back records, not counting the current wait. */
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

    /** Sets the rate. Keeps the debt of an earlier batch, but no credit for more than one record. */
    void set(long newPerSecond) {
        fill();
        credit = perSecond == 0 ? 1 : Math.min(1, credit);
        perSecond = newPerSecond;
    }

    long perSecond() {
        return perSecond;
    }

    boolean mayTake() {
        if (perSecond == 0) {
            return true;
        }
        fill();
        return credit >= 1;
    }

    private void fill() {
        long now = clock.nanoTime();
        double most = Math.max(1, perSecond * BURST_SECONDS);
        credit = Math.min(most, credit + (now - filledNanos) / 1e9 * perSecond);
        filledNanos = now;
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

    /** Returns the time on the clock when the next record may leave. Call after {@link #mayTake} returned false. */
    long nextNanos() {
        return clock.after((long) Math.ceil((1 - credit) / perSecond * TimeUnit.SECONDS.toNanos(1)));
    }

    /** Sets whether only the rate limit holds back records now. */
    void waits(boolean now) {
        long nanos = System.nanoTime();
        if (waits) {
            waitedNanos += nanos - waitsSinceNanos;
        }
        waits = now;
        waitsSinceNanos = nanos;
    }

    long waitedNanos() {
        return waitedNanos + (waits ? System.nanoTime() - waitsSinceNanos : 0);
    }
}
