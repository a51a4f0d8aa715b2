package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerStartTest {

    private static final int MB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"0,8388608", "1,8388608", "4,8388608", "16,2097152", "100,335544", "3000,65536"})
    void fetches_ofAllPartitions_fitTheBuffer(int partitions, int expected) {
        assertThat(ConsumerStart.fetchBytes(128L * MB, partitions, 8 * MB)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1,4096", "100,4096"})
    void fetches_areNeverLargerThanAsked(int partitions, int expected) {
        assertThat(ConsumerStart.fetchBytes(128L * MB, partitions, 4096)).isEqualTo(expected);
    }
}
