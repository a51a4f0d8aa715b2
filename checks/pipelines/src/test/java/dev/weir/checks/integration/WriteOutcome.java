package dev.weir.checks.integration;

/** The outcome of a case of {@link WriteMatrixTest}, for its records and its run. */
enum WriteOutcome {
    /** Each record is written, in order, and each input is finished. */
    ALL,
    /** The record at fault is left out. All other records are written in order, and all inputs are finished. */
    OUT,
    /** The run fails with a {@code ProduceException} that names topic and input; the record at fault is unfinished. */
    FAILS,
    /** The run fails because of its client, topic or transactions. All finished inputs are written. */
    ENDS,
    /** The run is refused before it begins, and the refusal names the topic. */
    REFUSED,
    /** The run keeps the records that cannot be written, and writes them when the cause is gone. */
    WAITS,
    /** The record at fault is written without its value. All other records are complete. */
    CUT,
    /** The record at fault goes to the dead-letter topic behind the retry topics. All other records are written. */
    NEXT,
    /** Records are sent individually. Only the record at fault fails. */
    OWN,
    /** The run ends. Inputs whose records were not written are unfinished. */
    STOPS
}
