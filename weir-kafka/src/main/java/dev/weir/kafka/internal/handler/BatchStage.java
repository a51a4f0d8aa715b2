package dev.weir.kafka.internal.handler;

import dev.weir.stream.Ordering;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gathers records into batches, in one or several queues. A batch is emitted when it is full or its first record has
 * waited long enough. If records are ordered by key, all records of a key go to the same queue. Confined to the stage's
 * thread.
 */
final class BatchStage<K, V> implements Stage<BatchJob<K, V>> {

    /**
     * The limits of batches.
     *
     * @param max maximum number of records per batch
     * @param withinNanos how long a batch waits for further records
     * @param openBatches number of queues; each queue gathers one batch at a time
     */
    record Limits<K, V>(int max, long withinNanos, Ordering<HandlerJob<K, V>> ordering, int openBatches) {}

    /** Interval between checks for lost records. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Stage<HandlerJob<K, V>> upstream;
    private final StageContext context;
    private final Limits<K, V> limits;
    private final List<List<BatchMember<K, V>>> gathered = new ArrayList<>();
    private final long[] dueNanos;
    private long keyless;
    private long lookNanos;
    private boolean ended;
    private @Nullable Throwable failure;

    BatchStage(Stage<HandlerJob<K, V>> upstream, StageContext context, Limits<K, V> limits) {
        this.upstream = upstream;
        this.context = context;
        this.limits = limits;
        this.dueNanos = new long[limits.openBatches()];
        this.lookNanos = context.clock().after(LOOK_NANOS);
        for (int index = 0; index < limits.openBatches(); index++) {
            gathered.add(new ArrayList<>());
        }
    }

    @Override
    public @Nullable Batch<BatchJob<K, V>> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            Batch<BatchJob<K, V>> out = new Batch<>(0);
            if (context.clock().hasPassed(lookNanos)) {
                lookNanos = context.clock().after(LOOK_NANOS);
                gathered.forEach(this::dropLost);
            }
            for (int index = 0; index < limits.openBatches(); index++) {
                if (!gathered.get(index).isEmpty() && (ended || context.clock().hasPassed(dueNanos[index]))) {
                    emit(index, out);
                }
            }
            if (out.isEmpty() && ended) {
                return end();
            }
            if (out.isEmpty()) {
                pullInto(out, earliest(deadlineNanos));
            }
            if (!out.isEmpty() || context.clock().hasPassed(deadlineNanos)) {
                context.meter().out(out.size());
                return out;
            }
        }
    }

    /** Gathers elements from upstream. A failure of upstream is thrown once all gathered elements are emitted. */
    private void pullInto(Batch<BatchJob<K, V>> out, long deadlineNanos) throws InterruptedException {
        try {
            Batch<HandlerJob<K, V>> pulled = upstream.pull(deadlineNanos);
            ended = pulled == null;
            if (pulled != null) {
                long start = System.nanoTime();
                gather(pulled, out);
                context.meter().worked(pulled.size(), 0, start);
                pulled.release();
            }
        } catch (RuntimeException | Error thrown) {
            ended = true;
            failure = thrown;
        }
    }

    private @Nullable Batch<BatchJob<K, V>> end() {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        return null;
    }

    private long earliest(long deadlineNanos) {
        long earliest = deadlineNanos;
        for (int index = 0; index < limits.openBatches(); index++) {
            if (!gathered.get(index).isEmpty()) {
                earliest = earlier(earlier(earliest, dueNanos[index]), lookNanos);
            }
        }
        return earliest;
    }

    private static long earlier(long oneNanos, long otherNanos) {
        return oneNanos == NEVER || otherNanos - oneNanos < 0 ? otherNanos : oneNanos;
    }

    private void dropLost(List<BatchMember<K, V>> batch) {
        int before = batch.size();
        batch.removeIf(BatchMember::dropIfLost);
        context.meter().holds(batch.size() - before);
    }

    private void gather(Batch<HandlerJob<K, V>> pulled, Batch<BatchJob<K, V>> out) {
        int taken = 0;
        try {
            for (; taken < pulled.size(); taken++) {
                HandlerJob<K, V> job = pulled.get(taken);
                long key = limits.ordering().isKeyed() ? limits.ordering().keyOf(job) : Ordering.NO_KEY;
                int index = batchOf(key);
                List<BatchMember<K, V>> batch = gathered.get(index);
                if (batch.isEmpty()) {
                    dueNanos[index] = context.clock().after(limits.withinNanos());
                }
                batch.add(new BatchMember<>(job, pulled.target(taken), pulled.token(taken), key));
                context.meter().holds(1);
                if (batch.size() == limits.max()) {
                    emit(index, out);
                }
            }
        } finally {
            // If the key function threw, abandon the remaining elements.
            pulled.abandonFrom(taken);
        }
    }

    /** Returns the index of the record's queue. */
    private int batchOf(long key) {
        long spread = key == Ordering.NO_KEY ? keyless++ / limits.max() : (key * 0x9E3779B97F4A7C15L) >>> 32;
        return (int) (spread % limits.openBatches());
    }

    private void emit(int index, Batch<BatchJob<K, V>> out) {
        List<BatchMember<K, V>> members = gathered.get(index);
        dropLost(members);
        gathered.set(index, new ArrayList<>());
        context.meter().holds(-members.size());
        if (!members.isEmpty()) {
            BatchJob<K, V> batch = new BatchJob<>(members, index);
            out.add(batch, batch, 0);
        }
    }

    @Override
    public void close() {
        List<BatchMember<K, V>> left = gathered.stream().flatMap(List::stream).toList();
        gathered.forEach(List::clear);
        context.meter().holds(-left.size());
        try {
            BatchMember.taken(left).abandonAll();
        } finally {
            upstream.close();
        }
    }
}
