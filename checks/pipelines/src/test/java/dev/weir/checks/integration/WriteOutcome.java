package dev.weir.checks.integration;

/** The outcome of a case of {@link WriteMatrixTest}, for its records and its run. */
enum WriteOutcome {
    /** Each record is written, in order, and each input is finished. */
    ALL,
    /** The record at fault is left out, all others are written in order, and each input is finished. */
    OUT,
    /** The run fails with a {@code ProduceException} that names topic and input; the record at fault is unfinished. */
    FAILS,
    /** The run fails because of its client, its topic or its transactions. Each finished input is written. */
    ENDS,
    /** The run is refused before it begins, with the name of the topic. */
    REFUSED,
    /** The run waits with the records that cannot be written and writes all of them once the cause is gone. */
    WAITS,
    /** The record at fault is written without its value, and all others are complete. */
    CUT,
    /** The record at fault goes to the dead-letter topic that follows the retry topics. All others are written. */
    NEXT,
    /** Records are sent individually. The record at fault fails, and the others are written. */
    OWN,
    /** The run ends. An input whose record was not written is not finished. */
    STOPS
}
