package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ProducerSettings;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class RunProducersTest {

    @Test
    void close_whoseKeySerializerThrows_closesTheValueSerializer() {
        AtomicBoolean closed = new AtomicBoolean();
        StringSerializer keys = new StringSerializer() {
            @Override
            public void close() {
                throw new IllegalStateException("planted");
            }
        };
        StringSerializer values = new StringSerializer() {
            @Override
            public void close() {
                closed.set(true);
            }
        };
        RunProducers<String, String> producers = new RunProducers<>(
                ProducerSettings.builder(keys, values).bootstrapServers("h:1").build());

        assertThatThrownBy(producers::close).hasMessage("planted");

        assertThat(closed).isTrue();
    }
}
