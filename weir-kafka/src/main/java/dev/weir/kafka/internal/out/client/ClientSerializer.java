package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Thrown;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Wraps a serializer for one client, and discovers the client's thread. That thread reports cluster metadata to the
 * serializer before the client sends its first record. Thread-safe if the wrapped serializer is.
 *
 * @param closes whether closing the client also closes the serializer
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
            // The client treats a StackOverflowError as fatal. For a SerializationException, it rejects only the
            // record.
            throw new SerializationException("the serializer overflowed the stack", tooDeep);
        } catch (IllegalStateException | KafkaException thrown) {
            throw isOfClient(thrown)
                    ? thrown
                    : new SerializationException("the serializer threw " + Thrown.text(thrown), thrown);
        }
    }

    /** Returns whether a serializer's exception is passed to the client unchanged. */
    private static boolean isOfClient(RuntimeException thrown) {
        return thrown instanceof SerializationException
                || thrown instanceof ApiException
                || thrown instanceof InterruptException;
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
