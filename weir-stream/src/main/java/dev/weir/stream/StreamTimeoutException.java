package dev.weir.stream;

import java.time.Duration;

/** A stage waited longer than it was told to. Immutable but for the mutable parts of every exception. */
public final class StreamTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The wait that took too long. */
    public enum Kind {
        /** No element came while one was asked for. */
        IDLE,
        /** The first element did not come. */
        INITIAL,
        /** The stream did not end. */
        COMPLETION,
        /** Nobody asked for the next element. */
        BACK_PRESSURE
    }

    private final Kind kind;
    private final String pipeline;
    private final String stage;
    private final Duration timeout;

    /** Creates one whose message is made of the fields. */
    public StreamTimeoutException(Kind kind, String pipeline, String stage, Duration timeout) {
        super(switch (kind) {
                    case IDLE -> "no element came for ";
                    case INITIAL -> "the first element did not come within ";
                    case COMPLETION -> "the stream did not end within ";
                    case BACK_PRESSURE -> "no element was asked for in ";
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

    /** The name of the stage that noticed. */
    public String stage() {
        return stage;
    }

    /** The limit that was exceeded. */
    public Duration timeout() {
        return timeout;
    }
}
