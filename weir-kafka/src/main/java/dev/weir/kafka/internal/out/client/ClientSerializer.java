package dev.weir.kafka.internal.out.client;

import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Wraps a serializer for one client, and also discovers the client's thread. The thread reports cluster metadata to the
 * serializer before the client sends its first record. Thread-safe if the wrapped serializer is.
 *
 * @param closes whether the serializer is closed together with the client
 */
record ClientSerializer<T>(Serializer<T> serializer, boolean closes, ClientThread thread)
        implements Serializer<T>, ClusterResourceListener {

    @Override
    public byte[] serialize(String topic, T data) {
        return data instanceof ReadyBytes ready ? ready.bytes() : serializer.serialize(topic, data);
    }

    @Override
    public byte[] serialize(String topic, Headers headers, T data) {
        try {
            return data instanceof ReadyBytes ready ? ready.bytes() : serializer.serialize(topic, headers, data);
        } catch (StackOverflowError tooDeep) {
            // This exception rejects only the record. The client would treat the StackOverflowError itself as
            // fatal.
            throw new SerializationException("the serializer overflowed the stack", tooDeep);
        }
    }

    @Override
    public void onUpdate(ClusterResource cluster) {
        thread.heard();
        if (serializer instanceof ClusterResourceListener listener) {
            listener.onUpdate(cluster);
        }
    }

    @Override
    public void close() {
        if (closes) {
            serializer.close();
        }
    }
}
