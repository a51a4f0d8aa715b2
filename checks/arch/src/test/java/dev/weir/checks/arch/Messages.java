package dev.weir.checks.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The messages of exceptions and log lines in the sources, and the entries that the pages have for them. Stateless.
 *
 * <p>A message is what stands in quotes among the arguments of a new exception or error, of a call of a logger, or of
 * the command's failures; all else among them is three dots. It counts from three words on: what has fewer passes on
 * another's words. An entry is the text between backticks in the first cell of a row; its parts between three dots
 * stand in the message in the same order.
 */
final class Messages {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final Pattern CALL = Pattern.compile("\\b(?:new \\w+(?:Exception|Error)"
            + "|(?:LOG|log|logger|LOGGER)\\.(?:warn|error|log)|CliFailure\\.(?:usage|work))\\(");
    private static final Pattern ENTRY = Pattern.compile("`([^`]* [^`]*)`");
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{2,}");
    private static final Pattern ANYTHING = Pattern.compile("(?:\\.\\.\\.|\\{})+");
    private static final String DOTS = "...";
    private static final int FEWEST_WORDS = 3;

    private Messages() {}

    /** A message of a class, by its simple name. */
    record Message(String type, String text) {}

    /** An entry of a page, with its parts between three dots. */
    record Entry(Path page, String text, List<String> parts) {

        Entry(Path page, String text) {
            this(page, text, ANYTHING.splitAsStream(text).map(String::strip).toList());
        }

        /** Whether its fixed words stand in a message in their order. */
        boolean isOf(Message message) {
            int at = 0;
            for (String part : parts) {
                int found = message.text().indexOf(part, at);
                if (found < 0) {
                    return false;
                }
                at = found + part.length();
            }
            return true;
        }

        boolean saysEnough() {
            return wordsOf(text) >= FEWEST_WORDS;
        }
    }

    /** Those of all modules that users run. Drivers talk to the harness alone, the site's maker to its build. */
    static List<Message> ofSources() throws IOException {
        List<Message> all = new ArrayList<>();
        for (WeirModule module : EnumSet.complementOf(
                EnumSet.of(WeirModule.DRIVER, WeirModule.SITE, WeirModule.ASIMOV, WeirModule.SPRING_EXAMPLE))) {
            Path folder = ROOT.resolve(module.folder).resolve("src/main/java");
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        String name = Objects.requireNonNull(file.getFileName()).toString();
                        all.addAll(of(name.replace(".java", ""), Files.readString(file)));
                    }
                }
            }
        }
        return all;
    }

    /** Those in the code of a class. */
    static List<Message> of(String type, String code) {
        return CALL.matcher(code)
                .results()
                .filter(call -> !isInComment(code, call.start()))
                .map(call -> new Message(type, textOfArguments(code, call.end())))
                .filter(message -> wordsOf(message.text()) >= FEWEST_WORDS)
                .toList();
    }

    private static boolean isInComment(String code, int at) {
        String before = code.substring(code.lastIndexOf('\n', at) + 1, at).strip();
        return before.startsWith("*") || before.startsWith("/");
    }

    private static int wordsOf(String text) {
        return (int) WORD.matcher(text).results().count();
    }

    /** What stands in quotes from {@code at} to the end of the parenthesis; three dots for all between but a plus. */
    private static String textOfArguments(String code, int at) {
        StringBuilder text = new StringBuilder();
        StringBuilder between = new StringBuilder();
        int depth = 1;
        int i = at;
        while (depth > 0 && i < code.length()) {
            char c = code.charAt(i);
            int end = i + 1;
            if (c == '"') {
                end = endOfQuote(code, i);
                addDots(text, between);
                text.append(code, i + 1, end - 1);
            } else if (c == '\'') {
                end = endOfQuote(code, i);
                between.append('x');
            } else if (code.startsWith("//", i)) {
                end = code.indexOf('\n', i);
            } else {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                between.append(depth > 0 ? c : ' ');
            }
            i = end;
        }
        addDots(text, between);
        String plain = text.toString().replace("\\\"", "\"").replaceAll("\\\\.", " ");
        return ANYTHING.matcher(plain).replaceAll(DOTS).strip();
    }

    private static void addDots(StringBuilder text, StringBuilder between) {
        String code = between.toString().strip();
        if (!code.isEmpty() && !code.equals("+")) {
            text.append(DOTS);
        }
        between.setLength(0);
    }

    /** The index behind the quote that ends what begins at {@code start}. */
    private static int endOfQuote(String code, int start) {
        int i = start + 1;
        while (code.charAt(i) != code.charAt(start)) {
            i += code.charAt(i) == '\\' ? 2 : 1;
        }
        return i + 1;
    }

    /** The pages of messages, by area. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/guide/messages"))) {
            return files.sorted().toList();
        }
    }

    /** The page of symptoms, whose entries count as well. */
    static Path symptoms() {
        return ROOT.resolve("docs/guide/troubleshooting.md");
    }

    static List<Entry> entriesOf(Path page) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("|")) {
                Matcher entry = ENTRY.matcher(CELL_END.split(line, -1)[1]);
                while (entry.find()) {
                    entries.add(new Entry(page, entry.group(1).replace("\\|", "|")));
                }
            }
        }
        return entries;
    }
}
