package dev.weir.lean.internal.cluster;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** Prepares responses for parsing by the Kafka client's classes. Stateless. */
public final class ResponseMessages {

    private ResponseMessages() {}

    /** Skips the response's version-1 header and returns an accessor for the body. */
    public static ByteBufferAccessor body(ByteBuffer response) {
        ByteBufferAccessor body = new ByteBufferAccessor(response.duplicate().position(Integer.BYTES));
        for (int tags = body.readUnsignedVarint(); tags > 0; tags--) {
            body.readUnsignedVarint();
            body.readArray(body.readUnsignedVarint());
        }
        return body;
    }
}
