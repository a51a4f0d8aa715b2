package dev.weir.console.internal.profile;

/**
 * A sample of a thread in a recording. Immutable.
 *
 * @param thread the thread's id in the recording
 * @param atNanos the time of the sample, or the middle of a wait
 * @param amount 1 for a CPU sample, the number of bytes for an allocation, or the number of nanoseconds for a wait
 * @param subject the class that was allocated, or the kind of wait
 */
record Sample(Kind kind, long thread, long atNanos, long amount, String subject, CallStack stack) {

    enum Kind {
        CPU,
        ALLOCATION,
        WAIT
    }
}
