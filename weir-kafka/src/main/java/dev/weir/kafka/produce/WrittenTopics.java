package dev.weir.kafka.produce;

import java.util.Set;

/**
 * The output topics of a producing stage; obtained from {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe
 * and valid for as long as the pipeline; afterwards it shows the last state.
 */
public interface WrittenTopics {

    /**
     * A copy of the names of the topics to which brokers have accepted a record in this run; empty before the first.
     */
    Set<String> topics();
}
