package dev.weir.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that each sample of {@code docs/guide/spring.md} occurs word for word in this application or its tests. */
class GuideTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Pattern SAMPLE = Pattern.compile("```(?:java|yaml)\n(.*?)```", Pattern.DOTALL);

    @Test
    void samples_ofTheGuide_areOfThisApplication() throws IOException {
        StringBuilder here = new StringBuilder();
        for (String file : List.of(
                "main/java/dev/weir/examples/spring/InvoicingApplication.java",
                "main/resources/application.yaml",
                "test/java/dev/weir/examples/spring/InvoicingApplicationTest.java",
                "test/java/dev/weir/examples/spring/InvoicingSliceTest.java")) {
            here.append(withoutSpace(
                    Files.readString(ROOT.resolve("examples/spring/src").resolve(file))));
        }
        List<String> samples = SAMPLE.matcher(Files.readString(ROOT.resolve("docs/guide/spring.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .hasSize(5)
                .allSatisfy(sample -> assertThat(here).as(sample).contains(withoutSpace(sample)));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}
