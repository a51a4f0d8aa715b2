package dev.weir.stream;

/** The end of a section of a stream; see {@link Source#watch}. Immutable. */
public sealed interface StreamEnd {

    /** The section emitted its last element. */
    record Completed() implements StreamEnd {}

    /** The section failed; the stages below fail too unless they recover. */
    record Failed(Throwable cause) implements StreamEnd {}

    /** The stages below wanted no more elements, or the pipeline was cancelled or failed elsewhere. */
    record Cancelled() implements StreamEnd {}
}
