package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Finds the live threads of a pipeline, platform and virtual, by their names in a thread dump. Stateless.
 *
 * <p>JDK 25 may crash in {@code ThreadSnapshot} when it dumps while virtual threads come and go (JDK-8364343; seen once
 * in thousands): wait for a run's end first.
 */
final class ThreadCensus {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private ThreadCensus() {}

    static List<String> threadsOf(String pipelineName) {
        try {
            Path folder = Files.createTempDirectory("weir-threads");
            Path dump = folder.resolve("threads.json");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), ThreadDumpFormat.JSON);
            String text = Files.readString(dump);
            Files.delete(dump);
            Files.delete(folder);
            return Pattern.compile("\"name\": \"(weir-" + Pattern.quote(pipelineName) + "(-[^\"]*)?)\"")
                    .matcher(text)
                    .results()
                    .map(match -> match.group(1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of threads as soon as it is {@code expected}, or after ten seconds: dying takes a thread a moment. */
    static int countDownTo(int expected, String pipelineName) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        int count;
        while ((count = threadsOf(pipelineName).size()) > expected && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return count;
    }

    static void assertNoneLeft(String pipelineName) {
        if (countDownTo(0, pipelineName) > 0) {
            assertThat(threadsOf(pipelineName)).as("threads left behind").isEmpty();
        }
    }
}
