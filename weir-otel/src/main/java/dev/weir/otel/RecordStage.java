package dev.weir.otel;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each record's acknowledgement target with a {@link TraceTarget}, which forwards to the original target.
 * Passes the records on unchanged. Confined to the stage's thread.
 */
final class RecordStage<K, V> implements Stage<ConsumerRecord<K, V>> {

    private final Stage<ConsumerRecord<K, V>> upstream;
    private final StageMeter meter;
    private final Spans spans;
    private final boolean inHeaders;

    RecordStage(Stage<ConsumerRecord<K, V>> upstream, StageMeter meter, Spans spans, boolean inHeaders) {
        this.upstream = upstream;
        this.meter = meter;
        this.spans = spans;
        this.inHeaders = inHeaders;
    }

    @Override
    public @Nullable Batch<ConsumerRecord<K, V>> pull(long deadlineNanos) throws InterruptedException {
        Batch<ConsumerRecord<K, V>> batch = upstream.pull(deadlineNanos);
        if (batch == null || batch.isEmpty()) {
            return batch;
        }
        long start = System.nanoTime();
        int size = batch.size();
        TraceTarget traces = TraceTarget.ofRecords(spans, inHeaders, size);
        Batch<ConsumerRecord<K, V>> out = new Batch<>(size);
        for (int i = 0; i < size; i++) {
            traces.set(i, batch.get(i), batch.target(i), batch.token(i));
            out.add(batch.get(i), traces, i);
        }
        batch.release();
        meter.worked(size, size, start);
        return out;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
