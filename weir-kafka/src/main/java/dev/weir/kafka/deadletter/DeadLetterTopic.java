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
 * <p>A dead-letter record has the key, value and headers of the failed record, byte for byte, and additional headers
 * for the failure and the origin. {@link DeadLetterHeaders} contains their names, and {@link DeadLetterRecord} reads
 * them. The timestamp of a dead-letter record is the time of the failure.
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

    /** The consumer group to be named in dead-letter records, or an empty string. */
    public String group() {
        return values.group;
    }

    /**
     * The treatment of dead-letter records that are rejected because they are too large for the topic; the default is
     * {@link TooLarge#CUT}.
     */
    public TooLarge whenTooLarge() {
        return values.whenTooLarge;
    }

    /** The treatment of a dead-letter record that is too large for its topic. */
    public enum TooLarge {
        /**
         * Writes the record without its value, or without any part of the original. The value is lost when the original
         * topic deletes the record. Logged as a warning and counted ({@link DeadLetterHandle#cut}).
         */
        CUT,
        /** Fails the run with an error that identifies the record, which remains unfinished. */
        FAIL
    }

    /** Creates a dead-letter topic whose records do not name a consumer group. */
    public static DeadLetterTopic of(String topic, ProducerSettings<byte[], byte[]> settings) {
        return of(topic, settings, "");
    }

    /** Creates a dead-letter topic whose records name a consumer group; an empty string means no group. */
    public static DeadLetterTopic of(String topic, ProducerSettings<byte[], byte[]> settings, String group) {
        return new DeadLetterTopic(topic, settings, group, TooLarge.CUT);
    }

    /** Creates a dead-letter topic with the cluster, the security settings and the group of a consumer. */
    public static DeadLetterTopic of(String topic, ConsumerSettings<?, ?> like) {
        return of(topic, like.producerSettings(), Objects.requireNonNullElse(like.groupId(), ""));
    }

    /** Returns a copy with a different treatment of dead-letter records that are too large. */
    public DeadLetterTopic whenTooLarge(TooLarge newWhenTooLarge) {
        return new DeadLetterTopic(values.topic, values.settings, values.group, newWhenTooLarge);
    }

    /**
     * Returns a sink that writes a dead-letter record for each failed record, and acknowledges the failed record when
     * the brokers have acknowledged the dead-letter record.
     *
     * <p>The sink never gives up on a record. If the brokers reject a dead-letter record, it is written again after
     * increasing delays, with a warning each time, until the brokers accept it or the pipeline ends. The only exception
     * is a dead-letter record that is too large for the topic: it is written without its value, with a header that says
     * so, or {@linkplain TooLarge#FAIL fails} the run.
     *
     * <p>If the topic does not exist, the run fails at its start with {@link KafkaPipelineException}.
     */
    public Sink<FailedRecord> sink() {
        return Sink.custom(
                "dead-letter", new ForwardSink(values.settings, List.of(values.topic), new DeadLetterWriter(this)));
    }

    /**
     * Sends the records that could not be decoded to this topic and emits the others.
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
