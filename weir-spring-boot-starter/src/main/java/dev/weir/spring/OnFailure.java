package dev.weir.spring;

/** The effect of a failed pipeline on its application: the property {@code weir.on-failure}. */
public enum OnFailure {
    /** The application context is closed, which drains the other pipelines first. */
    SHUTDOWN,

    /** The application continues without the pipeline, and its liveness is down. */
    KEEP
}
