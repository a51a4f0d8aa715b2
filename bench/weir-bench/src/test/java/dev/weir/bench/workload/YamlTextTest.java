package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.environment.EnvironmentFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests YAML that exhausts the stack or the memory of a naive parser. */
class YamlTextTest {

    private static final int DEEP = 20_000;

    @TempDir
    private Path folder;

    static Stream<String> bombs() {
        String aliases = IntStream.rangeClosed(1, 12)
                .mapToObj(level -> "a" + level + ": &a" + level + " [" + ("*a" + (level - 1) + ",").repeat(9) + "]\n")
                .collect(Collectors.joining());
        return Stream.of(
                "a: " + "[".repeat(DEEP) + "]".repeat(DEEP),
                "a: " + "[".repeat(DEEP),
                "a: " + "{b: ".repeat(DEEP) + "1" + "}".repeat(DEEP),
                "- ".repeat(DEEP) + "1",
                "? ".repeat(DEEP) + "1",
                IntStream.range(0, 3_000)
                        .mapToObj(level -> " ".repeat(level) + "a:\n")
                        .collect(Collectors.joining()),
                "name: &a [*a]",
                "name: &a {b: *a}",
                "a0: &a0 1\n" + aliases);
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void workload_thatIsTooDeepOrTooLarge_isRefusedByName(String yaml) {
        assertThatThrownBy(() -> Workload.parse("bomb.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("bomb.yaml")
                .hasMessageContaining("is not valid YAML");
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void environment_thatIsTooDeepOrTooLarge_isRefusedByName(String yaml) throws Exception {
        Path file = Files.writeString(folder.resolve("bomb.yaml"), yaml);
        assertThatThrownBy(() -> EnvironmentFile.named(file.toString(), folder))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("bomb.yaml");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 100})
    void text_ofSomeLevels_isRead(int levels) {
        assertThat(YamlText.compose("x", "[".repeat(levels) + "]".repeat(levels)))
                .isPresent();
    }
}
