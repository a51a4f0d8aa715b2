package dev.weir.kafka.produce;

import java.util.Set;

/**
 * The output topics of a producing stage; see {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe. After the
 * end of the pipeline, this object returns the last state.
 */
public interface WrittenTopics {

    /** Returns a copy of the names of the topics with at least one acknowledged record of this run. */
    Set<String> topics();
}
