package dev.weir.kafka.internal.out.client;

import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;

/**
 * A serializer as one client has it. The client tells it of the cluster before it sends a first record, on its own
 * thread, which is how that becomes known. Thread-safe if the serializer is.
 *
 * @param closes whether it ends with that client
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
            // Of this record, and the client would take it for an end of everything.
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
