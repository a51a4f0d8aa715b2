package dev.weir.lean.internal.producer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The partitions that may send to a broker in this turn, each its oldest batch. Where a request has not room for all of
 * them, those go first whose batches are the oldest: the order in which they are offered may favour the same ones each
 * time. Confined to the producer's thread.
 */
final class SendableBatches {

    private static final Comparator<ProducerPartition> OLDEST_FIRST =
            (one, other) -> Long.compare(head(one).begunNanos - head(other).begunNanos, 0);

    /** Side by side by topic, as requests want them. */
    private static final Comparator<ProducerPartition> BY_TOPIC = Comparator.<ProducerPartition>comparingInt(
                    each -> each.topic.ordinal)
            .thenComparingInt(each -> each.number);

    private final List<ProducerPartition> partitions = new ArrayList<>();
    private final int maxRequestBytes;

    SendableBatches(int maxRequestBytes) {
        this.maxRequestBytes = maxRequestBytes;
    }

    /** Adds a partition that has a batch waiting. */
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
     * Drops batches that do not fit into the next request; at least one of the others remains, whatever its size.
     *
     * @return what is left, in the order that requests want; valid until the next call
     */
    List<ProducerPartition> ofNextRequest() {
        if (fitting() < partitions.size()) {
            partitions.sort(OLDEST_FIRST);
            partitions.subList(Math.max(1, fitting()), partitions.size()).clear();
        }
        partitions.sort(BY_TOPIC);
        return partitions;
    }

    /** The number of them, from the first one on, that fit into a request. */
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
