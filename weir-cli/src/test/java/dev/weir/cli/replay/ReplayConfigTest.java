package dev.weir.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayConfigTest {

    private static ConsumerSettings.Builder<byte[], byte[]> settings() {
        return ConsumerSettings.builder().bootstrapServers("h:1").groupId("mend");
    }

    private static String polled(ConsumerSettings<byte[], byte[]> settings) {
        return String.valueOf(Replay.consumerConfig(settings).get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));
    }

    /** Regression: for a value that is not a number, the message did not name the setting. */
    @ParameterizedTest
    @CsvSource({"50, 50", "200, 200", "201, 200", "0, 0", "abc, abc", "3000000000, 3000000000"})
    void maxPollRecords_isLimitedOnlyIfItIsTooLarge(String set, String used) {
        assertThat(polled(settings()
                        .property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, set)
                        .build()))
                .isEqualTo(used);
    }

    @Test
    void maxPollRecords_byDefault_isTheLargest() {
        assertThat(polled(settings().build())).isEqualTo("200");
    }
}
