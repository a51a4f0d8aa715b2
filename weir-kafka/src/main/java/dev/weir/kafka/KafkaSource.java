package dev.weir.kafka;

import dev.weir.kafka.internal.consumer.ConsumerSource;
import dev.weir.stream.Source;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Sources of consumed records. */
public final class KafkaSource {

    private KafkaSource() {}

    /** {@link #committable(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<ConsumerRecord<K, V>> committable(ConsumerSettings<K, V> settings, String... topics) {
        return committable(settings, Subscription.topics(topics));
    }

    /**
     * At-least-once: a record's offset is committed after the pipeline has acknowledged it and every record before it in
     * its partition. Records of a partition come in order; partitions are interleaved batch by batch.
     *
     * <p>Each run has its own client and one thread that owns it. Back-pressure pauses the partitions that are behind.
     * When the group takes partitions away, their unfinished records are waited for ({@link
     * ConsumerSettings#revokeDeadline}), the finished ones committed, and those not yet pulled are dropped. Errors that
     * pass are retried for as long as they last.
     *
     * <p>Fails the run with {@link KafkaPipelineException} when the client reports what waiting does not cure, and with
     * {@link RecordDecodeException} when a deserializer refuses a record.
     */
    public static <K, V> Source<ConsumerRecord<K, V>> committable(
            ConsumerSettings<K, V> settings, Subscription subscription) {
        return Source.custom("consume", new ConsumerSource<>(settings, subscription));
    }

    /** {@link #decoded(ConsumerSettings, Subscription)} of all partitions of the topics. */
    public static <K, V> Source<Decoded<K, V>> decoded(ConsumerSettings<K, V> settings, String... topics) {
        return decoded(settings, Subscription.topics(topics));
    }

    /**
     * As {@link #committable(ConsumerSettings, Subscription)}, but a record that a deserializer refuses does not fail the
     * run: it is emitted as {@link Decoded.Refused}, with its bytes. Whoever takes it decides what it is worth; once it is
     * acknowledged it is committed like any other. {@link DeadLetters#divert} sends such records to a topic.
     */
    public static <K, V> Source<Decoded<K, V>> decoded(ConsumerSettings<K, V> settings, Subscription subscription) {
        return committable(settings.raw(), subscription)
                .map(new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer()))
                .named("decode");
    }
}
