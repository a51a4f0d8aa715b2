package dev.weir.kafka.internal.buffer;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of what was fetched and sends them on their way, each with what will tell that it is finished; takes back
 * what the pipeline need not see after all. Confined to the owner thread.
 */
public final class Emission {

    /** Per record, beside key, value and headers: the record object and its place in batch and tracker. */
    private static final int RECORD_OVERHEAD_BYTES = 128;

    /** Per header, beside its bytes: three objects. */
    private static final int HEADER_OVERHEAD_BYTES = 96;

    private final boolean tracked;
    private final @Nullable CommitGate gate;
    private final Outlets outlets;
    private final int batchSize;

    // What the records of a batch are appended with.
    private final long[] offsets;
    private final int[] weights;
    private final long[] timestamps;

    /** What goes out together. */
    private final List<Batch<ConsumerRecord<byte[], byte[]>>> made = new ArrayList<>();

    private boolean ended;

    /**
     * Creates an emission.
     *
     * @param plan says whether each record has a token of its own; otherwise the first one of a batch is for all
     * @param gate where batches wait for their commit, if they do
     * @param outlets where they go out
     */
    public Emission(Plan plan, @Nullable CommitGate gate, Outlets outlets) {
        this.tracked = plan.isTracked();
        this.gate = gate;
        this.outlets = outlets;
        this.batchSize = gate == null ? plan.batchSize() : Math.min(plan.batchSize(), gate.batchSize());
        this.offsets = new long[batchSize];
        this.weights = new int[batchSize];
        this.timestamps = new long[batchSize];
    }

    /** Emits nothing from now on; what is buffered still goes out. */
    public void end() {
        ended = true;
        outlets.end();
    }

    public boolean isEnded() {
        return ended;
    }

    /** Whether batches are committed before they go out. */
    public boolean commitsAhead() {
        return gate != null;
    }

    /** A partition goes on at the offset, which is committed before anything of it goes out, if commits go ahead. */
    void placed(AssignedPartition partition, long offset) {
        if (gate != null) {
            gate.place(partition, offset);
        }
    }

    /** A partition is read to the offset, perhaps past its last record: those who wait for its end see it by the commit. */
    public void readTo(AssignedPartition partition, long offset) {
        if (gate != null) {
            gate.readTo(partition, offset);
        }
    }

    /** Whether batches, or positions, wait for their commit. */
    public boolean holdsBack() {
        return gate != null && gate.isWaiting();
    }

    /** Takes back all that the pipeline has not pulled. */
    public void takeBack(Collection<AssignedPartition> partitions) {
        if (gate != null) {
            gate.drop(partitions);
        }
        for (AssignedPartition partition : partitions) {
            partition
                    .outlet
                    .purge(List.of(partition))
                    .forEach((same, token) -> same.dropped(same.tracker.forgetFrom(token)));
        }
    }

    /** The same, but for what was committed for the pipeline to see. */
    public void takeBackUnpromised(Collection<AssignedPartition> partitions) {
        if (gate == null) {
            takeBack(partitions);
        } else {
            gate.drop(partitions);
        }
    }

    /** Emits the records before the partition's end, unless emission has ended, and notes the others as dropped. */
    public void emit(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list) {
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
        long bytes = 0;
        for (ConsumerRecord<byte[], byte[]> record : list) {
            bytes += weight(record);
        }
        long[] tokens = new long[list.size()];
        tokens[0] = partition.tracker.append(list.get(0).offset(), (int) Math.min(bytes, Integer.MAX_VALUE));
        Batch<ConsumerRecord<byte[], byte[]>> batch = Batch.of(list.toArray(), list.size(), partition.tracker, tokens);
        if (gate == null) {
            made.add(batch);
        } else {
            gate.add(partition, batch, list.get(list.size() - 1).offset() + 1);
        }
    }

    private void makeTracked(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list) {
        Object[] values = list.toArray();
        long[] tokens = new long[values.length];
        int size = values.length;
        if (partition.finishedEarlier.isBefore(list.get(0).offset())) {
            appendAll(partition.tracker, values, tokens);
        } else {
            size = appendUnfinished(partition, values, tokens);
        }
        if (size > 0) {
            made.add(Batch.of(values, size, partition.tracker, tokens));
        }
    }

    private void appendAll(OffsetTracker tracker, Object[] values, long[] tokens) {
        for (int i = 0; i < values.length; i++) {
            ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) values[i];
            offsets[i] = record.offset();
            weights[i] = weight(record);
            timestamps[i] = record.timestamp();
        }
        long first = tracker.appendAll(offsets, weights, timestamps, values.length);
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
                tokens[size++] = partition.tracker.append(record.offset(), weight(record), record.timestamp());
            }
        }
        return size;
    }

    private static int weight(ConsumerRecord<?, ?> record) {
        // Without headers that is an array which exists.
        Header[] headers = record.headers().toArray();
        int bytes = RECORD_OVERHEAD_BYTES
                + Math.max(0, record.serializedKeySize())
                + Math.max(0, record.serializedValueSize());
        return headers.length == 0 ? bytes : (int) Math.min(Integer.MAX_VALUE, bytes + weight(headers));
    }

    /**
     * The client's headers refer to the answer that they came in, and would keep all of it: as soon as key and value were asked
     * for, they no longer do.
     */
    private static long weight(Header[] headers) {
        long bytes = 0;
        for (Header header : headers) {
            byte @Nullable [] value = header.value();
            bytes += HEADER_OVERHEAD_BYTES + header.key().length() + (value == null ? 0 : value.length);
        }
        return bytes;
    }
}
