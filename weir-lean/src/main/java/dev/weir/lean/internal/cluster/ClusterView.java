package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The client's view of the cluster, updated by {@link ClusterMetadata}. A response is passed on in two steps: first all
 * brokers, then the topics.
 */
public interface ClusterView {

    /** Adds a broker. The address object is updated when the broker's address changes. */
    void found(int node, BrokerAddress address);

    /** Called when a broker's address has changed. */
    void moved(int node);

    /** Returns the object that determines the topic's id; null if the client no longer uses the topic. */
    @Nullable
    TopicIdAgreement agreement(String topic);

    /**
     * Called when a topic used by the client does not exist, or when the client may not access it. Returns false if the
     * metadata must be requested again.
     */
    boolean refused(String topic, Errors error);

    /**
     * Processes a topic's partitions.
     *
     * @param verdict the meaning of the topic id in the response
     * @return false if the metadata must be requested again, because information about the topic is missing
     */
    boolean learn(MetadataResponseTopic topic, Verdict verdict);
}
