package dev.weir.stream.spi;

/** Creates the running loop of a sink, once for each run. Called on the thread that starts the pipeline. */
@FunctionalInterface
public interface SinkFactory<T> {

    SinkLoop<T> create(StageContext context);
}
