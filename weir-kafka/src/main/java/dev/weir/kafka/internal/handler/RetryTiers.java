package dev.weir.kafka.internal.handler;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.in.owner.ConsumerSource;
import dev.weir.kafka.produce.RecordTimestamps;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Thrown;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * The retry topics of a flow, and the sources that read them. Immutable.
 *
 * <p>As a {@link FailureRoute}, it sends a failed record to the next retry topic. The record goes to the dead-letter
 * topic if no retry topic is left, if it must not be retried, or if it is too large for the retry topic.
 */
public final class RetryTiers implements FailureRoute {

    /** Maximum number of outstanding records per partition of a retry topic, including records that are not due yet. */
    private static final int MAX_OUTSTANDING = 256;

    private static final long BUFFER_BYTES = 8L * 1024 * 1024;

    private final List<RetryTopics.Tier> tiers;
    private final DeadLetterWriter deadLetters;

    public RetryTiers(RetryTopics topics, DeadLetterTopic last) {
        this.tiers = topics.tiers();
        this.deadLetters = new DeadLetterWriter(last);
    }

    @Override
    public ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge) {
        int tier = RetriedRecord.tiersOf(failed.raw());
        if (!failed.retriable() || tier >= tiers.size()) {
            return deadLetters.propose(failed, tooLarge);
        }
        return tooLarge == 0 ? toTier(failed, tier) : deadLetters.propose(failed, tooLarge - 1);
    }

    private ProducerRecord<byte[], byte[]> toTier(FailedRecord failed, int tier) {
        RetryTopics.Tier to = tiers.get(tier);
        ConsumerRecord<byte[], byte[]> raw = failed.raw();
        RecordOrigin origin = RecordOrigin.of(raw);
        long now = Clock.systemUTC().millis();
        List<Header> headers = RecordOrigin.originalHeaders(raw);
        DeadLetterWriter.add(headers, RetryTopics.TOPIC, origin.topic());
        DeadLetterWriter.add(headers, RetryTopics.PARTITION, Integer.toString(origin.partition()));
        DeadLetterWriter.add(headers, RetryTopics.OFFSET, Long.toString(origin.offset()));
        if (RecordTimestamps.orNone(origin.timestamp()) != null) {
            DeadLetterWriter.add(headers, RetryTopics.TIMESTAMP, Long.toString(origin.timestamp()));
        }
        DeadLetterWriter.add(headers, RetryTopics.ATTEMPTS, Integer.toString(origin.attempts() + failed.attempts()));
        DeadLetterWriter.add(headers, RetryTopics.TIER, Integer.toString(tier + 1));
        DeadLetterWriter.add(
                headers, RetryTopics.DUE, Long.toString(now + to.delay().toMillis()));
        DeadLetterWriter.add(
                headers,
                RetryTopics.CAUSE,
                DeadLetterWriter.cut(Thrown.text(failed.cause()), DeadLetterWriter.MAX_MESSAGE));
        return new ProducerRecord<>(to.topic(), null, now, raw.key(), raw.value(), headers);
    }

    /** Creates a source for each retry topic. Each source emits records when they are due, in their original form. */
    public List<Source<ConsumerRecord<byte[], byte[]>>> sources(
            ConsumerSettings<byte[], byte[]> settings, boolean untilEnd) {
        List<Source<ConsumerRecord<byte[], byte[]>>> sources = new ArrayList<>();
        for (int i = 0; i < tiers.size(); i++) {
            RetryTopics.Tier tier = tiers.get(i);
            int number = i + 1;
            Subscription topic = Subscription.topics(tier.topic());
            sources.add(Source.custom(
                            tier.topic(),
                            ConsumerSource.committableWhenDue(
                                    forTier(settings, tier),
                                    untilEnd ? topic.untilEnd() : topic,
                                    RecordOrigin::dueMillis))
                    .map(record -> RetriedRecord.of(record, number))
                    .named("due"));
        }
        return sources;
    }

    private static ConsumerSettings<byte[], byte[]> forTier(
            ConsumerSettings<byte[], byte[]> like, RetryTopics.Tier tier) {
        ConsumerSettings.Builder<byte[], byte[]> settings = like.toBuilder()
                .maxOutstandingRecords(Math.min(MAX_OUTSTANDING, like.maxOutstandingRecords()))
                .bufferBytes(Math.min(BUFFER_BYTES, like.bufferBytes()))
                .property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(MAX_OUTSTANDING));
        // These ids must be unique, so append the name of the retry topic.
        for (String name : List.of(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, ConsumerConfig.CLIENT_ID_CONFIG)) {
            String id = like.properties().get(name);
            if (id != null) {
                settings.property(name, id + "-" + tier.topic());
            }
        }
        return settings.build();
    }

    /** Returns the retry topics, which must exist. */
    public List<String> topics() {
        return tiers.stream().map(RetryTopics.Tier::topic).toList();
    }
}
