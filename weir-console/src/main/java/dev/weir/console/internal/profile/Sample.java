package dev.weir.console.internal.profile;

/**
 * A sample of a thread in a recording. Immutable.
 *
 * @param thread its number in the recording
 * @param atNanos the moment; of a wait its middle
 * @param amount 1 sample, bytes, or nanoseconds
 * @param subject the class that was allocated, or the kind of wait
 */
record Sample(Kind kind, long thread, long atNanos, long amount, String subject, CallStack stack) {

    /** Kinds of samples. */
    enum Kind {
        CPU,
        ALLOCATION,
        WAIT
    }
}
