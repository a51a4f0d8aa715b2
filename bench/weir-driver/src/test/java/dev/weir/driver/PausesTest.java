package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PausesTest {
    @TempDir
    Path folder;

    @Test
    void log_ofSafepoints_hasTheLongestOfEachKind() throws Exception {
        Path file = folder.resolve("log");
        Files.writeString(file, """
                Safepoint "G1CollectForAllocation", Time since last: 1 ns, Reaching safepoint: 2000 ns, Cleanup: 3 ns, At safepoint: 4 ns, Leaving safepoint: 5 ns, Total: 7000000 ns, Threads: 1 runnable, 12 total
                Safepoint "ICBufferFull", Time since last: 1 ns, Reaching safepoint: 3000 ns, At safepoint: 4 ns, Total: 9000000 ns
                Safepoint "G1PauseRemark", Time since last: 1 ns, Reaching safepoint: 1000 ns, At safepoint: 4 ns, Total: 8000000 ns
                Safepoint "ZMarkEnd", Time since last: 1 ns, Reaching saf""");
        Pauses.SafepointLog log = new Pauses.SafepointLog(FileChannel.open(file));
        assertThat(log.take()).isEqualTo(new Pauses.SafepointLog.Longest(8_000_000, 3_000));
        assertThat(log.take()).isEqualTo(Pauses.SafepointLog.Longest.NONE);
        Files.writeString(file, "epoint: 5000 ns, Total: 10000000 ns\n", StandardOpenOption.APPEND);
        assertThat(log.take())
                .as("a line that was half written")
                .isEqualTo(new Pauses.SafepointLog.Longest(10_000_000, 5_000));
    }

    @Test
    void virtualMachine_logsItsCollections() {
        Pauses.SafepointLog log = Objects.requireNonNull(Pauses.SafepointLog.open());
        System.gc();
        Pauses.SafepointLog.Longest longest = log.take();
        assertThat(longest.collectorNanos()).isPositive();
        assertThat(longest.reachingNanos()).isPositive();
    }

    @Test
    void pauses_areTakenOnce_andHaveAllThree() {
        Pauses pauses = Pauses.start();
        System.gc();
        assertThat(pauses.take()).containsKeys(Pauses.OF_PROCESS, Pauses.OF_COLLECTOR, Pauses.TO_SAFEPOINT);
        assertThat(pauses.take()).containsEntry(Pauses.OF_COLLECTOR, 0.0);
    }
}
