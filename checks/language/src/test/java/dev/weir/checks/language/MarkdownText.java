package dev.weir.checks.language;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the paragraphs of a Markdown page as plain text, without blocks of code and HTML, and without the addresses of
 * links. Confined to one thread.
 */
final class MarkdownText {

    private static final Pattern FENCE = Pattern.compile("\\s*(?:```|~~~).*");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)?");
    private static final Pattern LIST_ITEM = Pattern.compile("(\\s*)(?:[-*+]|\\d+[.)]) +(.*)");
    private static final Pattern TABLE_DELIMITER = Pattern.compile("[|:\\- ]+");
    private static final Pattern CELL_BORDER = Pattern.compile("(?<!\\\\)\\|");

    private static final Pattern CODE = Pattern.compile("(`+)(?!`)(.+?)(?<!`)\\1(?!`)(e?s\\b)?");
    private static final Pattern IMAGE = Pattern.compile("!\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern LINK = Pattern.compile("\\[([^]]+)](?:\\([^)]*\\)|\\[[^]]*])");
    private static final Pattern ADDRESS = Pattern.compile("<?\\bhttps?://[^\\s>)]+>?");
    private static final Pattern TAG = Pattern.compile("<!--.*?-->|</?[a-z][^>]*>");
    private static final Pattern EMPHASIS = Pattern.compile("(?<![\\w*])(\\*{1,2}|_)(?=\\S)(.+?)(?<=\\S)\\1(?![\\w*])");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([|*_<>\\[\\]`#])");
    private static final Pattern SPACES = Pattern.compile("\\s+");

    /** Replaces code in the plural. */
    private static final String PLURAL = "parts";

    /** Matches a link with the name of a file or a class as its text. */
    private static final Pattern NAME_LINK =
            Pattern.compile("\\[([\\w-]+(?:[./][\\w-]*)+|[A-Z]\\w*[a-z][A-Z]\\w*)]\\([^)]*\\)");

    /** Names that replace code in turn. Each article has its own list: "an Oslo", "a Berlin". */
    private static final List<String> VOWEL_NAMES = List.of("Oslo", "Athens", "Ottawa");

    private static final List<String> CONSONANT_NAMES = List.of("Berlin", "Paris", "London");

    /** The indentation of a code block, relative to the enclosing list. */
    private static final int CODE_INDENT = 4;

    private final String page;
    private final List<Paragraph> paragraphs = new ArrayList<>();
    private final StringBuilder open = new StringBuilder();
    private int openLine;
    private int listIndent;

    private MarkdownText(String page) {
        this.page = page;
    }

    static List<Paragraph> paragraphs(String page, List<String> lines) {
        MarkdownText text = new MarkdownText(page);
        text.read(lines);
        return List.copyOf(text.paragraphs);
    }

    private void read(List<String> lines) {
        boolean fenced = false;
        boolean html = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("^> ?", "");
            if (FENCE.matcher(line).matches()) {
                fenced = !fenced;
                close();
            } else if (line.isBlank()) {
                html = false;
                close();
            } else if (!fenced) {
                html |= open.isEmpty() && line.startsWith("<");
                if (!html) {
                    readLine(line, i + 1);
                }
            }
        }
        close();
    }

    private void readLine(String line, int number) {
        Matcher heading = HEADING.matcher(line);
        Matcher item = LIST_ITEM.matcher(line);
        int indent = line.length() - line.stripLeading().length();
        if (heading.matches()) {
            close();
            listIndent = 0;
            add(number, Paragraph.Kind.FRAGMENT, heading.group(1));
        } else if (line.stripLeading().startsWith("|")) {
            close();
            addCells(line.strip(), number);
        } else if (open.isEmpty() && indent >= listIndent + CODE_INDENT) {
            return;
        } else if (item.matches()) {
            close();
            listIndent = item.start(2);
            begin(number, item.group(2));
        } else if (open.isEmpty()) {
            listIndent = indent == 0 ? 0 : listIndent;
            begin(number, line);
        } else {
            open.append(' ').append(line.strip());
        }
    }

    private void begin(int number, String line) {
        openLine = number;
        open.append(line.strip());
    }

    private void close() {
        if (!open.isEmpty()) {
            add(openLine, Paragraph.Kind.SENTENCES, open.toString());
            open.setLength(0);
        }
    }

    private void addCells(String row, int number) {
        if (TABLE_DELIMITER.matcher(row).matches()) {
            return;
        }
        for (String cell : CELL_BORDER.split(row, -1)) {
            add(number, Paragraph.Kind.FRAGMENT, cell);
        }
    }

    /** A list item in lower case is part of a sentence. */
    private void add(int number, Paragraph.Kind kind, String markdown) {
        String text = plain(markdown);
        if (text.chars().anyMatch(Character::isLetter)) {
            boolean sentence = kind == Paragraph.Kind.SENTENCES && !Character.isLowerCase(text.charAt(0));
            paragraphs.add(
                    new Paragraph(page, number, sentence ? Paragraph.Kind.SENTENCES : Paragraph.Kind.FRAGMENT, text));
        }
    }

    static String plain(String markdown) {
        AtomicInteger names = new AtomicInteger();
        String text = CODE.matcher(markdown)
                .replaceAll(code -> code.group(3) == null ? nameFor(code.group(2), names.getAndIncrement()) : PLURAL);
        text = IMAGE.matcher(text).replaceAll("$1");
        text = NAME_LINK.matcher(text).replaceAll(link -> nameFor(link.group(1), names.getAndIncrement()));
        text = LINK.matcher(text).replaceAll("$1");
        text = ADDRESS.matcher(text).replaceAll(address -> nameFor("w", names.getAndIncrement()));
        text = TAG.matcher(text).replaceAll(" ");
        text = EMPHASIS.matcher(text).replaceAll("$2");
        text = EMPHASIS.matcher(text).replaceAll("$2");
        text = ESCAPE.matcher(text).replaceAll("$1");
        text = text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&nbsp;", " ")
                .replace("&amp;", "&");
        return SPACES.matcher(text).replaceAll(" ").strip();
    }

    private static String nameFor(String code, int number) {
        String letters = code.replaceFirst("^[^\\p{L}\\d]+", "");
        boolean vowel = !letters.isEmpty() && "aeioAEIO8".indexOf(letters.charAt(0)) >= 0;
        List<String> names = vowel ? VOWEL_NAMES : CONSONANT_NAMES;
        return names.get(number % names.size());
    }
}
