package dev.weir.driver;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures the delay of planned records, and of their sender; nothing in a pass without a plan. One thread at a time
 * adds deliveries, the sending thread adds its oversleeping, the sampler takes both. Recording allocates nothing.
 */
final class Lateness {
    private final @Nullable Timings timings; // by partition, followed by the sender's
    private final int ofSender;
    private final long planStartNanos;
    private final Course course;

    // Written by the thread that adds deliveries, read when the driver has returned.
    private long earlyRecords;
    private long earliestNanos; // the earliest arrival before its due time, negative

    /** Measures a pass with that course; fails on a record that cannot have been sent yet. */
    Lateness(PassOptions options, int partitions, Course course) {
        this.timings = options.arePlanned() ? new Timings(partitions + 1) : null;
        this.ofSender = partitions;
        this.planStartNanos = options.planStartNanos();
        this.course = course;
    }

    /** Adds a record that was due at that time; 0 means no planned time. */
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

    /** A record arrives before it is due only by the error of the clocks, which the harness judges. It counts as 0. */
    private void early(long nanos) {
        if (CampaignClock.isShared()) {
            course.fail(new IllegalStateException("a record is there before it is due: " + SendPlan.NO_COMMON_CLOCK));
        }
        earlyRecords++;
        earliestNanos = Math.min(earliestNanos, nanos);
    }

    /** Adds the acknowledgement of a record with that ticket, which has the same meaning. */
    void acknowledged(long ticket) {
        if (ticket != 0 && !course.isOver()) { // given up, it is sent before it is due
            came(Pacer.partition(ticket), planStartNanos + Pacer.nanosAfterStart(ticket));
        }
    }

    /** Adds the lateness of a record whose sending thread overslept. That thread only. */
    void overslept(long nanos) {
        if (timings != null) {
            timings.record(ofSender, nanos);
        }
    }

    /** Takes the entries since the last call, as {@link Timings#take} does. Sampler only. */
    List<String> take() {
        return timings == null ? List.of() : timings.take();
    }

    /** Adds the number of early records, if any, and by how much they were early. After the driver has returned. */
    void putEarly(Map<String, Double> figures) {
        if (earlyRecords > 0) {
            figures.put(Pass.EARLY_RECORDS, (double) earlyRecords);
            figures.put(Pass.EARLIEST_MILLIS, earliestNanos / 1e6);
        }
    }
}
