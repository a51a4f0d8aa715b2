package dev.weir.console.internal.profile;

/**
 * A note of a recording about a thread at one moment. Immutable.
 *
 * @param thread its number in the recording
 * @param atNanos the moment; of a wait its middle
 * @param amount 1 sample, bytes, or nanoseconds
 * @param subject the class that was allocated, or how the thread waited
 */
record Sample(Kind kind, long thread, long atNanos, long amount, String subject, CallStack stack) {

    /** Kinds of samples. */
    enum Kind {
        CPU,
        ALLOCATION,
        WAIT
    }
}
