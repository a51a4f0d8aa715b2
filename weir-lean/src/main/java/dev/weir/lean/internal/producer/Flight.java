package dev.weir.lean.internal.producer;

import java.util.ArrayList;
import java.util.List;

/** The batches of one request, each with its partition. Confined to one thread, used again. */
final class Flight {

    private final List<Partition> partitions = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();

    void add(Partition partition, Batch batch) {
        partitions.add(partition);
        batches.add(batch);
    }

    int size() {
        return batches.size();
    }

    Partition partition(int at) {
        return partitions.get(at);
    }

    Batch batch(int at) {
        return batches.get(at);
    }

    /** Where a partition is, looking from {@code from} on and then before it; -1 if nowhere. */
    int find(String topic, int number, int from) {
        for (int i = 0; i < size(); i++) {
            int at = (from + i) % size();
            if (partitions.get(at).number == number
                    && partitions.get(at).topic.name.equals(topic)) {
                return at;
            }
        }
        return -1;
    }

    void clear() {
        partitions.clear();
        batches.clear();
    }
}
