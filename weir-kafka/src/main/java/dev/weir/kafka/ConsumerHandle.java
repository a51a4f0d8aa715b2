package dev.weir.kafka;

/**
 * A running consumer as others may see it; found by {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe, valid
 * for as long as the pipeline, after which it shows the last state.
 */
public interface ConsumerHandle {

    ConsumerSnapshot snapshot();
}
