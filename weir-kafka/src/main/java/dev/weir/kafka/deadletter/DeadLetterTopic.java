package dev.weir.kafka.deadletter;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.handler.DeadLetterWriter;
import dev.weir.kafka.internal.handler.ForwardSink;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A topic for records that could not be processed, with the settings for writing them. Immutable and safe to share.
 *
 * <p>A dead-letter record has the key, value and headers of the failed record, and additional headers for the failure
 * and the origin ({@link DeadLetterHeaders}). {@link DeadLetterRecord} reads them. The timestamp of a dead-letter
 * record is the time of the failure.
 */
public final class DeadLetterTopic {

    private final Values values;

    private DeadLetterTopic(
            String topic, ProducerSettings<byte[], byte[]> settings, String group, TooLarge whenTooLarge) {
        this.values = new Values(topic, settings, group, whenTooLarge);
    }

    /** The name of the dead-letter topic, which must exist. */
    public String topic() {
        return values.topic;
    }

    /** The settings of the producer. Each run has its own producer. */
    public ProducerSettings<byte[], byte[]> settings() {
        return values.settings;
    }

    /** The consumer group named in dead-letter records; empty if they name none. */
    public String group() {
        return values.group;
    }

    /** The action if a dead-letter record is too large for the topic; {@link TooLarge#CUT} by default. */
    public TooLarge whenTooLarge() {
        return values.whenTooLarge;
    }

    /** Actions for a dead-letter record that is too large for its topic. */
    public enum TooLarge {
        /**
         * Writes the record without its value or, if it is still too large, without any part of the original. The
         * original topic contains the value until it deletes the record. Such records are logged as a warning and
         * counted by {@link DeadLetterHandle#cut}.
         */
        CUT,
        /** Fails the run with an error that identifies the record. The record is not acknowledged. */
        FAIL
    }

    /** Describes an existing topic whose dead-letter records do not name a consumer group. */
    public static DeadLetterTopic of(String topic, ProducerSettings<byte[], byte[]> settings) {
        return of(topic, settings, "");
    }

    /** Describes an existing topic whose dead-letter records name the given group, or no group if it is empty. */
    public static DeadLetterTopic of(String topic, ProducerSettings<byte[], byte[]> settings, String group) {
        return new DeadLetterTopic(topic, settings, group, TooLarge.CUT);
    }

    /** Describes an existing topic, with the cluster, security settings and group of the given consumer settings. */
    public static DeadLetterTopic of(String topic, ConsumerSettings<?, ?> like) {
        return of(topic, like.producerSettings(), Objects.requireNonNullElse(like.groupId(), ""));
    }

    /** Returns a copy with a different action for dead-letter records that are too large. */
    public DeadLetterTopic whenTooLarge(TooLarge newWhenTooLarge) {
        return new DeadLetterTopic(values.topic, values.settings, values.group, newWhenTooLarge);
    }

    /**
     * Returns a sink that writes a dead-letter record for each failed record. It acknowledges the failed record when
     * the brokers have acknowledged the dead-letter record.
     *
     * <p>The sink never gives up on a record. If the brokers reject a dead-letter record, the sink writes it again
     * after increasing delays, with a warning each time, until the brokers accept it or the pipeline ends. A record too
     * large for the topic is written without its value, with a header that says so; with {@link TooLarge#FAIL}, it
     * fails the run.
     *
     * <p>If the topic does not exist, the run fails at its start with {@link KafkaPipelineException}.
     */
    public Sink<FailedRecord> sink() {
        return Sink.custom(
                "dead-letter", new ForwardSink(values.settings, List.of(values.topic), new DeadLetterWriter(this)));
    }

    /**
     * Emits decoded records, and sends records that cannot be decoded to this topic.
     *
     * {@snippet :
     * Source<ConsumerRecord<String, Order>> orders =
     *         deadLetters.divert(KafkaSource.from(settings, "orders").decoded());
     * }
     */
    public <K, V> Source<ConsumerRecord<K, V>> divert(Source<Decoded<K, V>> source) {
        return source.divertTo(
                        Sink.through(refused -> refused.map(each -> FailedRecord.of((Decoded.Refused<K, V>) each))
                                .to(sink())),
                        Decoded.Refused.class::isInstance)
                .map(decoded -> ((Decoded.Read<K, V>) decoded).record());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DeadLetterTopic that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "DeadLetters");
    }

    private record Values(
            String topic, ProducerSettings<byte[], byte[]> settings, String group, TooLarge whenTooLarge) {

        Values {
            if (topic.isBlank()) {
                throw new IllegalArgumentException("the dead-letter topic must have a name: topic=" + topic);
            }
            Objects.requireNonNull(settings, "settings");
            Objects.requireNonNull(group, "group");
            Objects.requireNonNull(whenTooLarge, "whenTooLarge");
        }
    }
}
