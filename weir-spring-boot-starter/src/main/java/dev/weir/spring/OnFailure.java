package dev.weir.spring;

/**
 * The possible effects of a pipeline's failure on its application, selected by the property {@code weir.on-failure}.
 */
public enum OnFailure {
    /** Closes the application context, which first drains the other pipelines. */
    SHUTDOWN,

    /** Keeps the application running without the pipeline, and sets the application's liveness to down. */
    KEEP
}
