package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files of {@code docs/guide/tutorial.md} are those of the package {@code shop}, which compile, and whose tests
 * run, in this module.
 */
class TutorialTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path TEST = ROOT.resolve("checks/integration/src/test");

    @ParameterizedTest
    @ValueSource(strings = {"Invoicing", "SendOrders", "CountInvoices", "InvoicingTest"})
    void classOfThePage_isTheOneThatCompiles(String name) throws IOException {
        assertThat(blocks("java"))
                .contains(withoutSpace(Files.readString(TEST.resolve("java/shop/" + name + ".java"))));
    }

    @Test
    void javaOfThePage_isOfTheseClassesOnly() throws IOException {
        assertThat(blocks("java")).hasSize(4);
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

    /** The version that is said after {@code artifact}. */
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
