package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordDecoder;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Pulls records from a consumer's buffer and decodes them. Confined to the thread that runs the stage. */
public final class SourceStage<K, V> implements Stage<ConsumerRecord<K, V>> {

    private final RecordBuffer buffer;
    private final boolean tracked;
    private final Runnable onTaken;
    private final RecordDecoder<K, V> decoder;
    private final StageMeter meter;
    private final Runnable onClose;
    private final boolean decodes;

    /**
     * Creates a stage that pulls from a buffer.
     *
     * @param tracked whether each record is acknowledged individually; otherwise a batch is acknowledged when pulled
     * @param onTaken called after a batch was taken, unless records are tracked
     */
    public SourceStage(
            RecordBuffer buffer,
            ConsumerSettings<K, V> settings,
            StageMeter meter,
            boolean tracked,
            Runnable onTaken,
            Runnable onClose) {
        this.buffer = buffer;
        this.tracked = tracked;
        this.onTaken = onTaken;
        this.decoder = new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer());
        this.meter = meter;
        this.onClose = onClose;
        this.decodes = !(settings.keyDeserializer() instanceof ByteArrayDeserializer
                && settings.valueDeserializer() instanceof ByteArrayDeserializer);
    }

    @Override
    public @Nullable Batch<ConsumerRecord<K, V>> pull(long deadlineNanos) throws InterruptedException {
        Batch<ConsumerRecord<byte[], byte[]>> batch = buffer.take(deadlineNanos, meter);
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
        if (decodes) {
            meter.beginPass(batch, true, start);
            try {
                for (int i = 0; i < batch.size(); i++) {
                    batch.set(i, decoder.decode(batch.get(i)));
                }
            } finally {
                meter.endPass();
            }
        }
        meter.worked(batch.size(), batch.size(), start);
        return batch.retyped();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
