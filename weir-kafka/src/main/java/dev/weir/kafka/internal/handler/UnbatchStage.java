package dev.weir.kafka.internal.handler;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Splits handled batches into outcomes, each with its record's own acknowledgement. Confined to the stage's thread. */
final class UnbatchStage<K, V> implements Stage<HandlerOutcome<ConsumerRecord<K, V>>> {

    private final Stage<BatchJob<K, V>> upstream;
    private final StageMeter meter;

    UnbatchStage(Stage<BatchJob<K, V>> upstream, StageMeter meter) {
        this.upstream = upstream;
        this.meter = meter;
    }

    @Override
    public @Nullable Batch<HandlerOutcome<ConsumerRecord<K, V>>> pull(long deadlineNanos) throws InterruptedException {
        Batch<BatchJob<K, V>> batches = upstream.pull(deadlineNanos);
        if (batches == null) {
            return null;
        }
        long start = System.nanoTime();
        Batch<HandlerOutcome<ConsumerRecord<K, V>>> out = new Batch<>(0);
        for (int i = 0; i < batches.size(); i++) {
            for (BatchMember<K, V> member : batches.get(i).members()) {
                // false for records that the source has lost
                if (member.takeAcknowledgement()) {
                    out.add(
                            Objects.requireNonNull(member.outcome, "the outcome of a record"),
                            member.target,
                            member.token);
                }
            }
        }
        meter.worked(batches.size(), out.size(), start);
        return out;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
