package dev.weir.command.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.command.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenFileTest {

    private static final String TOKEN = "a-token-of-some-length";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"rw-------, false", "r--------, false", "rw-r--r--, true", "rw-r-----, true", "rw----r--, true"})
    void file_thatOthersCanRead_isTold(String permissions, boolean told) throws Exception {
        assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(new PrintStream(err, true, StandardCharsets.UTF_8), false);
        assertThat(TokenFile.read(file, terminal)).isEqualTo(TOKEN);
        String said = err.toString(StandardCharsets.UTF_8);
        if (told) {
            assertThat(said)
                    .contains("others on this machine can read --token-file=" + file)
                    .contains(permissions)
                    .contains("chmod 600")
                    .doesNotContain(TOKEN);
        } else {
            assertThat(said).isEmpty();
        }
    }
}
