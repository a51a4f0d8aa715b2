package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The part of a client that uses the metadata. Called by {@link ClusterMetadata#answered}, first for all brokers and
 * then for the topics.
 */
public interface ClusterView {

    /** Adds a broker. The address object is updated when the broker moves. */
    void found(int node, BrokerAddress address);

    /** Called when a broker's address has changed. */
    void moved(int node);

    /** Returns the object that tracks the topic's id; null if the client no longer uses the topic. */
    @Nullable
    TopicIdAgreement agreement(String topic);

    /**
     * Called when a topic in use is missing or access to the topic is refused. Returns whether the response
     * nevertheless counts as complete.
     */
    boolean refused(String topic, Errors error);

    /**
     * Processes a topic's partitions.
     *
     * @param verdict states whether the topic id is new
     * @return whether the response is complete
     */
    boolean learn(MetadataResponseTopic topic, Verdict verdict);
}
