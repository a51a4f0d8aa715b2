package dev.weir.stream;

import java.time.Duration;

/**
 * Thrown when a stage waits longer than its timeout. Immutable, except for the state that is mutable in every
 * {@link Throwable}.
 */
public final class StreamTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The kind of wait that timed out. */
    public enum Kind {
        /** No element arrived while the downstream stage was waiting for one. */
        IDLE,
        /** The first element did not arrive in time. */
        INITIAL,
        /** The stream did not complete in time. */
        COMPLETION,
        /** The downstream stage did not request the next element in time. */
        BACK_PRESSURE
    }

    private final Kind kind;
    private final String pipeline;
    private final String stage;
    private final Duration timeout;

    /** Creates the exception. Its message is built from the parameters. */
    public StreamTimeoutException(Kind kind, String pipeline, String stage, Duration timeout) {
        super(switch (kind) {
                    case IDLE -> "no element arrived for ";
                    case INITIAL -> "the first element did not arrive within ";
                    case COMPLETION -> "the stream did not end within ";
                    case BACK_PRESSURE -> "no element was requested for ";
                }
                + timeout + ": stage=" + stage + " pipeline=" + pipeline);
        this.kind = kind;
        this.pipeline = pipeline;
        this.stage = stage;
        this.timeout = timeout;
    }

    public Kind kind() {
        return kind;
    }

    /** The name of the pipeline. */
    public String pipeline() {
        return pipeline;
    }

    /** The name of the stage that timed out. */
    public String stage() {
        return stage;
    }

    /** The exceeded timeout. */
    public Duration timeout() {
        return timeout;
    }
}
