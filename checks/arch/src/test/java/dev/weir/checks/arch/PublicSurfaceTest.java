package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks that the API of each published module matches its {@code api.txt}. Running this test with {@code
 * -Dweir.write=true} accepts a change, and the commit shows the difference.
 */
class PublicSurfaceTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    @ParameterizedTest
    @EnumSource(
            names = {"STREAM", "LEAN", "KAFKA", "METRICS", "CONSOLE", "TESTKIT", "OTEL", "JDBC", "SPRING", "DRIVER"})
    void surface_isWhatIsWrittenDown(WeirModule module) throws IOException {
        Path file = ROOT.resolve(module.folder).resolve("api.txt");
        String now = PublicSurface.of(module);
        if (Boolean.getBoolean("weir.write")) {
            Files.writeString(file, now);
        }
        assertThat(now)
                .as("%s; CONTRIBUTING.md says how a change of it is accepted", ROOT.relativize(file))
                .isEqualTo(Files.readString(file));
    }
}
