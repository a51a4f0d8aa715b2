package dev.weir.stream;

/** The end of the stages upstream of a {@link Source#watch}. Immutable. */
public sealed interface StreamEnd {

    /** The stages emitted their last element. */
    record Completed() implements StreamEnd {}

    /** A stage failed. The downstream stages fail too, unless they recover from the failure. */
    record Failed(Throwable cause) implements StreamEnd {}

    /** The downstream stages needed no more elements, or the pipeline was cancelled or failed in another stage. */
    record Cancelled() implements StreamEnd {}
}
