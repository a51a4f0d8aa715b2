package dev.weir.kafka.internal.consumer;

import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of what was fetched and sends them on their way, each with what will tell that it is finished; takes back
 * what the pipeline need not see after all. Confined to the owner thread.
 */
final class Emission {

    private final boolean tracked;
    private final @Nullable CommitAhead ahead;
    private final Outlets outlets;
    private final int batchSize;

    // What the records of a batch are appended with.
    private final long[] offsets;
    private final int[] weights;

    /** What goes out together. */
    private final List<Batch<ConsumerRecord<byte[], byte[]>>> made = new ArrayList<>();

    private boolean ended;

    /**
     * Creates an emission.
     *
     * @param plan says whether each record has a token of its own; otherwise the first one of a batch is for all
     * @param ahead where batches wait for their commit, if they do
     * @param outlets where they go out
     */
    Emission(Plan plan, @Nullable CommitAhead ahead, Outlets outlets) {
        this.tracked = plan.isTracked();
        this.ahead = ahead;
        this.outlets = outlets;
        this.batchSize = ahead == null ? plan.batchSize() : Math.min(plan.batchSize(), ahead.batchSize());
        this.offsets = new long[batchSize];
        this.weights = new int[batchSize];
    }

    /** Emits nothing from now on; what is buffered still goes out. */
    void end() {
        ended = true;
        outlets.end();
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether batches are committed before they go out. */
    boolean commitsAhead() {
        return ahead != null;
    }

    /** A partition goes on at the offset, which is committed before anything of it goes out, if commits go ahead. */
    void placed(AssignedPartition partition, long offset) {
        if (ahead != null) {
            ahead.place(partition, offset);
        }
    }

    /** A partition is read to the offset, perhaps past its last record: those who wait for its end see it by the commit. */
    void readTo(AssignedPartition partition, long offset) {
        if (ahead != null) {
            ahead.readTo(partition, offset);
        }
    }

    /** Whether batches, or positions, wait for their commit. */
    boolean holdsBack() {
        return ahead != null && ahead.isWaiting();
    }

    /** Takes back all that the pipeline has not pulled. */
    void takeBack(Collection<AssignedPartition> partitions) {
        if (ahead != null) {
            ahead.drop(partitions);
        }
        for (AssignedPartition partition : partitions) {
            partition
                    .outlet
                    .purge(List.of(partition))
                    .forEach((same, token) -> same.dropped(same.tracker.forgetFrom(token)));
        }
    }

    /** The same, but for what was committed for the pipeline to see. */
    void takeBackUnpromised(Collection<AssignedPartition> partitions) {
        if (ahead == null) {
            takeBack(partitions);
        } else {
            ahead.drop(partitions);
        }
    }

    /** Emits the records before the partition's end, unless emission has ended, and notes the others as dropped. */
    void emit(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list) {
        int count = ended ? 0 : countBefore(partition.endOffset, list);
        for (int from = 0; from < count; from += batchSize) {
            List<ConsumerRecord<byte[], byte[]>> next = list.subList(from, Math.min(count, from + batchSize));
            if (tracked) {
                makeTracked(partition, next);
            } else {
                makeUntracked(partition, next);
            }
        }
        if (!made.isEmpty()) {
            partition.outlet.addAll(partition, made);
            made.clear();
        }
        if (count < list.size()) {
            partition.dropped(list.get(count).offset());
        }
    }

    private static int countBefore(long endOffset, List<ConsumerRecord<byte[], byte[]>> list) {
        int count = list.size();
        while (count > 0 && list.get(count - 1).offset() >= endOffset) {
            count--;
        }
        return count;
    }

    private void makeUntracked(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list) {
        Object[] values = list.toArray();
        partition.weights.look(values);
        long bytes = 0;
        for (Object value : values) {
            bytes += partition.weights.of((ConsumerRecord<?, ?>) value);
        }
        long[] tokens = new long[list.size()];
        tokens[0] = partition.tracker.append(list.get(0).offset(), (int) Math.min(bytes, Integer.MAX_VALUE));
        Batch<ConsumerRecord<byte[], byte[]>> batch = Batch.of(values, values.length, partition.tracker, tokens);
        if (ahead == null) {
            made.add(batch);
        } else {
            ahead.add(partition, batch, list.get(list.size() - 1).offset() + 1);
        }
    }

    private void makeTracked(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list) {
        Object[] values = list.toArray();
        long[] tokens = new long[values.length];
        int size = values.length;
        partition.weights.look(values);
        if (partition.finishedEarlier.isBefore(list.get(0).offset())) {
            appendAll(partition, values, tokens);
        } else {
            size = appendUnfinished(partition, values, tokens);
        }
        if (size > 0) {
            made.add(Batch.of(values, size, partition.tracker, tokens));
        }
    }

    private void appendAll(AssignedPartition partition, Object[] values, long[] tokens) {
        RecordWeights weigher = partition.weights;
        for (int i = 0; i < values.length; i++) {
            ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) values[i];
            offsets[i] = record.offset();
            weights[i] = weigher.of(record);
        }
        long first = partition.tracker.appendAll(offsets, weights, values.length);
        for (int i = 0; i < values.length; i++) {
            tokens[i] = first + i;
        }
    }

    /** Those that an earlier assignment had finished are told to the tracker and left out; returns how many are left. */
    private static int appendUnfinished(AssignedPartition partition, Object[] values, long[] tokens) {
        int size = 0;
        for (Object value : values) {
            ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) value;
            if (partition.finishedEarlier.contains(record.offset())) {
                partition.tracker.appendFinished(record.offset());
            } else {
                values[size] = record;
                tokens[size++] = partition.tracker.append(record.offset(), partition.weights.of(record));
            }
        }
        return size;
    }
}
