package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the first sentences of Javadoc to a noun phrase or a verb in the third person. A sentence that opens with a
 * question word has to be read twice.
 */
class JavadocOpeningsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final Pattern OPENING = Pattern.compile(
            "/\\*\\*[\\s*]*((?:What|How|Which|Whether|Who|Whose|When|Where|Why|Those|That of|Of|Goes on|So (?:many|long|few|often))\\b[^\\n*]*)");

    /** The declaration behind a comment, past its annotations. */
    private static final Pattern TYPE = Pattern.compile(
            "(?:\\s*@[\\w.]+(?:\\([^)]*\\))?\\s)*\\s*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\\s+)*"
                    + "(?:class|interface|record|enum|@interface)\\s+(\\w+)");

    @Test
    void types_openWithANounOrAVerb() throws IOException {
        assertThat(openings(true)).isEmpty();
    }

    @Test
    void members_openWithANounOrAVerb() throws IOException {
        assertThat(openings(false)).isEmpty();
    }

    @Test
    void question_isFound() {
        String type = "/** What a reader sees. */\n@Tag(\"x\")\npublic final class Reader {\n";
        String member = "/**\n     * Whether it is so.\n     */\n    boolean isSo() {\n";
        assertThat(openings(type, true)).containsExactly("Reader: What a reader sees. ");
        assertThat(openings(type, false)).isEmpty();
        assertThat(openings(member, false)).hasSize(1);
        assertThat(openings("/** Returns whether it is so. */", false)).isEmpty();
    }

    private static List<String> openings(boolean ofTypes) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.find(ROOT, 20, (file, attributes) -> isMainSource(file))) {
            for (Path file : files.sorted().toList()) {
                for (String opening : openings(Files.readString(file), ofTypes)) {
                    found.add(ROOT.relativize(file) + ": " + opening);
                }
            }
        }
        return found;
    }

    private static List<String> openings(String code, boolean ofTypes) {
        List<String> found = new ArrayList<>();
        Matcher opening = OPENING.matcher(code);
        while (opening.find()) {
            int end = code.indexOf("*/", opening.start()) + 2;
            Matcher type = TYPE.matcher(code).region(end, code.length());
            boolean isType = type.lookingAt();
            if (isType == ofTypes) {
                found.add((isType ? type.group(1) + ": " : "") + opening.group(1));
            }
        }
        return found;
    }

    private static boolean isMainSource(Path file) {
        String path = ROOT.relativize(file).toString();
        return path.endsWith(".java") && path.contains("src/main/java") && !path.contains("/target/");
    }
}
