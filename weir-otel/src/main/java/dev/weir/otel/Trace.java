package dev.weir.otel;

import dev.weir.stream.spi.Thrown;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/** The span of one record, or of one group of records, in one pipeline. Thread-safe. */
final class Trace {

    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private final Span span;
    private final Context context;
    private final String topic;

    /** The exception of the last call, or null if that call succeeded. */
    private volatile @Nullable Throwable failure;

    /**
     * Creates a trace for a span that has already started.
     *
     * @param context a context that contains the span
     * @param topic the topic of the record or of the group; empty if the records of a group are from several topics
     */
    Trace(Span span, Context context, String topic) {
        this.span = span;
        this.context = context;
        this.topic = topic;
    }

    Span span() {
        return span;
    }

    Context context() {
        return context;
    }

    String topic() {
        return topic;
    }

    void succeeded() {
        failure = null;
    }

    /** Records a failed call in the span. The span stays open because the call may be retried. */
    void failed(Throwable thrown) {
        Throwable cause = Thrown.unwrapped(thrown);
        failure = cause;
        try {
            span.recordException(cause);
        } catch (RuntimeException | Error unreadable) {
            // A method of the exception itself has thrown, so record an event without details. The exception's class is
            // still recorded when the span ends.
            span.addEvent("exception");
        }
    }

    /**
     * Ends the span.
     *
     * @param unfinished whether this pipeline did not finish the record, so that the record will be delivered again
     */
    void end(boolean unfinished) {
        Throwable last = failure;
        if (last != null) {
            span.setStatus(StatusCode.ERROR, String.valueOf(Thrown.message(last)));
            span.setAttribute(ERROR_TYPE, last.getClass().getName());
        } else if (unfinished) {
            span.setStatus(StatusCode.ERROR, "not finished here: the record is delivered again");
            span.setAttribute(ERROR_TYPE, "unfinished");
        }
        span.end();
    }
}
