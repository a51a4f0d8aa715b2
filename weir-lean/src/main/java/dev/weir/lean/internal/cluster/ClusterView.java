package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The client's use of the metadata. Called by {@link ClusterMetadata#answered}, for all brokers before any topic. */
public interface ClusterView {

    /** Adds a broker. Its address changes when the broker moves. */
    void found(int node, BrokerAddress address);

    /** Reports that a broker has another address now. */
    void moved(int node);

    /** Returns the topic id's owner; null if the topic is no longer used. */
    @Nullable
    TopicIdAgreement agreement(String topic);

    /** Learns that a topic in use is refused or missing. Returns whether the answer is complete nevertheless. */
    boolean refused(String topic, Errors error);

    /**
     * Learns a topic's partitions.
     *
     * @param verdict tells whether the topic id is new
     * @return whether the answer is complete
     */
    boolean learn(MetadataResponseTopic topic, Verdict verdict);
}
