package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.logging.LogManager;
import org.awaitility.Awaitility;

/**
 * The result of a {@code weir} command in the test's JVM. A {@link PipeProcess} is needed only for commands that get
 * signals or input, are killed, or run out of memory. Immutable.
 */
record WeirCommand(int exitCode, String out, String err) {

    private static final Duration START = Duration.ofSeconds(90);

    static WeirCommand run(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try {
            int exitCode = Main.run(printer(out), printer(err), args);
            return new WeirCommand(
                    exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            restoreLogging();
        }
    }

    /** An action during a command. It gets the command's first output line. */
    @FunctionalInterface
    interface Beside {
        void with(String line) throws Exception;
    }

    /** Runs a command and an action, and interrupts the command when the action has ended. */
    static void runBeside(Beside beside, String... args) throws Exception {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        Thread command = Thread.ofPlatform().start(() -> {
            int ignored = Main.run(printer(out), printer(err), args);
        });
        try {
            Awaitility.await()
                    .atMost(START)
                    .until(() -> out.toString(StandardCharsets.UTF_8).endsWith("\n") || !command.isAlive());
            assertThat(command.isAlive())
                    .as(() -> err.toString(StandardCharsets.UTF_8))
                    .isTrue();
            beside.with(out.toString(StandardCharsets.UTF_8).strip());
        } finally {
            command.interrupt();
            command.join();
            restoreLogging();
        }
    }

    static String output(String... args) {
        WeirCommand command = run(args);
        assertThat(command.exitCode).as(command.err).isZero();
        return command.out;
    }

    private static void restoreLogging() {
        try {
            LogManager.getLogManager().readConfiguration();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PrintStream printer(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
