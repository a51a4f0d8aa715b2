package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Receives the answers of brokers. Called on the producer's thread. */
interface ProduceAnswers {

    /** Reports that a broker wrote a batch; the offset is -1 if the broker does not report it. */
    void written(ProducerPartition partition, ProducerBatch batch, long offset);

    /** Reports that a broker did not write a batch, or does not say whether it did. */
    void refused(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse answer);

    /** Reports that the outcome of a batch will never be known. */
    void lost(ProducerPartition partition, ProducerBatch batch, String why);

    /** Reports that a broker is not reachable, so another one may lead now. */
    void disconnected();
}
