package dev.weir.driver;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late planned records arrive, and how late their sender's thread wakes up. Does nothing without a plan.
 * One thread at a time adds deliveries, the sending thread adds its own delays, and the sampler collects both.
 * Recording allocates nothing.
 */
final class Lateness {
    private final @Nullable Timings timings; // by partition, with one more entry at the end for the sender's delays
    private final int ofSender;
    private final long planStartNanos;
    private final Course course;

    // Written by the thread that adds deliveries, and read after the driver has returned.
    private long earlyRecords;
    private long earliestNanos; // arrival time minus due time of the earliest record; never positive

    /** Creates the measurement for one pass. The pass fails if a record arrives that cannot have been sent yet. */
    Lateness(PassOptions options, int partitions, Course course) {
        this.timings = options.arePlanned() ? new Timings(partitions + 1) : null;
        this.ofSender = partitions;
        this.planStartNanos = options.planStartNanos();
        this.course = course;
    }

    /**
     * Adds a delivered record that was due at {@code dueNanos}. Ignores a record without a planned time, that is, with
     * {@code dueNanos} 0.
     */
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

    /**
     * Notes a record that arrived early. The record fails the pass if all processes share one clock. Its delay is
     * recorded as 0.
     */
    private void early(long nanos) {
        if (CampaignClock.isShared()) {
            course.fail(new IllegalStateException("a record is there before it is due: " + SendPlan.NO_COMMON_CLOCK));
        }
        earlyRecords++;
        earliestNanos = Math.min(earliestNanos, nanos);
    }

    /** Adds an acknowledged record. A ticket of 0 has no planned time. */
    void acknowledged(long ticket) {
        // After the end of a pass, {@link Pacer#next} may return early.
        if (ticket != 0 && !course.isOver()) {
            came(Pacer.partition(ticket), planStartNanos + Pacer.nanosAfterStart(ticket));
        }
    }

    /** Adds the lateness of a record whose sending thread overslept. Only that thread may call it. */
    void overslept(long nanos) {
        if (timings != null) {
            timings.record(ofSender, nanos);
        }
    }

    /** Returns the histograms since the last call; see {@link Timings#take}. Only the sampler may call it. */
    List<String> take() {
        return timings == null ? List.of() : timings.take();
    }

    /**
     * Adds the number of early records and the earliest arrival, if there are any. Call it after the driver has
     * returned.
     */
    void putEarly(Map<String, Double> figures) {
        if (earlyRecords > 0) {
            figures.put(Pass.EARLY_RECORDS, (double) earlyRecords);
            figures.put(Pass.EARLIEST_MILLIS, earliestNanos / 1e6);
        }
    }
}
