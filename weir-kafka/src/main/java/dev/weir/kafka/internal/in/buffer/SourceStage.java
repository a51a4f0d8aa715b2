package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordDecoder;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Pulls elements from a consumer's buffer. Decodes records, and hands on other elements unwrapped. Confined to the
 * thread that runs the stage.
 */
public final class SourceStage<T> implements Stage<T> {

    private final RecordBuffer buffer;
    private final boolean tracked;
    private final Runnable onTaken;
    private final @Nullable RecordDecoder<?, ?> decoder;
    private final StageMeter meter;
    private final Runnable onClose;

    /**
     * Creates a stage that pulls from a buffer.
     *
     * @param settings the deserializers of the records; for elements made by a decoder, the byte array deserializers
     * @param tracked whether each record is acknowledged individually; otherwise a batch is acknowledged when pulled
     * @param onTaken called after a batch was taken, unless records are tracked
     */
    public SourceStage(
            RecordBuffer buffer,
            ConsumerSettings<?, ?> settings,
            StageMeter meter,
            boolean tracked,
            Runnable onTaken,
            Runnable onClose) {
        this.buffer = buffer;
        this.tracked = tracked;
        this.onTaken = onTaken;
        this.decoder = settings.keyDeserializer() instanceof ByteArrayDeserializer
                        && settings.valueDeserializer() instanceof ByteArrayDeserializer
                ? null
                : new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer());
        this.meter = meter;
        this.onClose = onClose;
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<Fetched> batch = buffer.take(deadlineNanos, meter);
        if (batch == null) {
            return null;
        }
        if (!tracked && !batch.isEmpty()) {
            // One token covers the whole batch and is acknowledged when the pipeline pulls it.
            batch.ack(0);
            batch.retarget(target -> AckTarget.NONE);
            onTaken.run();
        }
        long start = System.nanoTime();
        Batch<T> elements = Fetched.unwrap(batch);
        if (decoder != null) {
            decode(batch.retyped(), decoder, start);
        }
        meter.worked(batch.size(), batch.size(), start);
        return elements;
    }

    private void decode(Batch<ConsumerRecord<byte[], byte[]>> batch, RecordDecoder<?, ?> with, long start) {
        meter.beginPass(batch, true, start);
        try {
            for (int i = 0; i < batch.size(); i++) {
                batch.set(i, with.decode(batch.get(i)));
            }
        } finally {
            meter.endPass();
        }
    }

    @Override
    public void close() {
        onClose.run();
    }
}
