package dev.weir.checks.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that each Java sample of the documents is in a test of this module. */
class DocSamplesTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"interop.md", "coming-from.md", "reactor-kafka.md", "quarkus.md"})
    void sample_isCompiled(String document) throws IOException {
        String tests = withoutSpace(testSources());
        List<String> samples = SAMPLE.matcher(
                        Files.readString(ROOT.resolve("docs/guide").resolve(document)))
                .results()
                .map(MatchResult::group)
                .map(block -> block.replace("```java", "").replace("```", ""))
                .toList();
        assertThat(samples)
                .hasSizeGreaterThan(1)
                .allSatisfy(sample -> assertThat(tests).as(sample).contains(withoutSpace(sample)));
    }

    private static String testSources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("checks/interop/src/test/java"))) {
            StringBuilder all = new StringBuilder();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
            return all.toString();
        }
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
