package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the build leaves out is no secret: each class with a test tagged {@code long} has a row on the page of long
 * tests.
 */
class LongTestsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    @Test
    void classesWithLongTests_areOnTheirPage() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/internals/long-tests.md"));
        List<String> classes = classesWithLongTests();
        assertThat(classes).isNotEmpty().allSatisfy(name -> assertThat(page).contains("| `" + name));
    }

    private static List<String> classesWithLongTests() throws IOException {
        List<String> classes = new ArrayList<>();
        try (Stream<Path> files = Files.find(
                ROOT, 20, (file, attributes) -> file.toString().endsWith("Test.java") && isTestSource(file))) {
            for (Path file : files.toList()) {
                // Not as one string: this file is looked through as well.
                if (Files.readString(file).contains("@Tag(" + '"' + "long" + '"' + ")")) {
                    classes.add(file.getFileName().toString().replace(".java", ""));
                }
            }
        }
        return classes;
    }

    private static boolean isTestSource(Path file) {
        return ROOT.relativize(file).toString().contains("src/test/java");
    }
}
