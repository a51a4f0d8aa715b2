package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.handler.HandlerOutcome;
import dev.weir.kafka.internal.handler.HandlerPlan;
import dev.weir.kafka.internal.share.member.ReturnedRecords;
import dev.weir.kafka.internal.share.member.ShareSource;
import dev.weir.stream.Source;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A {@link SharedFlow} with its handler. A record whose handler still fails after all retries is released, and the
 * group delivers it again. A record that fails in its last delivery goes to the dead-letter topic, if there is one.
 * Immutable.
 */
public final class HandledSharedFlow<K, V, R> extends HandledRecords<K, V, R, HandledSharedFlow<K, V, R>> {

    private final ShareSettings<K, V> settings;
    private final List<String> topics;

    private HandledSharedFlow(HandlerPlan<K, V, R> plan, ShareSettings<K, V> settings, List<String> topics) {
        super(plan);
        this.settings = settings;
        this.topics = topics;
    }

    /** Creates a flow with the dead-letter topic of the settings, if they have one. */
    static <K, V, R> HandledSharedFlow<K, V, R> of(
            HandlerPlan<K, V, R> plan, ShareSettings<K, V> settings, List<String> topics) {
        DeadLetterTopic topic = settings.deadLetterTopic();
        return new HandledSharedFlow<>(topic == null ? plan : plan.with(topic), settings, topics);
    }

    /**
     * Rejects records whose handler throws this type. The group never delivers these records again. The group's
     * configuration determines whether the brokers write dead-letter records for them. The first matching rule applies;
     * see {@link #on}.
     *
     * @throws IllegalArgumentException if the rule can have no effect
     */
    public HandledSharedFlow<K, V, R> reject(Class<? extends Throwable> type) {
        return copy(plan.with(plan.rules().withReject(type)));
    }

    @Override
    HandledSharedFlow<K, V, R> copy(HandlerPlan<K, V, R> newPlan) {
        return new HandledSharedFlow<>(newPlan, settings, topics);
    }

    @Override
    Source<ConsumerRecord<byte[], byte[]>> records() {
        DeadLetterTopic topic = plan.deadLetterTopic();
        ShareSettings<K, V> member = topic == null || settings.deadLetterTopic() != null
                ? settings
                : settings.toBuilder().deadLetterTopic(topic).build();
        return KafkaSource.acquired(member, topics).map(record -> record);
    }

    @Override
    Source<HandlerOutcome<R>> outcomes() {
        return super.outcomes().<HandlerOutcome<R>>map(ReturnedRecords::again).named("again");
    }

    @Override
    DeadLetterTopic deadLetterTopic(String topic) {
        return DeadLetterTopic.of(topic, settings.producerSettings(), settings.groupId());
    }

    @Override
    void refuseLoop(DeadLetterTopic topic) {
        ShareSource.refuseLoop(topic, settings, topics);
    }

    @Override
    String groupId() {
        return "";
    }
}
