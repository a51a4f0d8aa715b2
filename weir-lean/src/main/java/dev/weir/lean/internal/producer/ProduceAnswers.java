package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Receives the responses of brokers. Called on the producer's thread. */
interface ProduceAnswers {

    /** Called when a broker has written a batch. The offset is -1 if the broker does not report it. */
    void written(ProducerPartition partition, ProducerBatch batch, long offset);

    /** Called when a broker has not written a batch, or when it is unknown whether the broker has written the batch. */
    void refused(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse answer);

    /** Called when the response for a batch will never arrive because its connection was lost. */
    void lost(ProducerPartition partition, ProducerBatch batch, String why);

    /** Called when a broker is unreachable, in which case its partitions may have new leaders. */
    void disconnected();
}
