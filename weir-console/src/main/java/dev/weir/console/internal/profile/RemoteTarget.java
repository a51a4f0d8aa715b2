package dev.weir.console.internal.profile;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.weir.console.profile.ProfileException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.EventTypeInfo;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * The flight recorder of another process, reached as {@code jcmd} and JDK Mission Control do: by the JDK's attach and
 * its own management bean, which needs no flag there. Confined to one thread.
 */
final class RemoteTarget implements Recorder.Target {

    private static final Logger LOG = System.getLogger(RemoteTarget.class.getName());

    private static final String BEAN = FlightRecorderMXBean.MXBEAN_NAME;

    /** A recording ends by itself so long after its time if this process is killed meanwhile. */
    private static final long SPARE_SECONDS = 30;

    private final String name;
    private final boolean linux;
    private final JMXConnector connector;
    private final FlightRecorderMXBean recorder;
    private long recording = -1;

    private RemoteTarget(String name, boolean linux, JMXConnector connector, FlightRecorderMXBean recorder) {
        this.name = name;
        this.linux = linux;
        this.connector = connector;
        this.recorder = recorder;
    }

    static RemoteTarget attach(long pid) throws IOException {
        String name = "process " + pid;
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new ProfileException("there is no " + name, "'jps -l' lists those of the JVM.", null);
        }
        boolean linux;
        String address;
        try {
            VirtualMachine process = VirtualMachine.attach(Long.toString(pid));
            try {
                linux = "Linux".equals(process.getSystemProperties().getProperty("os.name"));
                address = process.startLocalManagementAgent();
            } finally {
                process.detach();
            }
        } catch (AttachNotSupportedException e) {
            // Its message has the command line of that process, which may have secrets.
            throw new ProfileException(name + " is no JVM that can be asked", "'jps -l' lists those that can.", e);
        } catch (IOException e) {
            throw new ProfileException(
                    name + " refuses to be asked: " + firstLine(e),
                    "Only its own user may, and not across the bounds of a container; or use its console: weir profile"
                            + " URL.",
                    e);
        }
        return connect(name, linux, address);
    }

    @SuppressWarnings("BanJNDI") // the address is what the attached process told, on this machine
    private static RemoteTarget connect(String name, boolean linux, String address) throws IOException {
        JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
        try {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            ObjectName bean = new ObjectName(BEAN);
            if (!beans.isRegistered(bean)) {
                throw new ProfileException(
                        name + " has no flight recorder",
                        "Run it with a JDK that has the module jdk.management.jfr.",
                        null);
            }
            return new RemoteTarget(
                    name, linux, connector, JMX.newMXBeanProxy(beans, bean, FlightRecorderMXBean.class));
        } catch (JMException | IOException e) {
            connector.close();
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isLinux() {
        return linux;
    }

    @Override
    public Set<String> events() throws IOException {
        return ask(() ->
                recorder.getEventTypes().stream().map(EventTypeInfo::getName).collect(Collectors.toSet()));
    }

    @Override
    public void start(RecordingSettings settings, Duration time) throws IOException {
        recording = ask(recorder::newRecording);
        ask(() -> {
            recorder.setRecordingSettings(recording, settings.values());
            recorder.setRecordingOptions(
                    recording, Map.of("name", "weir profile", "duration", time.toSeconds() + SPARE_SECONDS + " s"));
            recorder.startRecording(recording);
            return recording;
        });
    }

    @Override
    public void stop(Path file) throws IOException {
        ask(() -> recorder.stopRecording(recording));
        long stream = ask(() -> recorder.openStream(recording, Map.of()));
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] part;
            // Null at the end of the stream.
            while ((part = ask(() -> recorder.readStream(stream))) != null) {
                out.write(part);
            }
        } finally {
            ask(() -> {
                recorder.closeStream(stream);
                return stream;
            });
        }
    }

    /** A question to the other process. */
    @FunctionalInterface
    private interface Question<R> {
        R ask() throws IOException;
    }

    /** Says which process it was that failed, or has gone. */
    private <R> R ask(Question<R> question) throws IOException {
        try {
            return question.ask();
        } catch (RuntimeException | IOException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ProfileException(
                    "the flight recorder of " + name + " failed: " + cause.getMessage(),
                    "Does the process still run? -XX:-FlightRecorder forbids recordings.",
                    e);
        }
    }

    @Override
    public void close() {
        try (connector) {
            if (recording >= 0) {
                recorder.closeRecording(recording);
            }
        } catch (IOException | RuntimeException e) { // The process has gone, and the recording with it.
            LOG.log(Level.DEBUG, "cannot close the recording of " + name, e);
        }
    }
}
