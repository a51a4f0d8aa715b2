package dev.weir.lean.internal.producer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Partitions that can send to a broker in this iteration, each with its oldest waiting batch. If the request is too
 * small for all of them, it takes the oldest batches. Confined to the producer's thread.
 */
final class SendableBatches {

    private static final Comparator<ProducerPartition> OLDEST_FIRST =
            (one, other) -> Long.compare(head(one).begunNanos - head(other).begunNanos, 0);

    /** Keeps the partitions of a topic together, as produce requests require. */
    private static final Comparator<ProducerPartition> BY_TOPIC = Comparator.<ProducerPartition>comparingInt(
                    each -> each.topic.ordinal)
            .thenComparingInt(each -> each.number);

    private final List<ProducerPartition> partitions = new ArrayList<>();
    private final int maxRequestBytes;

    SendableBatches(int maxRequestBytes) {
        this.maxRequestBytes = maxRequestBytes;
    }

    void add(ProducerPartition partition) {
        partitions.add(partition);
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    void clear() {
        partitions.clear();
    }

    /**
     * Drops the partitions whose batches do not fit into the next request, but keeps at least one.
     *
     * @return the remaining partitions, in the order of the request; valid until the next call
     */
    List<ProducerPartition> ofNextRequest() {
        if (fitting() < partitions.size()) {
            partitions.sort(OLDEST_FIRST);
            partitions.subList(Math.max(1, fitting()), partitions.size()).clear();
        }
        partitions.sort(BY_TOPIC);
        return partitions;
    }

    /** Number of batches, counted from the first, that fit into a request. */
    private int fitting() {
        long bytes = 0;
        for (int i = 0; i < partitions.size(); i++) {
            ProducerPartition partition = partitions.get(i);
            bytes += head(partition).writer.sizeBytes()
                    + partition.topic.nameBytes.length
                    + ProduceRequest.PARTITION_BYTES;
            if (bytes > maxRequestBytes) {
                return i;
            }
        }
        return partitions.size();
    }

    private static ProducerBatch head(ProducerPartition partition) {
        return partition.waiting.element();
    }
}
