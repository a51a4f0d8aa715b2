package dev.weir.bench.trial;

import dev.weir.bench.measurement.TrialMembers;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Produces the reports of a {@link SimulatedGroup} in the form of real processes. A report covers the time since the
 * previous one. Confined to one thread. Times are nanoseconds since the plan began.
 */
final class SimulatedReports {
    private static final long CPU_NANOS = 20_000; // per record
    private static final long ALLOCATED_BYTES = 500; // per record

    private final WorkloadPoint point;
    private final TrialMembers.Listener listener;
    private final boolean handlersBlock;
    private final long intervalNanos;
    private final Tally generator;
    private final Tally[] members;
    private long reportedNanos;

    private static final class Tally {
        private final Histogram[] timings; // by partition
        private long records;
        private long calls;
        private long handlerNanos;

        Tally(int partitions) {
            timings = new Histogram[partitions];
            clear();
        }

        void clear() {
            Arrays.setAll(timings, partition -> new Histogram(3));
            records = 0;
            calls = 0;
            handlerNanos = 0;
        }

        void record(int partition, long lateNanos) {
            records++;
            timings[partition].recordValue(lateNanos);
        }
    }

    /**
     * Creates the reports of {@code processes} processes and a generator.
     *
     * @param handlersBlock whether handler calls take time that must be reported
     */
    SimulatedReports(WorkloadPoint point, int processes, boolean handlersBlock, TrialMembers.Listener listener) {
        this.point = point;
        this.listener = listener;
        this.handlersBlock = handlersBlock;
        this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(point.intervalMillis());
        this.generator = new Tally(point.partitions());
        this.members = new Tally[processes];
        Arrays.setAll(members, process -> new Tally(point.partitions()));
    }

    /** Counts a record sent by the generator, which is never late. */
    void sent(int partition) {
        generator.record(partition, 0);
    }

    /**
     * Counts a record handled by a process.
     *
     * @param lateNanos the time since the record was due
     * @param calls the number of times that the record's handler was called
     * @param handlerNanos the total time of these calls
     */
    void done(int process, int partition, long lateNanos, int calls, long handlerNanos) {
        Tally tally = members[process];
        tally.record(partition, lateNanos);
        tally.calls += calls;
        tally.handlerNanos += handlerNanos;
    }

    /** The time at which all processes report next. */
    long dueNanos() {
        return reportedNanos + intervalNanos;
    }

    void report(long atNanos) {
        long from = reportedNanos;
        reportedNanos = atNanos;
        for (int process = 0; process < members.length; process++) {
            Tally tally = members[process];
            Report.Interval interval = interval(atNanos, tally);
            listener.ofMember(process, from, atNanos, interval, List.of(tally.timings.clone()));
            tally.clear();
        }
        // The last histogram is for delays of the sending thread, which a simulation does not have.
        List<Histogram> late = Stream.concat(Arrays.stream(generator.timings), Stream.of(new Histogram(3)))
                .toList();
        listener.ofGenerator(from, atNanos, interval(atNanos, generator), late);
        generator.clear();
    }

    private Report.Interval interval(long atNanos, Tally tally) {
        return new Report.Interval(
                atNanos,
                tally.records,
                tally.records * point.valueBytes(),
                new Usage(tally.records * CPU_NANOS, tally.records * ALLOCATED_BYTES, 0, 0, -1, -1, 0, 0, -1),
                handlersBlock ? new HandlerTime(tally.calls, tally.handlerNanos) : HandlerTime.NONE,
                List.of(),
                false);
    }
}
