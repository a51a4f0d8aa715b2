package dev.weir.stream;

/** The way in which a section of a stream ended. See {@link Source#watch}. Immutable. */
public sealed interface StreamEnd {

    /** The section emitted its last element. */
    record Completed() implements StreamEnd {}

    /** The section failed. The downstream stages fail too, unless they recover from the failure. */
    record Failed(Throwable cause) implements StreamEnd {}

    /** The downstream stages needed no more elements, or the pipeline was cancelled or failed in another stage. */
    record Cancelled() implements StreamEnd {}
}
