package dev.weir.examples.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each example in a separate process, with wrong arguments. */
class UsageTest {

    @TempDir
    private Path folder;

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments(Invoicing.class, List.of("localhost")), arguments(Invoicing.class, List.of("a:1", "b:2")));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void wrongArguments_areAnsweredWithTheUsage(Class<?> example, List<String> arguments) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                example.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(Files.readString(output))
                    .contains("usage: " + example.getSimpleName())
                    .doesNotContain("\tat ");
            assertThat(process.exitValue()).isEqualTo(2);
        } finally {
            process.destroyForcibly();
        }
    }
}
