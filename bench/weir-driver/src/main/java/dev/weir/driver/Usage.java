package dev.weir.driver;

/**
 * The resources that a process used between two readings. Immutable.
 *
 * @param cpuNanos processor time of all its threads, including garbage collector and compilers
 * @param allocatedBytes bytes allocated on the heap
 * @param gcCount number of garbage collections
 * @param gcMillis time in garbage collections
 * @param voluntarySwitches context switches because a thread waited; -1 if not known
 * @param involuntarySwitches context switches because a thread was preempted; -1 if not known
 * @param heapBytes heap used at the second reading
 * @param directBytes direct buffer memory at the second reading
 * @param compileMillis time in the JVM's compilers; -1 if not known
 */
public record Usage(
        long cpuNanos,
        long allocatedBytes,
        long gcCount,
        long gcMillis,
        long voluntarySwitches,
        long involuntarySwitches,
        long heapBytes,
        long directBytes,
        long compileMillis) {

    /** Returns the sum of both usages, but the maximum of their heap and direct memory. */
    public Usage plus(Usage other) {
        boolean known = voluntarySwitches >= 0 && other.voluntarySwitches >= 0;
        return new Usage(
                cpuNanos + other.cpuNanos,
                allocatedBytes + other.allocatedBytes,
                gcCount + other.gcCount,
                gcMillis + other.gcMillis,
                known ? voluntarySwitches + other.voluntarySwitches : -1,
                known ? involuntarySwitches + other.involuntarySwitches : -1,
                Math.max(heapBytes, other.heapBytes),
                Math.max(directBytes, other.directBytes),
                compileMillis < 0 || other.compileMillis < 0 ? -1 : compileMillis + other.compileMillis);
    }

    /** The usage since {@code earlier}. */
    public Usage since(Usage earlier) {
        boolean known = voluntarySwitches >= 0 && earlier.voluntarySwitches >= 0;
        return new Usage(
                cpuNanos - earlier.cpuNanos,
                allocatedBytes - earlier.allocatedBytes,
                gcCount - earlier.gcCount,
                gcMillis - earlier.gcMillis,
                known ? voluntarySwitches - earlier.voluntarySwitches : -1,
                known ? involuntarySwitches - earlier.involuntarySwitches : -1,
                heapBytes,
                directBytes,
                compileMillis < 0 ? -1 : compileMillis - earlier.compileMillis);
    }
}
