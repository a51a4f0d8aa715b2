package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The client's view of the cluster. {@link ClusterMetadata} reports a response's brokers, then its topics. */
public interface ClusterView {

    /** Adds a broker. The address object is updated when the broker's address changes. */
    void found(int node, BrokerAddress address);

    /** Called when a broker's address has changed. */
    void moved(int node);

    /** Returns the object that determines the topic's id; null if the client no longer uses the topic. */
    @Nullable
    TopicIdAgreement agreement(String topic);

    /** Called if a topic does not exist or may not be accessed. Returns false to request metadata again. */
    boolean refused(String topic, Errors error);

    /**
     * Processes a topic's partitions.
     *
     * @param verdict the meaning of the topic id in the response
     * @return false to request metadata again, because information about the topic is missing
     */
    boolean learn(MetadataResponseTopic topic, Verdict verdict);
}
