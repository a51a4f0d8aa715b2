package dev.weir.bench.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.weir.driver.Report;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one process in one interval of a run, usually a second. Immutable, thread-safe. A count that was not
 * measured is {@link #UNKNOWN}.
 *
 * @param startMillis start of the interval, in milliseconds since the run began
 * @param cpuNanos processor time of the process under test
 * @param allocatedBytes bytes allocated by the process under test
 * @param gcMillis duration of the garbage collections
 * @param lagRecords lag at the end of the interval
 * @param heapBytes used heap at the end of the interval
 * @param directBytes memory outside the heap at the end of the interval
 * @param figures figures of clients, brokers and the machine by name, sampled at most once a second; empty unless they
 *     were requested
 * @param polls the polls by the consumers under test; null if there were no polls, or if the run was stored before
 *     this field was added
 */
public record Interval(
        long startMillis,
        long lengthMillis,
        long records,
        long bytes,
        long cpuNanos,
        long allocatedBytes,
        long gcMillis,
        long lagRecords,
        long heapBytes,
        long directBytes,
        long brokerCpuNanos,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Double> figures,
        @JsonInclude(JsonInclude.Include.NON_NULL) Report.@Nullable Polls polls) {

    /** The value of a count that was not measured. */
    public static final long UNKNOWN = -1;

    /** Creates an interval without {@link #figures} and {@link #polls}. */
    public Interval(
            long startMillis,
            long lengthMillis,
            long records,
            long bytes,
            long cpuNanos,
            long allocatedBytes,
            long gcMillis,
            long lagRecords,
            long heapBytes,
            long directBytes,
            long brokerCpuNanos) {
        this(
                startMillis,
                lengthMillis,
                records,
                bytes,
                cpuNanos,
                allocatedBytes,
                gcMillis,
                lagRecords,
                heapBytes,
                directBytes,
                brokerCpuNanos,
                Map.of(),
                null);
    }

    public Interval {
        figures = sorted(figures);
        if (lengthMillis < 1) {
            throw new IllegalArgumentException("lengthMillis must be at least 1: lengthMillis=" + lengthMillis);
        }
    }

    /** Sorts the figures by name. Returns an empty map for older runs, which were stored without figures. */
    private static Map<String, Double> sorted(@Nullable Map<String, Double> figures) {
        return figures == null || figures.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(figures));
    }
}
