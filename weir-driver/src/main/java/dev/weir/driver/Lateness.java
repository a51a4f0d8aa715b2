package dev.weir.driver;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late planned records came, and how late their sender was; nothing in a pass without a plan. One thread
 * at a time notes what came, the one that sends notes what it overslept, the sampler takes both. Allocates nothing but
 * for that.
 */
final class Lateness {
    private final @Nullable Timings timings; // by partition, and the sender's behind them
    private final int ofSender;
    private final long planStartNanos;
    private final Course course;

    // Written by the one that notes what came, read when the driver has returned.
    private long earlyRecords;
    private long earliestNanos; // the most they were early, negative

    /** Measures a pass with that course; fails on a record that cannot have been sent yet. */
    Lateness(PassOptions options, int partitions, Course course) {
        this.timings = options.arePlanned() ? new Timings(partitions + 1) : null;
        this.ofSender = partitions;
        this.planStartNanos = options.planStartNanos();
        this.course = course;
    }

    /** A record came that was due then; 0 is no planned time. */
    void came(int partition, long dueNanos) {
        if (timings == null || dueNanos == 0) {
            return;
        }
        long nanos = CampaignClock.nanos() - dueNanos;
        if (nanos < 0) {
            early(nanos);
        }
        timings.record(partition, nanos);
    }

    /** A record is there before it is due: by as much as clocks are wrong, which the harness judges. It counts as 0. */
    private void early(long nanos) {
        if (CampaignClock.isShared()) {
            course.fail(new IllegalStateException("a record is there before it is due: " + SendPlan.NO_COMMON_CLOCK));
        }
        earlyRecords++;
        earliestNanos = Math.min(earliestNanos, nanos);
    }

    /** A record of that ticket was acknowledged, which comes to the same. */
    void acknowledged(long ticket) {
        if (ticket != 0 && !course.isOver()) { // Given up, it is sent before it is due.
            came(Pacer.partition(ticket), planStartNanos + Pacer.nanosAfterStart(ticket));
        }
    }

    /** A record was sent that much later than planned because the thread that sends had overslept. That thread only. */
    void overslept(long nanos) {
        if (timings != null) {
            timings.record(ofSender, nanos);
        }
    }

    /** Takes the notes since the last call, as {@link Timings#take} does. Sampler only. */
    List<String> take() {
        return timings == null ? List.of() : timings.take();
    }

    /** Adds how many records came early, if any did, and by how much. When the driver has returned. */
    void putEarly(Map<String, Double> figures) {
        if (earlyRecords > 0) {
            figures.put(Pass.EARLY_RECORDS, (double) earlyRecords);
            figures.put(Pass.EARLIEST_MILLIS, earliestNanos / 1e6);
        }
    }
}
