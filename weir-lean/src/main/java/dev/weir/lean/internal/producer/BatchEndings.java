package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.spi.InvariantException;
import org.jspecify.annotations.Nullable;

/**
 * Finishes batches whose outcome is known: notifies the listener, and returns the batches to the pool. Confined to the
 * producer's thread.
 */
final class BatchEndings {

    private final SendListener listener;
    private final ProducerBatchPool pool;
    private final ProducerCounters counters;

    /** Created in advance, for use when no memory is left for an exception. */
    private final BatchRefusal noMemory = new BatchRefusal(new SendException(
            "unknown topic", -1, true, "the producer gave up the record, and ran out of memory", null));

    BatchEndings(SendListener listener, ProducerBatchPool pool, ProducerCounters counters) {
        this.listener = listener;
        this.pool = pool;
        this.counters = counters;
    }

    /**
     * Finishes a batch that was removed from its partition.
     *
     * @throws LeanException if the listener threw an exception; it is thrown after the listener was called for all
     *     records
     */
    void end(ProducerPartition partition, ProducerBatch batch) {
        if (batch.ended) {
            throw new InvariantException(
                    49,
                    "the listener hears of each record once, in the order of its partition",
                    partition + " records=" + batch.count() + " " + batch.state + "@" + batch.offset);
        }
        batch.ended = true;
        boolean written = batch.state == State.WRITTEN;
        Throwable thrown;
        try {
            thrown = written
                    ? acknowledge(partition.topic.name, partition.number, batch)
                    : fail(batch, refusal(partition, batch));
        } finally {
            int count = batch.count();
            counters.add(written ? ProducerCounters.ACKNOWLEDGED : ProducerCounters.FAILED, count);
            pool.release(batch);
            partition.finished.addAndGet(count);
        }
        if (thrown != null) {
            throw new LeanException("the producer's listener threw " + thrown, thrown);
        }
    }

    /** Returns the exceptions for a batch. Each record gets one, even if there is no memory for it. */
    private BatchRefusal refusal(ProducerPartition partition, ProducerBatch batch) {
        try {
            return new BatchRefusal(partition, batch);
        } catch (OutOfMemoryError e) {
            return noMemory;
        }
    }

    /** Returns the first exception of the listener, or null. */
    private @Nullable Throwable acknowledge(String topic, int partition, ProducerBatch batch) {
        Throwable first = null;
        for (int i = 0; i < batch.count(); i++) {
            try {
                listener.acknowledged(batch.token(i), topic, partition, batch.offset < 0 ? -1 : batch.offset + i);
            } catch (Throwable e) {
                first = first == null ? e : first;
            }
        }
        return first;
    }

    private @Nullable Throwable fail(ProducerBatch batch, BatchRefusal why) {
        Throwable first = null;
        for (int i = 0; i < batch.count(); i++) {
            try {
                listener.failed(batch.token(i), why.ofRecord(i));
            } catch (Throwable e) {
                first = first == null ? e : first;
            }
        }
        return first;
    }
}
