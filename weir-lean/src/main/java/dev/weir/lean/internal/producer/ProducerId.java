package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.InitProducerIdResponseData;

/**
 * The producer id under which partitions number their batches. All partitions use the same id, which is requested when
 * the first partition needs an id. Partitions that run out of epochs get another id. Confined to the producer's thread.
 */
final class ProducerId {

    /** The id for partitions that have none. */
    private long id = ProducerPartition.UNKNOWN;

    private short epoch;
    private boolean wanted;

    /** Returns whether an id must be requested. */
    boolean isWanted() {
        return wanted;
    }

    void learn(InitProducerIdResponseData answer) {
        id = answer.producerId();
        epoch = answer.producerEpoch();
        wanted = false;
    }

    /**
     * Returns whether the partition has an id. Assigns the current id to a partition without one; if there is no
     * current id, requests one.
     */
    boolean identifies(ProducerPartition partition) {
        if (partition.producerId == ProducerPartition.UNKNOWN) {
            if (id == ProducerPartition.UNKNOWN) {
                wanted = true;
                return false;
            }
            partition.renumber(id, epoch);
        }
        return true;
    }

    /**
     * Restarts the partition's sequences under its next epoch. If the partition has run out of epochs, its sequences
     * restart under another id, which must be requested.
     */
    void renumber(ProducerPartition partition) {
        if (partition.epoch < Short.MAX_VALUE) {
            partition.renumber(partition.producerId, (short) (partition.epoch + 1));
            return;
        }
        if (id == partition.producerId) {
            id = ProducerPartition.UNKNOWN;
        }
        partition.renumber(ProducerPartition.UNKNOWN, (short) 0);
    }
}
