package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.live.LiveFolder.Host;
import org.junit.jupiter.api.Test;

class LiveFolderTest {

    /** Regression: a run refused commands after a clock adjustment, which changes the start time that is read. */
    @Test
    void host_whoseStartTimeIsReadDifferently_lives() {
        Host host = Host.ofThisProcess("run", "");
        assertThat(startedAt(host, 1_000).lives()).isTrue();
        assertThat(startedAt(host, 3_600_000).lives())
                .as("another process with its id")
                .isFalse();
    }

    private static Host startedAt(Host host, long differenceMillis) {
        return new Host(host.pid(), host.startedAtMillis() - differenceMillis, host.run(), host.refusal());
    }
}
