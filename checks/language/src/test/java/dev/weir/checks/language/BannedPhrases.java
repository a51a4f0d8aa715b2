package dev.weir.checks.language;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Phrases banned from comments and pages, and the places where they have another meaning. Immutable. */
final class BannedPhrases {

    /** The number of characters shown on either side of a banned phrase. */
    private static final int CONTEXT = 50;

    final List<Ban> bans;
    final List<Allowance> allowances;

    /** Matches any phrase banned from all text. */
    private final Pattern anyInText;

    /**
     * One rule.
     *
     * @param isOpening whether it applies only to the first words of Javadoc, with capitals
     * @param instead words to write instead
     * @param example a text against the rule
     */
    record Ban(boolean isOpening, Pattern pattern, String instead, String example) {}

    /**
     * An allowed phrase that contains a banned one.
     *
     * @param place the file or folder where it may occur
     */
    record Allowance(String phrase, String place, String reason) {

        private boolean covers(String file, String text, int from, int to) {
            int at = text.toLowerCase(Locale.ROOT).lastIndexOf(phrase, from);
            return file.startsWith(place) && at >= 0 && at + phrase.length() >= to;
        }
    }

    private BannedPhrases(List<Ban> bans, List<Allowance> allowances) {
        this.bans = bans;
        this.allowances = allowances;
        this.anyInText = Pattern.compile(
                bans.stream()
                        .filter(each -> !each.isOpening)
                        .map(each -> each.pattern.pattern())
                        .collect(Collectors.joining("|")),
                Pattern.CASE_INSENSITIVE);
    }

    static BannedPhrases read() throws IOException {
        return new BannedPhrases(
                lines("banned-phrases.txt", 4).stream().map(BannedPhrases::ban).toList(),
                lines("allowed-phrases.txt", 3).stream()
                        .map(fields -> new Allowance(fields[0], fields[1], fields[2]))
                        .toList());
    }

    private static Ban ban(String[] fields) {
        boolean isOpening = fields[0].equals("opening");
        if (!isOpening && !fields[0].equals("text")) {
            throw new IllegalStateException("banned-phrases.txt: neither text nor opening: " + fields[0]);
        }
        int flags = isOpening ? 0 : Pattern.CASE_INSENSITIVE;
        return new Ban(isOpening, Pattern.compile("\\b(?:" + fields[1] + ")\\b", flags), fields[2], fields[3]);
    }

    /**
     * Returns the banned phrases in a text, with their context and the words to write instead.
     *
     * @param file relative to the repository's root
     * @param isJavadoc whether rules for openings apply
     */
    List<String> in(String file, String text, boolean isJavadoc) {
        List<String> found = new ArrayList<>();
        boolean isSuspect = anyInText.matcher(text).find();
        for (Ban ban : bans) {
            Matcher matcher = ban.pattern.matcher(text);
            if (!ban.isOpening) {
                while (isSuspect && matcher.find()) {
                    add(found, ban, file, text, matcher);
                }
            } else if (isJavadoc && matcher.lookingAt()) {
                add(found, ban, file, text, matcher);
            }
        }
        return found;
    }

    private void add(List<String> found, Ban ban, String file, String text, Matcher matcher) {
        if (allowances.stream().noneMatch(each -> each.covers(file, text, matcher.start(), matcher.end()))) {
            String context = text.substring(
                    Math.max(0, matcher.start() - CONTEXT), Math.min(text.length(), matcher.end() + CONTEXT));
            found.add("\"" + matcher.group() + "\" in \"" + context + "\"; write " + ban.instead);
        }
    }

    private static List<String[]> lines(String name, int fields) throws IOException {
        Path file = LanguageRules.FOLDER.resolve(name);
        List<String[]> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split(" \\| ", -1);
                if (parts.length != fields) {
                    throw new IllegalStateException(name + ": a line has " + fields + " fields, not: " + line);
                }
                lines.add(parts);
            }
        }
        return lines;
    }
}
