package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.FetchedRow;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.lean.spi.InvariantException;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds batches of fetched records and emits them with the tokens that acknowledge them. Also withdraws records that
 * the pipeline must not receive. Confined to the owner thread.
 */
public final class BatchEmission {

    private final boolean tracked;
    private final @Nullable CommitGate gate;
    private final RecordOutlets outlets;
    private final OwnerThread owner;
    private final int batchSize;

    // Reused arrays that pass a batch's records to the tracker.
    private final long[] offsets;
    private final int[] weights;
    private final long[] timestamps;

    private final List<Batch<Fetched>> made = new ArrayList<>();

    /** The buffers that have received batches since the last {@link #announce}. */
    private final List<RecordBuffer> unannounced = new ArrayList<>();

    /**
     * Creates an emission.
     *
     * @param plan determines whether each record or each batch has an acknowledgement token
     * @param gate holds batches until they are committed; null if batches are not held
     * @param outlets the buffers that receive batches
     * @param owner reports whether emission has ended
     */
    public BatchEmission(ConsumerPlan plan, @Nullable CommitGate gate, RecordOutlets outlets, OwnerThread owner) {
        this.tracked = plan.isTracked();
        this.gate = gate;
        this.outlets = outlets;
        this.owner = owner;
        this.batchSize = gate == null ? plan.batchSize() : Math.min(plan.batchSize(), gate.batchSize());
        this.offsets = new long[batchSize];
        this.weights = new int[batchSize];
        this.timestamps = new long[batchSize];
    }

    /**
     * Ends emission. The pipeline can still pull records that are in the buffers. Must be called after the
     * {@link ConsumerPhase#RUNNING} phase has ended.
     */
    public void end() {
        outlets.end();
    }

    /** Returns whether each record has its own token. */
    public boolean isTracked() {
        return tracked;
    }

    /** Returns whether batches are committed before they are emitted. */
    public boolean commitsAhead() {
        return gate != null;
    }

    /**
     * Reports that a partition continues at the given offset. If batches are committed before they are emitted, this
     * offset is committed first.
     */
    void placed(AssignedPartition partition, long offset) {
        if (gate != null) {
            gate.place(partition, offset);
        }
    }

    /**
     * Reports that a partition was read up to the given offset, past its last record. If batches are committed before
     * they are emitted, this offset is committed after them.
     */
    public void readTo(AssignedPartition partition, long offset) {
        if (gate != null) {
            gate.readTo(partition, offset);
        }
    }

    /** Returns whether batches or positions are waiting to be committed. */
    public boolean holdsBack() {
        return gate != null && gate.isWaiting();
    }

    /** Withdraws all records that the pipeline has not pulled. */
    public void takeBack(Collection<AssignedPartition> partitions) {
        if (gate != null) {
            gate.drop(partitions);
        }
        for (AssignedPartition partition : partitions) {
            partition
                    .outlet()
                    .purge(List.of(partition))
                    .forEach((same, token) -> same.dropped(same.tracker().forgetFrom(token)));
        }
    }

    /** Withdraws the records that the pipeline has not pulled, except for committed ones. */
    public void takeBackUnpromised(Collection<AssignedPartition> partitions) {
        if (gate == null) {
            takeBack(partitions);
        } else {
            gate.drop(partitions);
        }
    }

    /**
     * Emits the records before the partition's end offset and drops later ones. The pipeline can pull them immediately,
     * but waiting threads are woken by {@link #announce}.
     */
    public void emit(AssignedPartition partition, List<Fetched> list) {
        made.clear(); // not empty if the last call threw
        int count = !owner.isEmitting() ? 0 : countBefore(partition.endOffset(), list);
        cutAtEnd(partition, list, count);
        if (count > 0) {
            check(partition, list.get(0).offset());
        }
        for (int from = 0; from < count; from += batchSize) {
            int to = Math.min(count, from + batchSize);
            List<Fetched> next = to == list.size() && from == 0 ? list : list.subList(from, to);
            if (tracked && next.get(0) instanceof FetchedRow) {
                makeOfRows(partition, next);
            } else if (tracked) {
                makeTracked(partition, next);
            } else {
                makeUntracked(partition, next);
            }
        }
        if (!made.isEmpty()) {
            RecordBuffer outlet = partition.outlet();
            outlet.addAll(partition, made);
            made.clear();
            if (unannounced.isEmpty() || unannounced.getLast() != outlet) {
                unannounced.add(outlet);
            }
        }
        if (count < list.size()) {
            partition.dropped(list.get(count).offset());
        }
    }

    /** Throws if records from the given offset on must not be emitted. */
    private static void check(AssignedPartition partition, long offset) {
        OffsetTracker tracker = partition.tracker();
        if (tracker.isRevoked()) {
            throw new InvariantException(
                    12, "nothing of a partition is emitted after it was taken away", partition + "@" + offset);
        }
        if (offset < tracker.nextOffset()) {
            throw new InvariantException(
                    15,
                    "elements of a partition enter the pipeline in order, none twice in one assignment",
                    partition + "@" + offset + " readTo=" + tracker.nextOffset() + " outstanding="
                            + tracker.outstanding());
        }
    }

    /** Wakes the threads that wait for records. Called once per poll. */
    public void announce() {
        for (int i = 0; i < unannounced.size(); i++) {
            unannounced.get(i).announce();
        }
        unannounced.clear();
    }

    /** Treats the offsets from {@code from} (inclusive) to {@code to} (exclusive) as finished. */
    public void leaveOut(AssignedPartition partition, long from, long to) {
        if (!owner.isEmitting() || from >= partition.endOffset()) {
            partition.dropped(from);
        } else if (gate != null) {
            gate.readTo(partition, to);
        } else {
            partition.tracker().appendFinished(from);
            partition.tracker().seenTo(to);
        }
    }

    /** Removes records at or after the end offset from the last element, if it holds several records. */
    private static void cutAtEnd(AssignedPartition partition, List<Fetched> list, int count) {
        if (count > 0 && list.get(count - 1) instanceof FetchedRow row && row.nextOffset() > partition.endOffset()) {
            row.cutAt(partition.endOffset());
            partition.dropped(partition.endOffset());
        }
    }

    private static int countBefore(long endOffset, List<Fetched> list) {
        int count = list.size();
        while (count > 0 && list.get(count - 1).offset() >= endOffset) {
            count--;
        }
        return count;
    }

    private void makeUntracked(AssignedPartition partition, List<Fetched> list) {
        Object[] values = list.toArray();
        RecordWeights weigher = partition.weights();
        weigher.look(values);
        long bytes = 0;
        for (Object value : values) {
            bytes += weigher.of((Fetched) value);
        }
        long[] tokens = new long[list.size()];
        tokens[0] = partition.tracker().append(list.get(0).offset(), (int) Math.min(bytes, Integer.MAX_VALUE));
        Batch<Fetched> batch = Batch.of(values, values.length, partition.tracker(), tokens);
        if (gate == null) {
            made.add(batch);
        } else {
            gate.add(partition, batch, list.get(list.size() - 1).nextOffset());
        }
    }

    private void makeTracked(AssignedPartition partition, List<Fetched> list) {
        Object[] values = list.toArray();
        long[] tokens = new long[values.length];
        int size = values.length;
        partition.weights().look(values);
        if (partition.finishedEarlier().isBefore(list.get(0).offset())) {
            appendAll(partition, values, tokens);
        } else {
            size = appendUnfinished(partition, values, tokens);
        }
        partition.tracker().seenTo(list.get(list.size() - 1).nextOffset());
        if (size > 0) {
            made.add(Batch.of(values, size, partition.tracker(), tokens));
        }
    }

    private void makeOfRows(AssignedPartition partition, List<Fetched> rows) {
        Batch<Fetched> batch = partition.outlet().emptyBatch();
        OffsetTracker tracker = partition.tracker();
        for (int i = 0; i < rows.size(); i++) {
            FetchedRow row = (FetchedRow) rows.get(i);
            long next = row.nextOffset();
            if (partition.finishedEarlier().contains(row.offset(), next)) {
                tracker.appendFinished(row.offset());
                row.drop();
            } else {
                long token = tracker.append(row.offset(), partition.weights().of(row), row.timestamp());
                partition.goesOut(row.views(), token);
                batch.add(row, tracker, token);
            }
            tracker.seenTo(next);
        }
        if (batch.isEmpty()) {
            partition.outlet().giveBack(batch);
        } else {
            made.add(batch);
        }
    }

    private void appendAll(AssignedPartition partition, Object[] values, long[] tokens) {
        RecordWeights weigher = partition.weights();
        for (int i = 0; i < values.length; i++) {
            Fetched record = (Fetched) values[i];
            offsets[i] = record.offset();
            weights[i] = weigher.of(record);
            timestamps[i] = record.timestamp();
        }
        long first = partition.tracker().appendAll(offsets, weights, timestamps, values.length);
        for (int i = 0; i < values.length; i++) {
            tokens[i] = first + i;
        }
    }

    /**
     * Appends records to the tracker and returns the number of unfinished ones. Records finished in an earlier
     * assignment are not emitted.
     */
    private static int appendUnfinished(AssignedPartition partition, Object[] values, long[] tokens) {
        int size = 0;
        for (Object value : values) {
            Fetched record = (Fetched) value;
            if (partition.finishedEarlier().contains(record.offset(), record.nextOffset())) {
                partition.tracker().appendFinished(record.offset());
            } else {
                values[size] = record;
                tokens[size++] = partition
                        .tracker()
                        .append(record.offset(), partition.weights().of(record), record.timestamp());
            }
        }
        return size;
    }
}
