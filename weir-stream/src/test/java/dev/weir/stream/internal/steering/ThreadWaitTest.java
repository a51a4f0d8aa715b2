package dev.weir.stream.internal.steering;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ThreadWaitTest {

    private static final String CONDITION = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";
    private static final String CLOCK = "dev.weir.stream.spi.Clock$1";

    private static ThreadWait waitOf(String... types) {
        return ThreadWait.ofStack(Arrays.stream(types)
                .map(type -> new StackTraceElement(type, "await", null, -1))
                .toArray(StackTraceElement[]::new));
    }

    /** A wait on the clock belongs to the code that called the clock. */
    @Test
    void clock_waitsInTheEngine_ifTheEngineCallsIt() {
        assertThat(waitOf(CONDITION, CLOCK, "dev.weir.stream.internal.failure.SupervisedCall"))
                .isEqualTo(ThreadWait.ENGINE);
        assertThat(waitOf(CONDITION, CLOCK, "dev.weir.kafka.CircuitBreaker", "com.acme.Handler"))
                .isEqualTo(ThreadWait.ENGINE);
        assertThat(waitOf(CONDITION, CLOCK, "com.acme.Handler")).isEqualTo(ThreadWait.OTHER);
    }
}
