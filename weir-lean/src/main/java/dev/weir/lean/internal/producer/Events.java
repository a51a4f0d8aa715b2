package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Takes what brokers answer. Called on the producer's thread. */
interface Events {

    /** A broker wrote a batch; the offset is -1 if it does not say. */
    void written(Partition partition, Batch batch, long offset);

    /** A broker did not write a batch, or does not say whether it did. */
    void refused(Partition partition, Batch batch, PartitionProduceResponse answer);

    /** Nobody will say what became of a batch. */
    void lost(Partition partition, Batch batch, String why);

    /** A broker is not to be had: perhaps another one leads now. */
    void disconnected();
}
