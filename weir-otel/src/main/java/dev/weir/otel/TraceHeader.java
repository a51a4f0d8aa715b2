package dev.weir.otel;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A header written by the propagator, with a reference to the trace. A retried record finds its span through this
 * reference. Dead-letter and retry records have this header too. Immutable, except for the bytes, which must not be
 * modified.
 */
final class TraceHeader implements Header {

    private final String key;
    private final byte[] value;
    private final Trace trace;

    TraceHeader(String key, byte[] value, Trace trace) {
        this.key = key;
        this.value = value;
        this.trace = trace;
    }

    /** Returns the trace that this pipeline stored in the headers, or null. */
    static @Nullable Trace find(Headers headers) {
        for (Header header : headers) {
            if (header instanceof TraceHeader traced) {
                return traced.trace;
            }
        }
        return null;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public byte[] value() {
        return value;
    }
}
