package dev.weir.kafka.deadletter;

/**
 * A view of the dead-letter writer of a running pipeline, obtained from
 * {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe. After the pipeline has ended, the handle keeps
 * returning the last state.
 */
public interface DeadLetterHandle {

    /** Returns the number of failed records that have been written and acknowledged. */
    long written();

    /**
     * Returns the number of failed records that were too large for the dead-letter topic and were therefore written
     * without their value.
     */
    long cut();

    /**
     * Returns the number of failed records that the brokers have rejected and that the pipeline is trying to write
     * again; 0 if there are none.
     */
    int held();
}
