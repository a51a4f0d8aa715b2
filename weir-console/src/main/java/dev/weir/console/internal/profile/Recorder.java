package dev.weir.console.internal.profile;

import dev.weir.console.profile.Profile;
import dev.weir.console.profile.ProfileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Records this process or another process, and creates a profile from the recording. Stateless. */
public final class Recorder {

    private static final String NO_PIPELINE_WAY_OUT =
            "Start a pipeline in it first; if one runs there, its weir-stream may be too old for profiles.";

    private Recorder() {}

    /**
     * A request for a profile.
     *
     * @param cpuTime whether to sample by CPU time if the JVM supports it
     */
    public record Order(Duration time, Duration period, boolean cpuTime) {}

    /** The flight recorder of a process. Confined to one thread. */
    interface Target extends AutoCloseable {

        /** A description of the process for messages. */
        String name();

        /** Returns whether the process's JDK can sample by CPU time. */
        boolean samplesCpuTime();

        void start(RecordingSettings settings, Duration time) throws IOException, InterruptedException;

        /** Returns whether the process supports an event. Must be called during a recording. */
        boolean knows(String event) throws IOException, InterruptedException;

        /** Stops recording, and writes the recording to {@code file}. */
        void stop(Path file) throws IOException, InterruptedException;

        /** Discards the recording. */
        @Override
        void close();
    }

    /** Records this process. */
    public static Profile recordThisProcess(Order order) throws IOException, InterruptedException {
        try (Target target = LocalTarget.open()) {
            return record(target, order);
        }
    }

    /** Records a JVM of the same user on this machine. */
    public static Profile recordProcess(long pid, Order order) throws IOException, InterruptedException {
        if (pid == ProcessHandle.current().pid()) {
            return recordThisProcess(order);
        }
        try (Target target = RemoteTarget.attach(pid)) {
            return record(target, order);
        }
    }

    private static Profile record(Target target, Order order) throws IOException, InterruptedException {
        boolean cpuTime = order.cpuTime() && target.samplesCpuTime();
        RecordingSettings settings = RecordingSettings.of(cpuTime, order.period());
        Path file = Files.createTempFile("weir-profile", ".jfr");
        try {
            long start = System.nanoTime();
            target.start(settings, order.time());
            if (!target.knows(RecordingSettings.STAGE_RUN)) {
                throw new ProfileException(
                        target.name() + " has not run a Weir pipeline yet", NO_PIPELINE_WAY_OUT, null);
            }
            // Wait during the recording. Nothing counts down the latch.
            boolean ignored = new CountDownLatch(1).await(order.time().toNanos(), TimeUnit.NANOSECONDS);
            Duration time = Duration.ofNanos(System.nanoTime() - start);
            target.stop(file);
            return new RecordingReader(file, settings.sampler(), order.period()).read(time);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
