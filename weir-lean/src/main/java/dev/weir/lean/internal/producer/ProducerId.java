package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.InitProducerIdResponseData;

/**
 * The id under which partitions number their batches. It is one for all of them, asked for when the first one needs it,
 * and another one for those whose epochs have run out. Confined to the producer's thread.
 */
final class ProducerId {

    /** For partitions that have none yet. */
    private long id = ProducerPartition.UNKNOWN;

    private short epoch;
    private boolean wanted;

    /** Returns whether it is to be asked for. */
    boolean isWanted() {
        return wanted;
    }

    void learn(InitProducerIdResponseData answer) {
        id = answer.producerId();
        epoch = answer.producerEpoch();
        wanted = false;
    }

    /** Returns whether the partition has one, or gets it now; if not, it is asked for. */
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

    /** Sequences of the partition begin anew: under its next epoch, or under another id that it has yet to get. */
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
