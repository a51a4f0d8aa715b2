package dev.weir.console.internal.profile;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.weir.console.profile.ProfileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Properties;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.consumer.RecordingFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flight recorder of another process, controlled by diagnostic commands through {@code jcmd}. The commands need no
 * JVM flag, open no port, and leave nothing behind. Confined to one thread.
 */
final class RemoteTarget implements Recorder.Target {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteTarget.class);

    /** The first JDK version that can sample by CPU time. */
    private static final int CPU_TIME_VERSION = 25;

    /** Extra time of a recording. If this process is killed, the recording stops on its own after it. */
    private static final long SPARE_SECONDS = 30;

    private final long pid;
    private final String name;
    private final boolean cpuTime;
    private final DiagnosticCommands commands;

    /** Private directory for settings and recordings, shared with the other process. */
    private final Path folder;

    private final String recording = "weir-profile-" + ProcessHandle.current().pid();
    private boolean started;

    private RemoteTarget(long pid, String name, boolean cpuTime, DiagnosticCommands commands) throws IOException {
        this.pid = pid;
        this.name = name;
        this.cpuTime = cpuTime;
        this.commands = commands;
        this.folder = Files.createTempDirectory("weir-profile");
    }

    static RemoteTarget attach(long pid) throws IOException {
        String name = "process " + pid;
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new ProfileException("there is no " + name, "'jps -l' lists the JVM processes.", null);
        }
        Properties there = properties(pid, name);
        boolean cpuTime = "Linux".equals(there.getProperty("os.name"))
                && featureVersion(there.getProperty("java.specification.version", "")) >= CPU_TIME_VERSION;
        RemoteTarget target = new RemoteTarget(pid, name, cpuTime, DiagnosticCommands.of(pid, name));
        target.giveFolder();
        return target;
    }

    private static Properties properties(long pid, String name) throws ProfileException {
        try {
            VirtualMachine process = VirtualMachine.attach(Long.toString(pid));
            try {
                return process.getSystemProperties();
            } finally {
                process.detach();
            }
        } catch (AttachNotSupportedException e) {
            // Omit the cause: its message contains the process's command line, which may contain secrets.
            throw new ProfileException(
                    name + " is not a JVM that can be asked", "'jps -l' lists those that can.", null);
        } catch (IOException e) {
            throw new ProfileException(
                    name + " refuses to be asked: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "Only its own user may, and not across the bounds of a container; or use its console: weir profile"
                            + " URL.",
                    e);
        }
    }

    private static int featureVersion(String version) {
        return version.matches("[0-9]{1,4}") ? Integer.parseInt(version) : 0;
    }

    /** Gives the directory to the owner of the process. The superuser may record processes of other users. */
    private void giveFolder() {
        ProcessHandle.of(pid).flatMap(process -> process.info().user()).ifPresent(user -> {
            try {
                if (!Files.getOwner(folder).getName().equals(user)) {
                    Files.setOwner(
                            folder,
                            folder.getFileSystem()
                                    .getUserPrincipalLookupService()
                                    .lookupPrincipalByName(user));
                }
            } catch (IOException | UnsupportedOperationException e) { // the other process reports that it cannot write
                LOG.debug("cannot give {} to {}", folder, user, e);
            }
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean samplesCpuTime() {
        return cpuTime;
    }

    @Override
    public boolean knows(String event) throws IOException, InterruptedException {
        Path file = folder.resolve("begun.jfr");
        commands.run("JFR.dump", "name=" + recording, DiagnosticCommands.file("filename", file));
        try (RecordingFile begun = new RecordingFile(file)) {
            return begun.readEventTypes().stream().map(EventType::getName).anyMatch(event::equals);
        }
    }

    @Override
    public void start(RecordingSettings settings, Duration time) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("settings.jfc"), settings.toXml());
        // Set before the command runs: an interrupt may end the wait for jcmd although the recording starts.
        started = true;
        commands.run(
                "JFR.start",
                "name=" + recording,
                DiagnosticCommands.file("settings", file),
                "duration=" + (time.toSeconds() + SPARE_SECONDS) + "s",
                DiagnosticCommands.file("filename", folder.resolve("late.jfr")));
    }

    @Override
    public void stop(Path file) throws IOException, InterruptedException {
        Path written = folder.resolve("whole.jfr");
        commands.run("JFR.stop", "name=" + recording, DiagnosticCommands.file("filename", written));
        started = false;
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            if (started) {
                commands.run("JFR.stop", "name=" + recording);
            }
        } catch (IOException e) { // nothing is being recorded, or the process has ended
            LOG.debug("cannot close the recording of {}", name, e);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        deleteFolder();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void deleteFolder() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.debug("cannot delete {}", folder, e);
        }
    }
}
