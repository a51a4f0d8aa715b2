package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.ForwardSink;
import dev.weir.kafka.internal.handler.HandlerPlan;
import dev.weir.kafka.internal.handler.RetryTiers;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A {@link KafkaFlow} with its handler. Immutable. */
public final class HandledFlow<K, V, R> extends HandledRecords<K, V, R, HandledFlow<K, V, R>> {

    private final KafkaFlow<K, V> flow;
    private final @Nullable RetryTopics retryTopics;

    HandledFlow(HandlerPlan<K, V, R> plan, KafkaFlow<K, V> flow, @Nullable RetryTopics retryTopics) {
        super(plan);
        this.flow = flow;
        this.retryTopics = retryTopics;
    }

    /**
     * Sets the retry topics, in which failed records wait before this flow handles them again. After the last retry
     * topic, a record goes to the dead-letter topic, so {@link #deadLetter} is required too. Retried records are no
     * longer in order.
     *
     * <p>All topics must exist when the pipeline starts. Each topic has its own consumer in the same group. The handler
     * receives a retried record as it was in its original topic, except for additional headers that begin with
     * {@link RetryTopics#PREFIX}.
     *
     * @throws IllegalArgumentException if the subscription reads a retry topic or selects individual partitions
     */
    public HandledFlow<K, V, R> retryTopics(RetryTopics topics) {
        Subscription subscription = flow.subscription();
        if (subscription.selection() instanceof Subscription.Partitions) {
            throw new IllegalArgumentException("retryTopics(...) does not go with a subscription that names partitions:"
                    + " the consumers of the retry topics join the group, and a group with members refuses commits from"
                    + " outside: partitions=" + subscription.selection() + "; subscribe to the topics");
        }
        for (RetryTopics.Tier tier : Objects.requireNonNull(topics, "topics").tiers()) {
            if (subscription.reads(tier.topic())) {
                throw new IllegalArgumentException("retry topic " + tier.topic() + " is read by the subscription too,"
                        + " which would not wait and would count no attempts: subscription="
                        + subscription.selection() + "; leave the topic out of the subscription");
            }
        }
        return new HandledFlow<>(plan, flow, topics);
    }

    @Override
    HandledFlow<K, V, R> copy(HandlerPlan<K, V, R> newPlan) {
        return new HandledFlow<>(newPlan, flow, retryTopics);
    }

    @Override
    Source<ConsumerRecord<byte[], byte[]>> records() {
        Source<ConsumerRecord<byte[], byte[]>> raw = KafkaSource.undecoded(flow.settings(), flow.subscription());
        if (retryTopics == null) {
            return raw;
        }
        RetryTiers tiers = new RetryTiers(retryTopics, requiredDeadLetterTopic());
        for (var tier : tiers.sources(flow.settings().raw(), flow.subscription().isBounded())) {
            raw = raw.merge(tier);
        }
        return raw;
    }

    @Override
    @Nullable
    Sink<FailedRecord> forward() {
        if (retryTopics == null) {
            return super.forward();
        }
        DeadLetterTopic last = requiredDeadLetterTopic();
        RetryTiers tiers = new RetryTiers(retryTopics, last);
        List<String> topics = new ArrayList<>(tiers.topics());
        topics.add(last.topic());
        return Sink.custom("retry", new ForwardSink(last.settings(), topics, tiers));
    }

    private DeadLetterTopic requiredDeadLetterTopic() {
        DeadLetterTopic topic = plan.deadLetterTopic();
        if (topic == null) {
            throw new IllegalStateException(
                    "retryTopics(...) needs deadLetter(...): where records go after the last one");
        }
        return topic;
    }

    @Override
    DeadLetterTopic deadLetterTopic(String topic) {
        return DeadLetterTopic.of(topic, flow.settings());
    }

    @Override
    void refuseLoop(DeadLetterTopic topic) {
        flow.subscription().refuseLoop(topic, flow.settings());
    }

    @Override
    String groupId() {
        return Objects.requireNonNullElse(flow.settings().groupId(), "");
    }
}
