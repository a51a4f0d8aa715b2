package dev.weir.kafka.produce;

import java.util.Set;

/**
 * The output topics of a producing stage, obtained from {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe.
 * After the pipeline has ended, this object keeps returning the last state.
 */
public interface WrittenTopics {

    /**
     * Returns a copy of the names of the topics to which this run has written at least one acknowledged record; empty
     * before the first acknowledgement.
     */
    Set<String> topics();
}
