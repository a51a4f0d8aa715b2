package dev.weir.cli.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellTest {

    /** The command sends these signals to its own shell. The exit status shows whether the shell survived. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void command_survivesWhatATerminalSends_andGetsItsArguments(boolean hasSessions) throws Exception {
        Process process = new Shell(hasSessions).start("kill -INT $$; kill -QUIT $$; echo \"$0 $1\"", "a b", "c");
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        if (hasSessions) {
            assertThat(process.exitValue())
                    .as("signals meant for it are its own")
                    .isEqualTo(130);
        } else {
            assertThat(process.inputReader(UTF_8).readLine()).isEqualTo("a b c");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void kill_endsChildrenToo(boolean hasSessions) throws Exception {
        Process process = new Shell(hasSessions).start("sleep 1000 & echo $!; wait");
        long child = Long.parseLong(process.inputReader(UTF_8).readLine());
        ProcessHandle handle = ProcessHandle.of(child).orElseThrow();

        Shell.kill(process.toHandle());

        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        handle.onExit().get(20, TimeUnit.SECONDS);
    }
}
