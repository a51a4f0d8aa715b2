package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverLauncherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @TempDir
    private Path root;

    private DriverLauncher launcher;

    /** A driver that waits for the end of its input and reports nothing. */
    static final class Silent {
        public static void main(String[] arguments) throws IOException {
            int read = 0;
            while (read >= 0) {
                read = System.in.read();
            }
        }
    }

    /** A driver that reports its process's nice value and ends. */
    static final class Nice {
        public static void main(String[] arguments) throws IOException {
            System.out.println("nice value " + niceness(Path.of("/proc/self/stat")));
        }
    }

    private static String niceness(Path stat) throws IOException {
        String said = Files.readString(stat);
        return said.substring(said.lastIndexOf(')') + 2).split(" ", -1)[16];
    }

    @BeforeEach
    void aCheckoutWithADriver() throws IOException {
        Path module = root.resolve("drivers").resolve("silent");
        Path classes = Files.createDirectories(module.resolve("target").resolve("classes"));
        Files.writeString(
                classes.resolve("weir-driver.properties"),
                "main = " + Silent.class.getName() + "\ndrivers = silent\nlibrary = none\n");
        Files.writeString(module.resolve("target").resolve("driver.classpath"), System.getProperty("java.class.path"));
        launcher = new DriverLauncher(DriverCatalog.below(root));
    }

    @Test
    void stop_endsWhatRuns() throws Exception {
        try (DriverProcess process = start()) {
            assertThat(process.isAlive()).isTrue();
            launcher.stop();
            assertThatThrownBy(() -> process.receive(PATIENCE, () -> {})).hasMessageContaining("driver silent failed");
        }
    }

    @Test
    void driverWhoseJarIsGone_isNotStarted_andSaysHowToGetIt() throws Exception {
        Path gone = root.resolve("gone.jar");
        Files.writeString(root.resolve("drivers/silent/target/driver.classpath"), gone.toString());
        DriverLauncher late = new DriverLauncher(DriverCatalog.below(root));
        assertThatThrownBy(() -> late.entry("silent"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("driver silent needs " + gone)
                .hasMessageContaining("delete " + root.resolve("drivers/silent/target"));
    }

    /** A campaign whose brokers died must not wait a minute for each process. */
    @Test
    void lookMeanwhile_endsTheWait() {
        try (DriverProcess process = start()) {
            assertThatThrownBy(() -> process.receive(PATIENCE, () -> {
                        throw new BenchException("gone");
                    }))
                    .isInstanceOf(BenchException.class);
        }
    }

    /** Regression: the run continued to its end if it was stopped just before its process started. */
    @Test
    void start_afterStop_endsAtOnce() throws Exception {
        launcher.stop();
        try (DriverProcess process = start()) {
            assertThatThrownBy(() -> process.receive(PATIENCE, () -> {})).hasMessageContaining("driver silent failed");
        }
    }

    /**
     * The sender gets a higher priority if the system permits it. Otherwise, both processes keep this process's nice
     * value.
     */
    @Test
    void whoSends_goesBeforeOthers_whereTheSystemLetsIt() throws Exception {
        Files.writeString(
                root.resolve("drivers/silent/target/classes/weir-driver.properties"),
                "main = " + Nice.class.getName() + "\ndrivers = generator, reader, other\nlibrary = none\n");
        DriverLauncher nice = new DriverLauncher(DriverCatalog.below(root));
        Process raised =
                new ProcessBuilder("sh", "-c", "renice -n -10 -p $$ >/dev/null 2>&1; cat /proc/$$/stat").start();
        String expected = niceness(
                Files.write(root.resolve("stat"), raised.getInputStream().readAllBytes()));
        requireNiceness(nice, "generator", expected);
        requireNiceness(nice, "reader", expected);
        requireNiceness(nice, "other", niceness(Path.of("/proc/self/stat")));
    }

    private void requireNiceness(DriverLauncher nice, String driver, String value) throws InterruptedException {
        try (DriverProcess process = nice.start(driver, 64, root.resolve("driver.log"))) {
            assertThatThrownBy(() -> process.receive(PATIENCE, () -> {})).hasMessageContaining("nice value " + value);
        }
    }

    private DriverProcess start() {
        return launcher.start("silent", 64, root.resolve("driver.log"));
    }
}
