package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that each Java sample in a document occurs word for word in a compiled source. */
class SamplesTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    /** The number of samples per page that no source contains. {@code NewcomerTest} compiles these from the README. */
    private static final Map<String, Integer> ELSEWHERE = Map.of("README.md", 1);

    @Test
    void sample_standsInASourceThatIsCompiled() throws IOException {
        List<Path> documents = new ArrayList<>();
        StringBuilder code = new StringBuilder();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = String.valueOf(folder.getFileName());
                boolean skipped = name.equals("target") || (name.startsWith(".") && !folder.equals(ROOT));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".java")) {
                    code.append(withoutSpace(Files.readString(file)));
                } else if (file.toString().endsWith(".md")) {
                    documents.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Map<String, Integer> absent = new TreeMap<>();
        List<String> samples = new ArrayList<>();
        String sources = code.toString();
        for (Path document : documents) {
            Matcher sample = SAMPLE.matcher(Files.readString(document));
            while (sample.find()) {
                samples.add(sample.group(1));
                if (!sources.contains(withoutSpace(sample.group(1)))) {
                    absent.merge(
                            ROOT.relativize(document).toString().replace(File.separatorChar, '/'), 1, Integer::sum);
                }
            }
        }
        assertThat(samples).hasSizeGreaterThan(90);
        assertThat(absent).isEqualTo(ELSEWHERE);
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }
}
