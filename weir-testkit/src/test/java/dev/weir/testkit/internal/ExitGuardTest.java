package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.utils.internals.Exit;
import org.junit.jupiter.api.Test;

final class ExitGuardTest {
    @Test
    void exit_whileAnyBrokerRuns_throwsInstead() {
        ExitGuard.acquire();
        ExitGuard.acquire();
        ExitGuard.release();
        try {
            assertThatThrownBy(() -> Exit.halt(1, "disk gone"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("status=1 message=disk gone");
            assertThatThrownBy(() -> Exit.exit(2)).hasMessageContaining("status=2");
        } finally {
            ExitGuard.release();
        }
    }
}
