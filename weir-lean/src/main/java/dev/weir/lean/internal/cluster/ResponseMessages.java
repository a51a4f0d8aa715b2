package dev.weir.lean.internal.cluster;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** Access to responses that the Kafka client's classes parse. Stateless. */
public final class ResponseMessages {

    private ResponseMessages() {}

    /** Returns the response's body, which follows a header of version 1. */
    public static ByteBufferAccessor body(ByteBuffer response) {
        ByteBufferAccessor body = new ByteBufferAccessor(response.duplicate().position(Integer.BYTES));
        for (int tags = body.readUnsignedVarint(); tags > 0; tags--) {
            body.readUnsignedVarint();
            body.readArray(body.readUnsignedVarint());
        }
        return body;
    }
}
