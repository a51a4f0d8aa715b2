package dev.weir.stream.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Backoff;
import dev.weir.stream.RestartSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RestartScheduleTest {

    private static final Backoff DOUBLING =
            Backoff.between(Duration.ofMillis(1), Duration.ofMillis(8)).withJitter(0);

    private final Exception failure = new IllegalStateException("planted");
    private long now = -5;

    private @Nullable Long millis(RestartSchedule schedule) {
        Duration delay = schedule.afterFailure(failure, now);
        return delay == null ? null : delay.toMillis();
    }

    @Test
    void delays_double_andStartAgainAfterTheQuietPeriod() {
        RestartSchedule schedule = new RestartSchedule(RestartSettings.of(DOUBLING));
        assertThat(millis(schedule)).isEqualTo(1);
        assertThat(millis(schedule)).isEqualTo(2);
        assertThat(millis(schedule)).isEqualTo(4);
        now += Duration.ofMinutes(1).toNanos() - 1;
        assertThat(millis(schedule)).isEqualTo(8);
        now += 1;
        assertThat(millis(schedule)).as("three are forgotten, one counts").isEqualTo(2);
        now += Duration.ofMinutes(1).toNanos();
        assertThat(millis(schedule)).isEqualTo(1);
    }

    @Test
    void limit_countsTheRestartsOfThePeriodOnly() {
        RestartSchedule schedule =
                new RestartSchedule(RestartSettings.of(Backoff.NONE).atMost(2, Duration.ofNanos(10)));
        assertThat(millis(schedule)).isZero();
        now += 9;
        assertThat(millis(schedule)).isZero();
        assertThat(millis(schedule)).isNull();
        now += 1;
        assertThat(millis(schedule)).isZero();
        assertThat(millis(schedule)).isNull();
        assertThat(new RestartSchedule(RestartSettings.of(Backoff.NONE).atMost(0, Duration.ofDays(1)))
                        .afterFailure(failure, now))
                .isNull();
    }

    @Test
    void normalEnd_isFollowedByARestart_onlyIfTheSettingsSaySo() {
        RestartSettings settings = RestartSettings.of(DOUBLING);
        assertThat(new RestartSchedule(settings).afterCompletion(now)).isNull();
        RestartSchedule also = new RestartSchedule(settings.alsoOnCompletion());
        assertThat(also.afterCompletion(now)).isEqualTo(Duration.ofMillis(1));
        assertThat(also.afterFailure(failure, now)).isEqualTo(Duration.ofMillis(2));
    }

    @Test
    void jvmThatCannotContinue_isNotFollowedByARestart() {
        RestartSchedule schedule = new RestartSchedule(RestartSettings.of(DOUBLING));
        assertThat(schedule.afterFailure(new OutOfMemoryError("planted"), now)).isNull();
        assertThat(schedule.afterFailure(new StackOverflowError(), now)).isEqualTo(Duration.ofMillis(1));
    }

    /** Given a pipeline that may restart a million times within the period, and fails immediately. */
    @Test
    void restartsWithoutLimit_keepTheirMemoryBounded() {
        RestartSchedule schedule = new RestartSchedule(RestartSettings.of(Backoff.NONE));
        for (int i = 0; i < 1_000_000; i++) {
            schedule.afterFailure(failure, now++);
        }
        assertThat(schedule.restarts).hasSizeLessThan(1_000);
    }
}
