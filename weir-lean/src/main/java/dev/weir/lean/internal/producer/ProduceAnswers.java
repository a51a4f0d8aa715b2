package dev.weir.lean.internal.producer;

import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;

/** Receives the outcomes of produce requests. Called on the producer's thread. */
interface ProduceAnswers {

    /** Called when a broker has written a batch. The offset is -1 if the broker does not report it. */
    void written(ProducerPartition partition, ProducerBatch batch, long offset);

    /** Called when a broker has returned an error for a batch. After some errors, the batch may still be in the log. */
    void refused(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse answer);

    /** Called when the connection was lost before the response for a batch. */
    void lost(ProducerPartition partition, ProducerBatch batch, String why);

    /** Called when a broker has disconnected. Its partitions may have new leaders. */
    void disconnected();
}
