package dev.weir.stream;

/** The end of a section of a stream; see {@link Source#watch}. Immutable. */
public sealed interface StreamEnd {

    /** It handed down its last element. */
    record Completed() implements StreamEnd {}

    /** It failed, as the stages below will unless they recover. */
    record Failed(Throwable cause) implements StreamEnd {}

    /** The stages below wanted no more of it, or the pipeline was cancelled or failed elsewhere. */
    record Cancelled() implements StreamEnd {}
}
