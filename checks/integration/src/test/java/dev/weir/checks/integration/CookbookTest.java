package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that each recipe of {@code docs/guide/cookbook.md} occurs word for word in {@link CookbookSamples}. */
class CookbookTest {

    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void recipes_ofThePage_areCompiled() throws IOException {
        Path root = Path.of(System.getProperty("weir.root"));
        String compiled = withoutSpace(Files.readString(root.resolve("checks/integration/src/test/java")
                .resolve(CookbookSamples.class.getName().replace('.', '/') + ".java")));
        List<String> samples = SAMPLE.matcher(Files.readString(root.resolve("docs/guide/cookbook.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .hasSizeGreaterThan(11)
                .allSatisfy(sample -> assertThat(compiled).as(sample).contains(withoutSpace(sample)));
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
