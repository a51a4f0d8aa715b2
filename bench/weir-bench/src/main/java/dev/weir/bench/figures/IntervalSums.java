package dev.weir.bench.figures;

import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import dev.weir.driver.Usage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The totals of measured intervals. Immutable. */
public record IntervalSums(long records, long bytes, long nanos, long brokerCpuNanos) {

    public static IntervalSums of(List<Interval> measured) {
        long records = 0;
        long bytes = 0;
        long millis = 0;
        long broker = 0;
        for (Interval interval : measured) {
            records += interval.records();
            bytes += interval.bytes();
            millis += interval.lengthMillis();
            broker = OptionalCounts.plus(broker, interval.brokerCpuNanos());
        }
        return new IntervalSums(records, bytes, TimeUnit.MILLISECONDS.toNanos(millis), broker);
    }

    /** Combines the sums with the process's resource use. Context switches stay unknown. */
    public Totals with(Usage used, Map<String, Double> metrics) {
        return new Totals(
                records,
                bytes,
                nanos,
                used.cpuNanos(),
                used.allocatedBytes(),
                used.gcMillis(),
                Interval.UNKNOWN,
                brokerCpuNanos,
                metrics);
    }
}
