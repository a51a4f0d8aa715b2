package dev.weir.kafka;

/**
 * The way of failed records out of a running pipeline, as others may see it; found by {@link
 * dev.weir.stream.RunningPipeline#handles}. Thread-safe, valid for as long as the pipeline, after which it shows the
 * last state.
 */
public interface DeadLetterHandle {

    /** Failed records that were written and acknowledged so far. */
    long written();

    /** The number of them that were too large for the dead-letter topic and stand there without their value. */
    long cut();

    /** Failed records that the brokers have refused and that the pipeline waits with; 0 if it does not wait. */
    int held();
}
