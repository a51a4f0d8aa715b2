package dev.weir.bench.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.weir.driver.Report;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one process in one slice of time, usually a second. Immutable, thread-safe. A count that was not taken
 * is {@link #UNKNOWN}.
 *
 * @param startMillis since the run began
 * @param cpuNanos of the process under test
 * @param allocatedBytes of the process under test
 * @param gcMillis that collections took
 * @param lagRecords at the end of the interval
 * @param heapBytes used at the end of the interval
 * @param directBytes outside the heap at the end of the interval
 * @param figures readings of clients, brokers and the machine, by name, if requested: at most once a second
 * @param polls the polls of the consumers under test; null if they polled nothing, or of runs of before
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

    /** Was not taken. */
    public static final long UNKNOWN = -1;

    /** Interval without {@link #figures} and {@link #polls}. */
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

    /** Older runs have none. */
    private static Map<String, Double> sorted(@Nullable Map<String, Double> figures) {
        return figures == null || figures.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(figures));
    }
}
