package dev.weir.stream.spi;

/** Creates the running stage of a source, once for each run. Called on the thread that starts the pipeline. */
@FunctionalInterface
public interface SourceFactory<T> {

    Stage<T> create(StageContext context);
}
