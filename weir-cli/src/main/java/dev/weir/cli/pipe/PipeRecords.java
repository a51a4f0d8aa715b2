package dev.weir.cli.pipe;

import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.kafka.produce.RecordTimestamps;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes output records with the same key, headers and timestamp. Thread-safe. */
final class PipeRecords {

    private final String to;
    private final @Nullable String deadLetterTopic;

    PipeRecords(String to, @Nullable String deadLetterTopic) {
        this.to = to;
        this.deadLetterTopic = deadLetterTopic;
    }

    /** Returns the name of a record for messages. */
    static String name(ConsumerRecord<?, ?> record) {
        return "record " + record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    ProducerRecord<byte[], byte[]> passOn(ConsumerRecord<byte[], byte[]> source) {
        return passOn(source, source.value());
    }

    ProducerRecord<byte[], byte[]> passOn(ConsumerRecord<byte[], byte[]> source, byte[] value) {
        return like(source, to, value);
    }

    /** Returns the record with headers that describe the failure and the origin. */
    ProducerRecord<byte[], byte[]> deadLetter(ConsumerRecord<byte[], byte[]> source, String reason, String message) {
        return AsimovRecords.deadLetter(source, reason, message, Objects.requireNonNull(deadLetterTopic));
    }

    private static ProducerRecord<byte[], byte[]> like(
            ConsumerRecord<byte[], byte[]> source, String topic, byte[] value) {
        return new ProducerRecord<>(topic, null, RecordTimestamps.of(source), source.key(), value, source.headers());
    }
}
