package dev.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/** Checks that dead-letter records written by Spring Kafka itself are read correctly. */
class SpringDeadLetterTest {

    private static final long TIMESTAMP = 1_700_000_000_000L;

    private static ConsumerRecord<byte[], byte[]> deadLetterOf(ConsumerRecord<byte[], byte[]> record) {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        ProducerFactory<byte[], byte[]> factory = new ProducerFactory<>() {
            @Override
            public Map<String, Object> getConfigurationProperties() {
                return Map.of();
            }

            @Override
            public Producer<byte[], byte[]> createProducer() {
                return producer;
            }
        };
        new DeadLetterPublishingRecoverer(new KafkaTemplate<>(factory))
                .accept(
                        record,
                        null,
                        new ListenerExecutionFailedException(
                                "listener failed", "billing", new IllegalStateException("no price")));
        ProducerRecord<byte[], byte[]> sent = producer.history().getLast();
        return new ConsumerRecord<>(
                sent.topic(),
                0,
                1,
                TIMESTAMP + 9,
                TimestampType.CREATE_TIME,
                0,
                0,
                sent.key(),
                sent.value(),
                sent.headers(),
                Optional.empty());
    }

    @Test
    void letterOfTheRecoverer_isReadAndRestored() {
        RecordHeaders own = new RecordHeaders();
        own.add("own", "1".getBytes(UTF_8));
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                "orders",
                3,
                5_000_000_000L,
                TIMESTAMP,
                TimestampType.CREATE_TIME,
                1,
                1,
                "k".getBytes(UTF_8),
                "v".getBytes(UTF_8),
                own,
                Optional.empty());
        DeadLetterRecord deadLetter = DeadLetterRecord.read(deadLetterOf(record));
        assertThat(deadLetter.format()).isEqualTo(DeadLetterFormat.SPRING);
        assertThat(deadLetter.origin()).isEqualTo("orders-3@5000000000");
        assertThat(deadLetter.text(Field.GROUP)).isEqualTo("billing");
        assertThat(deadLetter.text(Field.CAUSE)).isEqualTo("java.lang.IllegalStateException");
        assertThat(deadLetter.text(Field.MESSAGE)).contains("listener failed");

        ProducerRecord<byte[], byte[]> restored = deadLetter.restored();
        assertThat(restored.topic()).isEqualTo("orders");
        assertThat(restored.partition()).isEqualTo(3);
        assertThat(restored.timestamp()).isEqualTo(TIMESTAMP);
        assertThat(restored.key()).isEqualTo(record.key());
        assertThat(restored.value()).isEqualTo(record.value());
        assertThat(restored.headers().toArray()).containsExactly(own.toArray());

        // The record is sent back and fails again.
        ConsumerRecord<byte[], byte[]> again =
                deadLetterOf(new ConsumerRecord<>("orders", 3, 6_000_000_000L, restored.key(), restored.value()));
        assertThat(DeadLetterRecord.read(again).offset()).isEqualTo(6_000_000_000L);
    }
}
