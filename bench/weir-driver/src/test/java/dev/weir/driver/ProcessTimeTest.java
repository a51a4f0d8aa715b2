package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTimeTest {

    @TempDir
    private Path tasks;

    private final AtomicLong ticks = new AtomicLong();

    private void thread(String id, long nanos) throws IOException {
        Files.writeString(Files.createDirectories(tasks.resolve(id)).resolve("schedstat"), nanos + " 77 3\n");
    }

    private void ends(String id) throws IOException {
        Files.delete(tasks.resolve(id).resolve("schedstat"));
        Files.delete(tasks.resolve(id));
    }

    @Test
    void niceness_isReadBehindAnyName_andMissingElsewhere() throws IOException {
        Path stat = tasks.resolve("stat");
        Files.writeString(stat, "77 (a) b 9) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -10 17 18\n");
        assertThat(ProcessTime.niceness(stat)).isEqualTo(-10);
        Files.writeString(stat, "77 (java) S 1\n");
        assertThat(ProcessTime.niceness(stat)).isNull();
        assertThat(ProcessTime.niceness(tasks.resolve("none"))).isNull();
    }

    @Test
    void time_isToTheNanosecond_andKeepsThatOfThreadsWhichEnded() throws IOException {
        ProcessTime time = new ProcessTime(tasks, ticks::get);
        thread("1", 5_000_123);
        thread("2", 1_000_000);
        ticks.set(10_000_000);
        assertThat(time.nanos()).isEqualTo(6_000_123);
        ends("2");
        thread("1", 5_500_000);
        assertThat(time.nanos()).isEqualTo(6_500_000);
    }

    /** A thread starts and ends between two readings. Only the process's ticks contain its time. */
    @Test
    void timeThatNoThreadHas_isTakenFromTheTicks() throws IOException {
        ProcessTime time = new ProcessTime(tasks, ticks::get);
        thread("1", 5_000_000);
        assertThat(time.nanos()).isEqualTo(5_000_000);
        ticks.set(60_000_000);
        assertThat(time.nanos()).isEqualTo(60_000_000);
        thread("1", 7_000_000);
        assertThat(time.nanos()).as("no tick yet").isEqualTo(62_000_000);
    }

    /** The reader loses its core between two readings. The time in between must count only once. */
    @Test
    void timeThatPassesWhileItIsRead_isNotCountedTwice() throws IOException {
        thread("1", 5_000_000);
        ProcessTime time = new ProcessTime(tasks, () -> {
            try {
                thread("1", 105_000_000);
                return ticks.get();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ticks.set(5_000_000);
        assertThat(time.nanos()).isEqualTo(105_000_000);
        ticks.set(105_000_000);
        assertThat(time.nanos()).isEqualTo(105_000_000);
    }

    @Test
    void systemWithoutSuchFiles_hasItsTicks() throws IOException {
        ticks.set(30_000_000);
        assertThat(new ProcessTime(tasks.resolve("none"), ticks::get).nanos()).isEqualTo(30_000_000);
        Files.createDirectories(tasks.resolve("1"));
        assertThat(new ProcessTime(tasks, ticks::get).nanos()).isEqualTo(30_000_000);
    }
}
