package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.ClusterView;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The known partitions and their leaders. Confined to the producer's thread. */
final class KnownPartitions implements ClusterView {

    private final Map<String, ProducerTopic> topics;
    private final Supplier<RetryBackoff> backoffs;
    private final Function<BrokerAddress, ProducerBroker> opener;
    private final Map<Integer, ProducerBroker> brokers = new HashMap<>();
    private final List<ProducerPartition> partitions = new ArrayList<>();

    /** @param opener creates the object for a newly found broker */
    KnownPartitions(
            Map<String, ProducerTopic> topics,
            Supplier<RetryBackoff> backoffs,
            Function<BrokerAddress, ProducerBroker> opener) {
        this.topics = topics;
        this.backoffs = backoffs;
        this.opener = opener;
    }

    /** All partitions of all topics, in the order in which they were found. */
    List<ProducerPartition> partitions() {
        return partitions;
    }

    Iterable<ProducerBroker> brokers() {
        return brokers.values();
    }

    @Nullable
    ProducerBroker leader(ProducerPartition partition) {
        return brokers.get(partition.leader.node());
    }

    /** Uses a leader hint from an error response (KIP-951), unless the leader's address is unknown. */
    void hint(ProducerPartition partition, LeaderIdAndEpoch named) {
        if (brokers.containsKey(named.leaderId())) {
            var unused = partition.leader.hint(named.leaderId(), named.leaderEpoch());
        }
    }

    @Override
    public void found(int node, BrokerAddress address) {
        brokers.put(node, opener.apply(address));
    }

    @Override
    public void moved(int node) {
        Objects.requireNonNull(brokers.get(node)).moved();
    }

    @Override
    public @Nullable TopicIdAgreement agreement(String name) {
        ProducerTopic topic = topics.get(name);
        return topic == null ? null : topic.agreement;
    }

    @Override
    public boolean refused(String name, Errors error) {
        ProducerTopic topic = Objects.requireNonNull(topics.get(name));
        boolean passes = error.exception() instanceof RetriableException;
        topic.absence(error.exception());
        topic.refusal(
                passes
                        ? null
                        : new LeanException(
                                "topic " + topic.name + " cannot be written: " + error.message(), error.exception()));
        return false;
    }

    @Override
    public boolean learn(MetadataResponseTopic answer, Verdict verdict) {
        ProducerTopic topic = Objects.requireNonNull(topics.get(answer.name()));
        topic.refusal(null);
        topic.absence(null);
        if (verdict != Verdict.PRESENT) {
            Stream.of(topic.partitions()).forEach(ProducerPartition::recreated);
        }
        int count = ClusterMetadata.countPartitions(answer);
        ProducerPartition[] all = topic.partitions();
        if (count > all.length) {
            int first = all.length;
            all = Arrays.copyOf(all, count);
            for (int number = first; number < count; number++) {
                all[number] = new ProducerPartition(topic, number, backoffs.get());
                partitions.add(all[number]);
            }
            topic.partitions(all);
        }
        boolean complete = true;
        for (MetadataResponsePartition each : answer.partitions()) {
            int number = each.partitionIndex();
            if (number < 0 || number >= all.length) {
                complete = false;
                continue;
            }
            ProducerPartition partition = all[number];
            partition.leader.learn(each.leaderId(), each.leaderEpoch());
            complete &= partition.hasLeader();
        }
        return complete;
    }
}
