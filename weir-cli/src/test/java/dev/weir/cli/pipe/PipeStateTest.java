package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Terminal;
import dev.weir.stream.RunningPipeline;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a pipe's state file. The pipeline is a stub. */
@Timeout(60)
class PipeStateTest {

    @TempDir
    private Path folder;

    /** Regression: the root folder caused a NullPointerException. */
    @Test
    void rootFolder_isRefused() {
        assertThatThrownBy(() -> PipeState.checkWritable(Path.of("/")))
                .isInstanceOf(CliFailure.class)
                .hasMessage("--state must be a file, not the root folder: --state=/");
    }

    /** Regression: the state file replaced a device. */
    @Test
    void device_isRefused() throws Exception {
        Path device = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));
        assertThatThrownBy(() -> PipeState.checkWritable(device))
                .isInstanceOf(CliFailure.class)
                .hasMessage("--state must be a file, not a device or a folder: --state=" + device);
        assertThat(device).isSymbolicLink();
    }

    @Test
    void state_thatCannotBeRead_isReportedOnceAndReadAgain() throws Exception {
        CountDownLatch readings = new CountDownLatch(2);
        RunningPipeline running = (RunningPipeline) Proxy.newProxyInstance(
                RunningPipeline.class.getClassLoader(),
                new Class<?>[] {RunningPipeline.class},
                (proxy, method, arguments) -> {
                    readings.countDown();
                    throw new IllegalStateException("planted by the test");
                });
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(new PrintStream(err, true, StandardCharsets.UTF_8), false);
        PipeState state = PipeState.start(folder.resolve("state.json"), running, terminal);
        readings.await();
        state.close();
        assertThat(err.toString(StandardCharsets.UTF_8).strip())
                .hasLineCount(1)
                .endsWith("state.json: java.lang.IllegalStateException: planted by the test");
    }
}
