package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RevokeTimesTest {

    @ParameterizedTest
    @CsvSource({
        "PT20S, PT5M, 20, 10, 10",
        // The deadline is longer than the poll interval, so it is shortened.
        "PT20S, PT10S, 5, 1, 1",
        "PT4M, PT1M, 30, 10, 10",
        "PT4M, PT5M, 240, 10, 10",
        "PT0S, PT5M, 0, 10, 0",
    })
    void parts_together_areLessThanThePollInterval(
            Duration deadline, Duration pollInterval, long work, long commit, long hooks) {
        var settings = ConsumerSettings.builder()
                .bootstrapServers("h:1")
                .groupId("g")
                .revokeDeadline(deadline)
                .build();
        RevokeTimes times = RevokeTimes.of(settings, pollInterval);
        assertThat(Duration.ofNanos(times.deadlineNanos()).toSeconds()).isEqualTo(work);
        assertThat(Duration.ofNanos(times.commitNanos()).toSeconds()).isEqualTo(commit);
        assertThat(Duration.ofNanos(times.hooksNanos()).toSeconds()).isEqualTo(hooks);
        assertThat(times.deadlineNanos() + times.commitNanos() + times.hooksNanos())
                .isLessThan(pollInterval.toNanos());
    }
}
