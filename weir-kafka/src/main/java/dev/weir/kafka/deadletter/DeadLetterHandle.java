package dev.weir.kafka.deadletter;

/**
 * The dead-letter writer of a running pipeline, to inspect from outside; obtained from {@link
 * dev.weir.stream.RunningPipeline#handles}. Thread-safe and valid for as long as the pipeline; afterwards it shows the
 * last state.
 */
public interface DeadLetterHandle {

    /** Failed records that were written and acknowledged so far. */
    long written();

    /** The number of dead-letter records that were too large for the topic and were written without their value. */
    long cut();

    /** Failed records that brokers have refused and that the pipeline is retrying to write; 0 if there are none. */
    int held();
}
