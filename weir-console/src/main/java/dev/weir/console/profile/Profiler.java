package dev.weir.console.profile;

import dev.weir.console.internal.profile.Recorder;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/**
 * Records where pipelines spend their time, by the flight recorder of the JDK; nothing has to be prepared and nothing
 * is paid before and after. Not thread-safe.
 *
 * <pre>{@code
 * Profile profile = Profiler.create().time(Duration.ofSeconds(10)).recordThisProcess();
 * Files.writeString(Path.of("profile.html"), profile.toHtml());
 * }</pre>
 *
 * <p>It samples by the processor's time ({@code jdk.CPUTimeSample}: JDK 25 or later on Linux), elsewhere by the clock
 * ({@code jdk.ExecutionSample}). A call waits until the recording has ended; an interrupt gives it up.
 */
public final class Profiler {

    /** The longest recording. */
    public static final Duration MOST = Duration.ofSeconds(60);

    private static final Duration LEAST_PERIOD = Duration.ofMillis(1);
    private static final Duration MOST_PERIOD = Duration.ofSeconds(1);

    private Duration time = Duration.ofSeconds(10);
    private Duration period = Duration.ofMillis(5);
    private boolean cpuTime = true;

    private Profiler() {}

    /** A profiler with default settings. */
    public static Profiler create() {
        return new Profiler();
    }

    /**
     * Sets the time to record. Default: 10 s.
     *
     * @param newTime 1 s to {@link #MOST}
     */
    public Profiler time(Duration newTime) {
        this.time = within("time", Objects.requireNonNull(newTime, "time"), Duration.ofSeconds(1), MOST);
        return this;
    }

    /**
     * The time between two samples of a thread: of its processor's time, or by the clock. Default: 5 ms.
     *
     * @param newPeriod 1 ms to 1 s
     */
    public Profiler period(Duration newPeriod) {
        this.period = within("period", Objects.requireNonNull(newPeriod, "period"), LEAST_PERIOD, MOST_PERIOD);
        return this;
    }

    /** Samples by the clock, even where the JDK could by the processor's time. */
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
     * @throws ProfileException if it has no flight recorder, or has not run a pipeline
     */
    public Profile recordThisProcess() throws IOException, InterruptedException {
        return Recorder.recordThisProcess(order());
    }

    /**
     * Records another JVM of this machine and user, which need not be prepared for it. It opens no port there and
     * leaves nothing behind. Needs a JDK with {@code jcmd} here.
     *
     * @param pid its number
     * @throws ProfileException if there is no such process, if it is no JVM, cannot be asked, has no flight recorder,
     *     or has not run a pipeline
     */
    public Profile recordProcess(long pid) throws IOException, InterruptedException {
        return Recorder.recordProcess(pid, order());
    }

    private Recorder.Order order() {
        return new Recorder.Order(time, period, cpuTime);
    }
}
