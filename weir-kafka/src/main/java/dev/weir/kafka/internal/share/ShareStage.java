package dev.weir.kafka.internal.share;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/** The pipeline's end of a share group's member. Confined to the segment's thread. */
final class ShareStage implements Stage<AcquiredRecord> {

    private final ReadyRecords ready;
    private final StageMeter meter;
    private final Runnable onClose;

    ShareStage(ReadyRecords ready, StageMeter meter, Runnable onClose) {
        this.ready = ready;
        this.meter = meter;
        this.onClose = onClose;
    }

    @Override
    public @Nullable Batch<AcquiredRecord> pull(long deadlineNanos) throws InterruptedException {
        Batch<AcquiredRecord> batch = ready.take(deadlineNanos, meter);
        if (batch != null) {
            meter.worked(batch.size(), batch.size(), System.nanoTime());
        }
        return batch;
    }

    @Override
    public void close() {
        onClose.run();
    }
}
