package dev.weir.driver;

/**
 * The resources that a process used, as a difference of two readings. Immutable.
 *
 * @param cpuNanos of all its threads, collector and compiler included
 * @param allocatedBytes on the heap
 * @param gcCount collections
 * @param gcMillis time in collections
 * @param voluntarySwitches context switches because a thread waited; -1 where the system does not say
 * @param involuntarySwitches context switches because a thread was put off; -1 where the system does not say
 * @param heapBytes used at the end
 * @param directBytes of direct buffers at the end
 * @param compileMillis time in the compilers of the virtual machine; -1 where it does not say
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

    /** Both together; heap and direct memory are the greater of both. */
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

    /** The use since {@code earlier}. */
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
