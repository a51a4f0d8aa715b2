package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.produce.WriteFailures;
import org.junit.jupiter.api.Test;

class KafkaSinkTest {

    private final KafkaSink<byte[], byte[]> limited = KafkaSink.with(ProducerSettings.builder()
                    .bootstrapServers("localhost:9092")
                    .produce(ProducePath.LEAN)
                    .build())
            .maxInFlight(50);

    /** Regression: the setting was accepted but had no effect. */
    @Test
    void maxInFlight_whereItCannotApply_isRefused() {
        assertThatThrownBy(limited::encoded)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("encoded() counts no records in flight, buffer.memory limits them: remove maxInFlight(50)");
        assertThatThrownBy(() -> limited.transactional("id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("transactional(...) counts no records in flight");
    }

    @Test
    void maxInFlight_ofEncodedRecordsWithARule_applies() {
        assertThat(limited.onFailure(WriteFailures.skip()).encoded()).isNotNull();
    }
}
