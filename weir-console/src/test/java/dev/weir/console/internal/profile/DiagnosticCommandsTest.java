package dev.weir.console.internal.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends commands to this process. */
@Timeout(120)
class DiagnosticCommandsTest {

    @TempDir
    Path folder;

    /** A user's name may be part of the path of temporary files. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "Jane Doe", "Jane O'Neill"})
    void file_inAFolderOfAnyName_isWritten(String name) throws Exception {
        Path file = Files.createDirectory(folder.resolve(name)).resolve("recorded.jfr");
        DiagnosticCommands commands =
                DiagnosticCommands.of(ProcessHandle.current().pid(), "this process");
        commands.run("JFR.start", "name=planted");
        try {
            commands.run("JFR.dump", "name=planted", DiagnosticCommands.file("filename", file));
        } finally {
            commands.run("JFR.stop", "name=planted");
        }
        assertThat(file).isNotEmptyFile();
    }
}
