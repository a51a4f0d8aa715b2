package dev.weir.lean.internal.producer;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The batches of one request, each with its partition. Confined to one thread; reusable. */
final class RequestFlight {

    private final List<ProducerPartition> partitions = new ArrayList<>();
    private final List<ProducerBatch> batches = new ArrayList<>();
    private final BitSet answered = new BitSet();

    long sentNanos;

    void add(ProducerPartition partition, ProducerBatch batch) {
        partitions.add(partition);
        batches.add(batch);
    }

    int size() {
        return batches.size();
    }

    ProducerPartition partition(int at) {
        return partitions.get(at);
    }

    ProducerBatch batch(int at) {
        return batches.get(at);
    }

    /** Returns the index of a partition; -1 if there is none. Searches from {@code from} on and wraps around. */
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

    /** Marks a batch as answered. Returns false if the batch was already answered. */
    boolean answer(int at) {
        boolean first = !answered.get(at);
        answered.set(at);
        return first;
    }

    void clear() {
        answered.clear();
        partitions.clear();
        batches.clear();
    }
}
