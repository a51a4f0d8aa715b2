package dev.weir.kafka.internal.out.client;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A record in flight. The future completes after the callback, as with Kafka's client. */
final class PendingSend extends CompletableFuture<RecordMetadata> {

    private static final long NO_TIMESTAMP = -1;

    private final @Nullable Callback callback;
    final long timestampMillis;
    private final int keyBytes;
    private final int valueBytes;

    PendingSend(@Nullable Callback callback, long timestampMillis, int keyBytes, int valueBytes) {
        this.callback = callback;
        this.timestampMillis = timestampMillis;
        this.keyBytes = keyBytes;
        this.valueBytes = valueBytes;
    }

    /** @param offset -1 if unknown */
    void written(TopicPartition at, long offset) {
        RecordMetadata metadata = new RecordMetadata(at, offset, 0, timestampMillis, keyBytes, valueBytes);
        try {
            if (callback != null) {
                callback.onCompletion(metadata, null);
            }
        } finally {
            complete(metadata);
        }
    }

    void failed(TopicPartition at, Exception why) {
        try {
            if (callback != null) {
                callback.onCompletion(new RecordMetadata(at, -1, -1, NO_TIMESTAMP, -1, -1), why);
            }
        } finally {
            completeExceptionally(why);
        }
    }
}
