package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Takes what brokers answer. Called on the producer's thread. */
interface ProduceAnswers {

    /** A broker wrote a batch; the offset is -1 if it does not say. */
    void written(ProducerPartition partition, ProducerBatch batch, long offset);

    /** A broker did not write a batch, or does not say whether it did. */
    void refused(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse answer);

    /** Nobody will say what became of a batch. */
    void lost(ProducerPartition partition, ProducerBatch batch, String why);

    /** A broker is not to be had: perhaps another one leads now. */
    void disconnected();
}
