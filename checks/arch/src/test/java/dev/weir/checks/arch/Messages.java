package dev.weir.checks.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The messages of exceptions and log lines in the sources, and the entries that the pages have for them. Stateless.
 *
 * <p>A message consists of the string literals in the arguments of an exception, an error or a logger call; three dots
 * replace everything else. Each way through a conditional expression is a separate message. Texts of fewer than three
 * words are ignored. An entry is the text between backticks in the first cell of a row. Its parts, which three dots
 * separate, must occur in the message as whole words and in the same order.
 */
final class Messages {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final Pattern CALL = Pattern.compile("\\b(?:new \\w+(?:Exception|Error)|super"
            + "|throw (?!new\\b|switch\\b|CliFailure\\.badValue\\b)[\\w.]+"
            + "|(?:LOG|log|logger|LOGGER)\\.(?:warn|error|log)|CliFailure\\.(?:usage|work))\\(");
    private static final Pattern TEXT_MADE = Pattern.compile("\\bString (\\w+)(?:\\(| =(?!=))");
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern NAME = Pattern.compile("\\b[A-Za-z]\\w*");
    private static final Pattern RETURN = Pattern.compile("\\breturn\\b");
    private static final Pattern ENTRY = Pattern.compile("`([^`]* [^`]*)`");
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{2,}");
    private static final Pattern ANYTHING = Pattern.compile("(?:\\.\\.\\.|\\{})+");
    private static final int FEWEST_WORDS = 3;

    private Messages() {}

    /** A message, and the simple name of its class. */
    record Message(String type, String text) {}

    /** An entry of a page, and the parts of its text between three dots. */
    record Entry(Path page, String text, List<String> parts) {

        Entry(Path page, String text) {
            this(page, text, ANYTHING.splitAsStream(text).map(String::strip).toList());
        }

        /** Returns whether the message contains the entry's fixed words in the same order. */
        boolean isOf(Message message) {
            int at = 0;
            for (String part : parts) {
                at = endOfWords(message.text(), part, at);
                if (at < 0) {
                    return false;
                }
            }
            return true;
        }

        /** Returns the index after the first occurrence of the whole words, from {@code at} on, or -1. */
        private static int endOfWords(String text, String words, int at) {
            int found = text.indexOf(words, at);
            while (found >= 0 && (isWithinAWord(text, found) || isWithinAWord(text, found + words.length()))) {
                found = text.indexOf(words, found + 1);
            }
            return found < 0 ? -1 : found + words.length();
        }

        private static boolean isWithinAWord(String text, int at) {
            return at > 0
                    && at < text.length()
                    && Character.isLetterOrDigit(text.charAt(at - 1))
                    && Character.isLetterOrDigit(text.charAt(at));
        }

        boolean saysEnough() {
            return wordsOf(text) >= FEWEST_WORDS;
        }
    }

    /** Returns the messages of all modules for users. Only the harness reads the messages of drivers. */
    static List<Message> ofSources() throws IOException {
        List<Message> all = new ArrayList<>();
        for (WeirModule module :
                EnumSet.complementOf(EnumSet.of(WeirModule.DRIVER, WeirModule.ASIMOV, WeirModule.SPRING_EXAMPLE))) {
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

    static List<Message> of(String type, String commented) {
        String code = JavaText.withoutComments(commented);
        Map<String, List<String>> made = textsMade(code);
        Set<String> texts = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>();
        CALL.matcher(code)
                .results()
                .map(call -> code.substring(call.end(), JavaText.endOf(code, call.end(), ")")))
                .forEach(open::add);
        while (!open.isEmpty()) {
            String expression = open.remove();
            texts.addAll(JavaText.of(expression));
            NAME.matcher(QUOTED.matcher(expression).replaceAll("\"\""))
                    .results()
                    .map(name -> made.remove(name.group()))
                    .filter(Objects::nonNull)
                    .forEach(open::addAll);
        }
        return texts.stream()
                .filter(text -> wordsOf(text) >= FEWEST_WORDS)
                .map(text -> new Message(type, text))
                .toList();
    }

    /** Returns the possible texts of each variable and method in a file, by name. */
    private static Map<String, List<String>> textsMade(String code) {
        Map<String, List<String>> made = new HashMap<>();
        Matcher each = TEXT_MADE.matcher(code);
        while (each.find()) {
            List<String> expressions = made.computeIfAbsent(each.group(1), name -> new ArrayList<>());
            if (each.group().endsWith("=")) {
                expressions.add(code.substring(each.end(), JavaText.endOf(code, each.end(), ";")));
            } else {
                int body = JavaText.endOf(code, JavaText.endOf(code, each.end(), ")") + 1, "{;");
                if (code.startsWith("{", body)) {
                    String method = code.substring(body + 1, JavaText.endOf(code, body + 1, "}"));
                    RETURN.matcher(method)
                            .results()
                            .forEach(end -> expressions.add(
                                    method.substring(end.end(), JavaText.endOf(method, end.end(), ";"))));
                }
            }
        }
        return made;
    }

    private static int wordsOf(String text) {
        return (int) WORD.matcher(text).results().count();
    }

    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/guide/messages"))) {
            return files.sorted().toList();
        }
    }

    /** Returns the page of symptoms, whose entries count as well. */
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
