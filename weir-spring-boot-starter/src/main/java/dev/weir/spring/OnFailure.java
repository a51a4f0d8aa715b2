package dev.weir.spring;

/** What becomes of the application when one of its pipelines fails: the property {@code weir.on-failure}. */
public enum OnFailure {
    /** The application context is closed, which drains the other pipelines first. */
    SHUTDOWN,

    /** The application goes on without the pipeline, and its liveness is down. */
    KEEP
}
