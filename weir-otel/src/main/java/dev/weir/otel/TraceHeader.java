package dev.weir.otel;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A header of a propagator that knows the trace it was written for: how a record that is handled again finds its
 * span, and how letters and retries of it carry that. Immutable but for the bytes, which nobody may change.
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

    /** The trace that the headers were given in this pipeline, or null. */
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
