package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShutdownTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Shutdown shutdown =
            new Shutdown(new Terminal(new PrintStream(err, true, StandardCharsets.UTF_8), false));

    @Test
    void request_runsActionsOnceNewestFirst_thoughOneFails() {
        List<String> ran = new ArrayList<>();
        shutdown.onStop(() -> ran.add("first"));
        shutdown.onStop(() -> {
            throw new IllegalStateException("will not drain");
        });
        shutdown.onStop(() -> ran.add("last"));

        assertThat(shutdown.request()).isTrue();
        assertThat(shutdown.request()).isFalse();

        assertThat(ran).containsExactly("last", "first");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("will not drain");
    }

    @Test
    void onStop_afterTheRequest_runsAtOnce() {
        shutdown.request();
        List<String> ran = new ArrayList<>();
        shutdown.onStop(() -> ran.add("late"));
        assertThat(ran).containsExactly("late");
        assertThat(shutdown.isRequested()).isTrue();
    }

    @Test
    void signal_once_drainsAndExitsWithTheCommandsOwnCode() throws Exception {
        try (Child child = new Child("drains")) {
            child.readUntil("ready");
            child.process.toHandle().destroy(); // SIGTERM
            child.readUntil("drained");
            child.readUntil("hook");
            assertThat(child.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(child.process.exitValue()).isEqualTo(7);
        }
    }

    @Test
    void signal_twice_stopsAtOnce() throws Exception {
        try (Child child = new Child("hangs")) {
            child.readUntil("ready");
            child.process.toHandle().destroy();
            child.readUntil("draining");
            child.process.toHandle().destroy();
            assertThat(child.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(child.process.exitValue()).isEqualTo(128 + 15);
        }
    }

    /**
     * Main class of the child processes. With the argument {@code drains}, it drains and returns 7. With any other
     * argument, its drain never ends.
     */
    static final class Subject {

        public static void main(String[] args) throws InterruptedException {
            PrintStream out = System.out;
            Shutdown shutdown = new Shutdown(Terminal.ofProcess());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> out.println("hook")));
            CountDownLatch drained = new CountDownLatch(1);
            shutdown.onStop(() -> {
                out.println("draining");
                if ("drains".equals(args[0])) {
                    drained.countDown();
                }
            });
            out.println("ready");
            drained.await();
            out.println("drained");
            System.exit(7);
        }
    }

    private record Child(Process process, BufferedReader out) implements AutoCloseable {

        Child(String mode) throws Exception {
            this(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Subject.class.getName(),
                            mode)
                    .redirectErrorStream(true)
                    .start());
        }

        private Child(Process process) {
            this(process, process.inputReader());
        }

        void readUntil(String expected) throws Exception {
            List<String> seen = new ArrayList<>();
            String line;
            do {
                line = out.readLine();
                assertThat(line).as("line '%s' after %s", expected, seen).isNotNull();
                seen.add(line);
            } while (!line.equals(expected));
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
