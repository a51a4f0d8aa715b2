package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.internal.consumer.RetryBackoff;
import dev.weir.lean.internal.consumer.TopicIdAgreement.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** The known partitions and their leaders. Confined to the producer's thread. */
final class KnownPartitions {

    private final Map<String, ProducerTopic> topics;
    private final Supplier<RetryBackoff> backoffs;
    private final Function<BrokerAddress, ProducerBroker> opener;
    private final Map<Integer, ProducerBroker> brokers = new HashMap<>();
    private final List<ProducerPartition> partitions = new ArrayList<>();

    /** @param opener makes a broker that was not known */
    KnownPartitions(
            Map<String, ProducerTopic> topics,
            Supplier<RetryBackoff> backoffs,
            Function<BrokerAddress, ProducerBroker> opener) {
        this.topics = topics;
        this.backoffs = backoffs;
        this.opener = opener;
    }

    /**
     * The addresses to start from.
     *
     * @throws IllegalArgumentException if one is none
     */
    static List<BrokerAddress> bootstrap(String servers) {
        return Stream.of(servers.strip().split("\\s*,\\s*"))
                .map(server -> {
                    String host = Utils.getHost(server);
                    Integer port = Utils.getPort(server);
                    if (host == null || port == null) {
                        throw new IllegalArgumentException(
                                "bootstrap.servers must be host:port, with commas between several: bootstrap.servers="
                                        + servers);
                    }
                    return new BrokerAddress("bootstrap", host, port);
                })
                .toList();
    }

    /** All partitions of all topics, in the order in which they were found. */
    List<ProducerPartition> partitions() {
        return partitions;
    }

    Iterable<ProducerBroker> brokers() {
        return brokers.values();
    }

    /** Returns the leader of a partition, as far as it is known. */
    @Nullable
    ProducerBroker leader(ProducerPartition partition) {
        return brokers.get(partition.leader());
    }

    /**
     * Learns from metadata; returns whether every requested topic exists and has leaders.
     *
     * @param node the broker that answered, if that is known
     */
    boolean learn(MetadataResponseData answer, int node, LeaderRequests leaders, long nowNanos) {
        List<BrokerAddress> known = new ArrayList<>();
        answer.brokers().forEach(each -> {
            known.add(new BrokerAddress("broker " + each.nodeId(), each.host(), each.port()));
            ProducerBroker broker = brokers.get(each.nodeId());
            if (broker == null) {
                brokers.put(
                        each.nodeId(),
                        opener.apply(new BrokerAddress("broker " + each.nodeId(), each.host(), each.port())));
            } else {
                broker.address(each.host(), each.port());
            }
        });
        leaders.known(known);
        boolean complete = true;
        for (MetadataResponseTopic each : answer.topics()) {
            ProducerTopic topic = topics.get(each.name());
            if (topic == null) {
                continue;
            }
            boolean named = each.errorCode() == Errors.NONE.code();
            Verdict verdict = named
                    ? topic.agreement.hear(
                            each.topicId(), node, answer.brokers().size(), nowNanos)
                    : Verdict.PRESENT;
            if (verdict == Verdict.CONTRADICTED) {
                leaders.askAnother();
            }
            complete &= verdict.isBelieved() && learn(topic, each, verdict != Verdict.PRESENT);
        }
        return complete;
    }

    /** @param another whether the id is another one than before: epochs start again with a recreated topic */
    private boolean learn(ProducerTopic topic, MetadataResponseTopic each, boolean another) {
        Errors error = Errors.forCode(each.errorCode());
        if (error != Errors.NONE) {
            boolean passes = error.exception() instanceof RetriableException;
            topic.absence(error.exception());
            topic.refusal(
                    passes
                            ? null
                            : new LeanException(
                                    "topic " + topic.name + " cannot be written: " + error.message(),
                                    error.exception()));
            return false;
        }
        topic.refusal(null);
        topic.absence(null);
        if (another) {
            Stream.of(topic.partitions()).forEach(ProducerPartition::recreated);
        }
        int count = each.partitions().stream()
                .mapToInt(MetadataResponsePartition::partitionIndex)
                .max()
                .orElse(-1);
        ProducerPartition[] all = topic.partitions();
        if (count >= all.length) {
            int first = all.length;
            all = Arrays.copyOf(all, count + 1);
            for (int number = first; number <= count; number++) {
                all[number] = new ProducerPartition(topic, number, backoffs.get());
                partitions.add(all[number]);
            }
            topic.partitions(all);
        }
        boolean complete = true;
        for (MetadataResponsePartition one : each.partitions()) {
            ProducerPartition partition = all[one.partitionIndex()];
            // A broker that has not heard of the last election names the leader before.
            if (another || one.leaderEpoch() >= partition.leaderEpoch) {
                partition.leaderEpoch = one.leaderEpoch();
                partition.leader(one.leaderId());
            }
            complete &= partition.hasLeader();
        }
        return complete;
    }
}
