package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.InitProducerIdResponseData;

/**
 * The producer id of all partitions, requested when the first partition needs one. A partition at its last epoch gets a
 * new id. Confined to the producer's thread.
 */
final class ProducerId {

    /** The id for partitions without one. */
    private long id = ProducerPartition.UNKNOWN;

    private short epoch;
    private boolean wanted;

    boolean isWanted() {
        return wanted;
    }

    void learn(InitProducerIdResponseData answer) {
        id = answer.producerId();
        epoch = answer.producerEpoch();
        wanted = false;
    }

    /** Gives the current id to a partition without one. If there is none, requests it and returns false. */
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

    /** Restarts the partition's sequences under its next epoch, or under a new producer id after the last epoch. */
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
