package dev.weir.console.internal.profile;

import dev.weir.console.profile.ProfileException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/** The flight recorder of this process. Confined to one thread. */
final class LocalTarget implements Recorder.Target {

    private @Nullable Recording recording;

    private LocalTarget() {}

    static LocalTarget open() throws ProfileException {
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty() || !FlightRecorder.isAvailable()) {
            throw new ProfileException(
                    "this process has no flight recorder",
                    "Run it with a JDK that has the module jdk.jfr, and without -XX:-FlightRecorder.",
                    null);
        }
        return new LocalTarget();
    }

    @Override
    public String name() {
        return "this process";
    }

    @Override
    public boolean samplesCpuTime() {
        return "Linux".equals(System.getProperty("os.name")) && knows(RecordingSettings.CPU_TIME);
    }

    @Override
    public boolean knows(String event) {
        return FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .map(EventType::getName)
                .anyMatch(event::equals);
    }

    @Override
    public void start(RecordingSettings settings, Duration time) {
        Recording started = new Recording();
        recording = started;
        started.setName("weir profile");
        started.setSettings(settings.values());
        started.start();
    }

    @Override
    public void stop(Path file) throws IOException {
        Recording started = Objects.requireNonNull(recording);
        started.stop();
        started.dump(file);
    }

    @Override
    public void close() {
        if (recording != null) {
            recording.close();
        }
    }
}
