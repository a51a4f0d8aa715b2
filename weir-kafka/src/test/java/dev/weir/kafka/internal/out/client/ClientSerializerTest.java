package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Test;

class ClientSerializerTest {

    private static void serialize(RuntimeException thrown) {
        Serializer<String> failing = (topic, data) -> {
            throw thrown;
        };
        byte[] ignored =
                new ClientSerializer<>(failing, false, new ClientThread()).serialize("out", new RecordHeaders(), "a");
    }

    // Regression: a transaction with such a record was aborted and repeated forever.
    @Test
    void exceptionThatLooksLikeTheClients_rejectsTheRecord() {
        for (RuntimeException thrown : new RuntimeException[] {
            new IllegalStateException("planted"), new KafkaException("planted"), new ConfigException("planted")
        }) {
            assertThatThrownBy(() -> serialize(thrown))
                    .isInstanceOf(SerializationException.class)
                    .hasMessageContaining("planted")
                    .hasCause(thrown);
        }
    }

    @Test
    void otherExceptions_areUnchanged() {
        for (RuntimeException thrown : new RuntimeException[] {
            new SerializationException("no number"),
            new TimeoutException("the registry does not answer"),
            new InterruptException("stop"),
            new IllegalArgumentException("no number")
        }) {
            assertThatThrownBy(() -> serialize(thrown)).isSameAs(thrown);
        }
        boolean ignored = Thread.interrupted();
    }
}
