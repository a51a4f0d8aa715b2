package dev.weir.otel;

import dev.weir.kafka.spi.RecordTracing.Attempt;
import io.opentelemetry.context.Scope;
import org.apache.kafka.common.header.Headers;

/**
 * One call of a handler. During the call, the record's span is the current span. Any thread may report the outcome; the
 * thread that began the call must close it.
 */
final class Call implements Attempt {

    private final Trace trace;
    private final Scope scope;

    /** True if the headers cannot store the trace for a retry. The span then ends with this call. */
    private final boolean alone;

    private Call(Trace trace, Scope scope, boolean alone) {
        this.trace = trace;
        this.scope = scope;
        this.alone = alone;
    }

    @SuppressWarnings("MustBeClosedChecker") // closed with the call
    static Call of(Trace trace, Headers headers) {
        return new Call(trace, trace.context().makeCurrent(), TraceHeader.find(headers) == null);
    }

    @Override
    public void succeeded() {
        trace.succeeded();
        endIfAlone();
    }

    @Override
    public void failed(Throwable failure) {
        trace.failed(failure);
        endIfAlone();
    }

    private void endIfAlone() {
        if (alone) {
            trace.end(false);
        }
    }

    @Override
    public void close() {
        scope.close();
    }
}
