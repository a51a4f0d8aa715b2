package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Checks all source files, and that each rule reports the violation planted for it. */
class SourceRulesTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Bounds the memory: the trees of all files need more than a gigabyte. */
    private static final int FILES_AT_ONCE = 200;

    @Test
    void sources_keepTheRules() throws IOException {
        List<Path> sources = sources();
        assertThat(sources).hasSizeGreaterThan(2_000);
        List<String> violations = new ArrayList<>();
        try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            for (int from = 0; from < sources.size(); from += FILES_AT_ONCE) {
                List<JavaFileObject> some = new ArrayList<>();
                files.getJavaFileObjectsFromPaths(sources.subList(from, Math.min(sources.size(), from + FILES_AT_ONCE)))
                        .forEach(some::add);
                violations.addAll(SourceRules.violations(some));
            }
        }
        assertThat(violations).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files =
                Files.find(ROOT, 20, (file, attributes) -> file.toString().endsWith(".java"))) {
            return files.filter(file -> ROOT.relativize(file)
                            .toString()
                            .replace('\\', '/')
                            .matches("(?!(.*/)?target/).*\\bsrc/(main|test)/java/.*"))
                    .toList();
        }
    }

    @Test
    void longFile_isReported() throws IOException {
        assertThat(violations("class A {\n" + "\n".repeat(799) + "}"))
                .singleElement()
                .asString()
                .contains("801 lines");
        assertThat(violations("class A {\n" + "\n".repeat(798) + "}")).isEmpty();
    }

    @Test
    void longMethod_isReported_withoutItsEmptyLinesAndComments() throws IOException {
        String empty = "\n  // why\n".repeat(100);
        assertThat(violations("class A { void a() {\n" + "  a();\n".repeat(58) + empty + "} }"))
                .isEmpty();
        assertThat(violations("class A { void a() {\n" + "  a();\n".repeat(59) + empty + "} }"))
                .singleElement()
                .asString()
                .contains("A.java:1: 61 lines");
    }

    @Test
    void openTask_needsAnIssue() throws IOException {
        assertThat(violations("// TO" + "DO #12 later\nclass A {}")).isEmpty();
        assertThat(violations("// TO" + "DO later\nclass A {}"))
                .singleElement()
                .asString()
                .contains(":1: an open task");
    }

    @Test
    void comment_endsAtColumn120() throws IOException {
        String comment = "// " + "x".repeat(117);
        assertThat(violations(comment + "\nclass A {}")).isEmpty();
        assertThat(violations("// https://" + comment + "\nclass A {}")).isEmpty();
        assertThat(violations("\n" + comment + "x\nclass A {}"))
                .singleElement()
                .asString()
                .contains(":2: a comment");
    }

    @Test
    void starImport_isReported() throws IOException {
        assertThat(violations("import java.util.List;\nclass A {}")).isEmpty();
        assertThat(violations("import java.util.*;\nimport static java.lang.Math.*;\nclass A {}"))
                .hasSize(2)
                .allMatch(each -> each.endsWith("imports name each type"));
    }

    @Test
    void publicType_needsJavadoc() throws IOException {
        assertThat(violations("class A { public class B {} }")).isEmpty();
        assertThat(violations("/** A thing. */ public interface A { /** Inner. */ record B() {} }"))
                .isEmpty();
        assertThat(violations("/** A thing. */ public class A { public enum B {} }"))
                .hasSize(1);
        assertThat(violations("/** A thing. */ public interface A { record B() {} }"))
                .hasSize(1);
        assertThat(violations("// A thing.\npublic class A {}")).hasSize(1);
    }

    @Test
    void swallowedException_needsAReasonOrAName() throws IOException {
        assertThat(violations(swallowed("ignored", ""))).isEmpty();
        assertThat(violations(swallowed("e", "// The file is gone."))).isEmpty();
        assertThat(violations(swallowed("e", ""))).singleElement().asString().contains(":4: a swallowed fault");
    }

    private static String swallowed(String name, String comment) {
        return "class A { void a() {\n  try {\n    a();\n  } catch (RuntimeException " + name + ") {\n" + comment
                + "\n  }\n} }";
    }

    private static List<String> violations(String code) throws IOException {
        return SourceRules.violations(
                List.of(new SimpleJavaFileObject(URI.create("file:///A.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return code;
                    }
                }));
    }
}
