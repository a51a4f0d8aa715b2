package dev.weir.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the topics of a {@link WeirTest} are read. */
class WeirTestAutoConfigurationTest {

    @Test
    void topic_hasOnePartition_unlessItNamesANumber() {
        assertThat(WeirTestAutoConfiguration.partitions(List.of("orders:6", "prices")))
                .containsEntry("orders", 6)
                .containsEntry("prices", 1);
    }

    /** Regression: the topic silently got the last of its partition counts. */
    @Test
    void topic_withTwoNumbersOfPartitions_isRefused() {
        assertThatThrownBy(() -> WeirTestAutoConfiguration.partitions(List.of("orders:6", "orders:3")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("@WeirTest names topic orders with 6 partitions and with 3");
    }

    /** Regression: the test failed with a NumberFormatException that named no topic, and the broker kept running. */
    @ParameterizedTest
    @ValueSource(strings = {"orders:x", "orders:", "orders:0", ":3", "orders:9999999999"})
    void topic_withoutANumberOfPartitions_isRefused(String topic) {
        assertThatThrownBy(() -> WeirTestAutoConfiguration.partitions(List.of(topic)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("topics=" + topic);
    }
}
