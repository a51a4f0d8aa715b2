package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A gate that commits nothing and notes its calls. Confined to one thread. */
final class RecordedGate implements CommitGate {

    final List<String> calls = new ArrayList<>();
    final List<Batch<Fetched>> batches = new ArrayList<>();
    private final int batchSize;
    boolean waits;

    RecordedGate(int batchSize) {
        this.batchSize = batchSize;
    }

    @Override
    public int batchSize() {
        return batchSize;
    }

    @Override
    public void add(AssignedPartition partition, Batch<Fetched> batch, long nextOffset) {
        calls.add("add " + partition + " " + batch.size() + " to " + nextOffset);
        batches.add(batch);
    }

    @Override
    public void place(AssignedPartition partition, long offset) {
        calls.add("place " + partition + "@" + offset);
    }

    @Override
    public void readTo(AssignedPartition partition, long offset) {
        calls.add("read " + partition + " to " + offset);
    }

    @Override
    public void drop(Collection<AssignedPartition> partitions) {
        calls.add("drop " + partitions);
    }

    @Override
    public boolean isWaiting() {
        return waits;
    }
}
