package dev.weir.otel;

import dev.weir.stream.spi.Thrown;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The span of one record or one group of records in a pipeline. Thread-safe. */
final class Trace {

    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private final Span span;
    private final Context context;
    private final String topic;

    /** The exception of the last call, or null if that call succeeded. */
    private volatile @Nullable Throwable failure;

    /**
     * Creates a trace for a started span.
     *
     * @param context a context that contains the span
     * @param topic the topic of the record or group; empty for a group from several topics
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

    /** Records a failed call in the span, which stays open for a retry. */
    void failed(Throwable thrown) {
        Throwable cause = Thrown.unwrapped(thrown);
        failure = cause;
        try {
            span.recordException(cause);
        } catch (RuntimeException | Error unreadable) {
            // A method of the exception has thrown. The end of the span still records the exception's class.
            span.addEvent("exception");
        }
    }

    /**
     * Ends the span.
     *
     * @param unfinished whether the record was not finished and will be delivered again
     */
    void end(boolean unfinished) {
        Throwable last = failure;
        if (last != null) {
            span.setStatus(StatusCode.ERROR, Objects.requireNonNullElse(Thrown.message(last), ""));
            span.setAttribute(ERROR_TYPE, last.getClass().getName());
        } else if (unfinished) {
            span.setStatus(StatusCode.ERROR, "not finished here: the record is delivered again");
            span.setAttribute(ERROR_TYPE, "unfinished");
        }
        span.end();
    }
}
