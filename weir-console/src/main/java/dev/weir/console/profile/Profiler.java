package dev.weir.console.profile;

import dev.weir.console.internal.profile.Recorder;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/**
 * Records where pipelines spend their time, using the JDK's flight recorder. Requires no preparation, and costs nothing
 * while it is not recording. Not thread-safe.
 *
 * <pre>{@code
 * Profile profile = Profiler.create().time(Duration.ofSeconds(10)).recordThisProcess();
 * Files.writeString(Path.of("profile.html"), profile.toHtml());
 * }</pre>
 *
 * <p>The profiler samples threads by CPU time on JDK 25 or later on Linux ({@code jdk.CPUTimeSample}), and by
 * wall-clock time elsewhere ({@code jdk.ExecutionSample}). A call waits until the recording has ended; an interrupt
 * cancels the recording.
 */
public final class Profiler {

    /** The longest duration of a recording. */
    public static final Duration MOST = Duration.ofSeconds(60);

    private static final Duration LEAST_PERIOD = Duration.ofMillis(1);
    private static final Duration MOST_PERIOD = Duration.ofSeconds(1);

    private Duration time = Duration.ofSeconds(10);
    private Duration period = Duration.ofMillis(5);
    private boolean cpuTime = true;

    private Profiler() {}

    /** Creates a profiler with the default settings. */
    public static Profiler create() {
        return new Profiler();
    }

    /**
     * Sets the duration of the recording. The default is 10 s.
     *
     * @param newTime 1 s to {@link #MOST}
     */
    public Profiler time(Duration newTime) {
        this.time = within("time", Objects.requireNonNull(newTime, "time"), Duration.ofSeconds(1), MOST);
        return this;
    }

    /**
     * Sets the time between two samples of a thread, in CPU time or wall-clock time. The default is 5 ms.
     *
     * @param newPeriod 1 ms to 1 s
     */
    public Profiler period(Duration newPeriod) {
        this.period = within("period", Objects.requireNonNull(newPeriod, "period"), LEAST_PERIOD, MOST_PERIOD);
        return this;
    }

    /** Samples by wall-clock time, even if the JDK could sample by CPU time. */
    public Profiler byTheClock() {
        this.cpuTime = false;
        return this;
    }

    private static Duration within(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + name + "=" + value);
        }
        return value;
    }

    /**
     * Records this process.
     *
     * @throws ProfileException if the process has no flight recorder or has not run a pipeline
     */
    public Profile recordThisProcess() throws IOException, InterruptedException {
        return Recorder.recordThisProcess(order());
    }

    /**
     * Records another JVM of the same user on this machine. The other JVM needs no preparation, no port is opened, and
     * nothing is left behind. This process must run on a JDK with {@code jcmd}.
     *
     * @param pid the id of the process
     * @throws ProfileException if there is no such process, or if it is not a JVM, cannot be reached, has no flight
     *     recorder, or has not run a pipeline
     */
    public Profile recordProcess(long pid) throws IOException, InterruptedException {
        return Recorder.recordProcess(pid, order());
    }

    private Recorder.Order order() {
        return new Recorder.Order(time, period, cpuTime);
    }
}
