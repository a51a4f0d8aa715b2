package dev.weir.kafka.produce;

import java.util.Set;

/**
 * The output topics of a producing stage in a running pipeline; found by
 * {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe, valid for as long as the pipeline, after which it shows
 * the last state.
 */
public interface WrittenTopics {

    /** A copy of the names of the topics that brokers have taken a record for in this run; empty before the first. */
    Set<String> topics();
}
