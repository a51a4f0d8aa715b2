package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the files of {@code docs/guide/tutorial.md} match the package {@code shop} of this module, whose tests
 * the build runs.
 */
class TutorialTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path TEST = ROOT.resolve("checks/integration/src/test");

    @ParameterizedTest
    @ValueSource(strings = {"Invoicing", "InvoicingTest"})
    void classOfThePage_isTheOneThatCompiles(String name) throws IOException {
        assertThat(blocks("java"))
                .contains(withoutSpace(Files.readString(TEST.resolve("java/shop/" + name + ".java"))));
    }

    @Test
    void javaOfThePage_isOfTheseClassesOnly() throws IOException {
        assertThat(blocks("java")).hasSize(2);
    }

    /** Compiles the change that the page suggests at its end, with the imports that the change needs. */
    @Test
    void experimentOfThePage_compiles(@TempDir Path folder) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/guide/tutorial.md"));
        String changed = Files.readString(TEST.resolve("java/shop/Invoicing.java"));
        List<MatchResult> changes = Pattern.compile("[' ]s/([^/]+)/([^/]+)/")
                .matcher(page)
                .results()
                .toList();
        assertThat(changes).isNotEmpty();
        for (MatchResult change : changes) {
            assertThat(changed).contains(change.group(1));
            changed = changed.replace(change.group(1), change.group(2));
        }
        Path source = Files.writeString(folder.resolve("Invoicing.java"), changed);
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, complaints, "-proc:none", "-d", folder.toString(), source.toString());
        assertThat(status).as(complaints.toString(StandardCharsets.UTF_8)).isZero();
    }

    @Test
    void projectOfThePage_hasTheVersionsOfThisBuild() throws IOException {
        String project = Files.readString(TEST.resolve("resources/tutorial/pom.xml"));
        assertThat(blocks("xml")).containsExactly(withoutSpace(project));
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        assertThat(parent).contains("<junit.version>" + after(project, "<artifactId>junit-jupiter</artifactId>"));
        for (String plugin : List.of("compiler", "dependency", "resources", "surefire")) {
            String artifact = "<artifactId>maven-" + plugin + "-plugin</artifactId>";
            assertThat(after(parent, artifact)).as(plugin).isEqualTo(after(project, artifact));
        }
    }

    private static String after(String pom, String artifact) {
        return Pattern.compile(Pattern.quote(artifact) + "\\s*<version>([^<]+)<")
                .matcher(pom)
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("docs/guide/tutorial.md")))
                .results()
                .map(match -> withoutSpace(match.group(1)))
                .toList();
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
