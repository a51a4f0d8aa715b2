package dev.weir.bench.result;

/**
 * What one process did in one slice of time, usually a second. Immutable, thread-safe. A count that was not taken is
 * {@link #UNKNOWN}.
 *
 * @param startMillis since the run began
 * @param cpuNanos of the process under test
 * @param allocatedBytes of the process under test
 * @param gcMillis that collections took
 * @param lagRecords at the end of the interval
 * @param heapBytes used at the end of the interval
 * @param directBytes outside the heap at the end of the interval
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
        long brokerCpuNanos) {

    /** Was not taken. */
    public static final long UNKNOWN = -1;

    public Interval {
        if (lengthMillis < 1) {
            throw new IllegalArgumentException("lengthMillis must be at least 1: lengthMillis=" + lengthMillis);
        }
    }
}
