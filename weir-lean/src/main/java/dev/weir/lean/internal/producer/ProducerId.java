package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.InitProducerIdResponseData;

/**
 * The producer id for the batches of all partitions. It is requested when the first partition needs an id. A partition
 * that has reached its last epoch gets a new id. Confined to the producer's thread.
 */
final class ProducerId {

    /** The id for partitions that do not have an id yet. */
    private long id = ProducerPartition.UNKNOWN;

    private short epoch;
    private boolean wanted;

    /** Returns whether a producer id must be requested. */
    boolean isWanted() {
        return wanted;
    }

    void learn(InitProducerIdResponseData answer) {
        id = answer.producerId();
        epoch = answer.producerEpoch();
        wanted = false;
    }

    /**
     * Ensures that the partition has a producer id, if possible. If it has none, assigns the current id. Returns false
     * if there is no current id, in which case one will be requested.
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
     * Restarts the partition's sequences under its next epoch. If the partition has reached its last epoch, removes its
     * producer id. The sequences are then restarted under another id.
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
