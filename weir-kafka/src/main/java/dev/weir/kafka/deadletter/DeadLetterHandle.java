package dev.weir.kafka.deadletter;

/**
 * A view of a running pipeline's dead-letter writer; see {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe.
 * After the end of the pipeline, the handle returns the last state.
 */
public interface DeadLetterHandle {

    /** Returns the number of failed records written to the topic and acknowledged. */
    long written();

    /** Returns the number of failed records written without their value, because they were too large for the topic. */
    long cut();

    /**
     * Returns the number of failed records that the brokers have rejected and that the pipeline is trying to write
     * again.
     */
    int held();
}
