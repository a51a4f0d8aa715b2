package dev.weir.kafka;

import dev.weir.kafka.internal.handler.DeadLetterWriter;
import dev.weir.kafka.internal.handler.ForwardSink;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A topic for records that could not be dealt with, and how it is written. Immutable and free to share.
 *
 * <p>A dead letter has key, value and headers of its record, byte for byte, and headers that name the failure and where
 * it came from; see {@link DeadLetter} for their names and for reading them. Its timestamp is the time of its death.
 */
public final class DeadLetters {

    private final Values values;

    private DeadLetters(String topic, ProducerSettings<byte[], byte[]> settings, String group, TooLarge whenTooLarge) {
        this.values = new Values(topic, settings, group, whenTooLarge);
    }

    /** The topic of the letters; it must exist. */
    public String topic() {
        return values.topic;
    }

    /** The settings of its producer; each run has its own. */
    public ProducerSettings<byte[], byte[]> settings() {
        return values.settings;
    }

    /** The consumer group that letters name, or an empty string. */
    public String group() {
        return values.group;
    }

    /** The answer when a topic refuses a letter because of its size; {@link TooLarge#CUT} unless told otherwise. */
    public TooLarge whenTooLarge() {
        return values.whenTooLarge;
    }

    /** The answer to a letter that is too large for its topic. */
    public enum TooLarge {
        /**
         * It is written without its value, or without anything of the record: the value is lost when the topic that it
         * came from deletes it. Warned of and counted ({@link DeadLetterHandle#cut}).
         */
        CUT,
        /** The run fails and names the record, which stays unfinished. */
        FAIL
    }

    /** Letters to {@code topic}. */
    public static DeadLetters to(String topic, ProducerSettings<byte[], byte[]> settings) {
        return to(topic, settings, "");
    }

    /** Letters to {@code topic} that name a consumer group; an empty string is none. */
    public static DeadLetters to(String topic, ProducerSettings<byte[], byte[]> settings, String group) {
        return new DeadLetters(topic, settings, group, TooLarge.CUT);
    }

    /** Letters to {@code topic}, on the cluster and with the security settings of a consumer, and with its group. */
    public static DeadLetters to(String topic, ConsumerSettings<?, ?> like) {
        return to(topic, like.producerSettings(), Objects.requireNonNullElse(like.groupId(), ""));
    }

    /** These dead letters with another answer to letters that are too large. */
    public DeadLetters whenTooLarge(TooLarge newWhenTooLarge) {
        return new DeadLetters(values.topic, values.settings, values.group, newWhenTooLarge);
    }

    /**
     * Writes a letter for each failed record and acknowledges the record when the brokers have the letter.
     *
     * <p>Never gives a record up: a refused letter is written again, with a growing wait and a warning each time, until
     * the brokers take it or the pipeline ends. Only a letter that is too large for the topic is written without its
     * value, and says so in a header, or {@linkplain TooLarge#FAIL fails} the run.
     *
     * <p>Fails the run at its start with {@link KafkaPipelineException} if the topic does not exist.
     */
    public Sink<FailedRecord> sink() {
        return Sink.custom(
                "dead-letter", new ForwardSink(values.settings, List.of(values.topic), new DeadLetterWriter(this)));
    }

    /**
     * Sends the records that could not be decoded to this topic, and the others on.
     *
     * {@snippet :
     * Source<ConsumerRecord<String, Order>> orders = letters.divert(KafkaSource.decoded(settings, "orders"));
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
        return other instanceof DeadLetters that && values.equals(that.values);
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
