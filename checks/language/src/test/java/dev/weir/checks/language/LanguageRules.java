package dev.weir.checks.language;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The contents of this module's resource files: accepted words, changed rules, and clean paragraphs. Immutable, except
 * for {@link #write}.
 */
final class LanguageRules {

    /** The module's folder of resources. */
    static final Path FOLDER = Path.of(System.getProperty("weir.root")).resolve("checks/language/src/test/resources");

    private static final Path CLEAN = FOLDER.resolve("clean-paragraphs.txt");

    /** Words missing in the dictionary, sorted. */
    final Collection<String> words;

    /** The reason for each rule that is switched off, by rule id. */
    final Map<String, String> switchedOff;

    /** The reason for each rule that is off by default and switched on, by rule id. */
    final Map<String, String> switchedOn;

    /** The reason for each rule that applies only to sentences, by rule id. */
    final Map<String, String> sentencesOnly;

    /** Correct phrases that a rule reports as faults. */
    final List<AcceptedPhrase> accepted;

    private final Collection<String> clean;
    private final String identity;

    /** A correct phrase that a rule reports as a fault, and the reason why it is correct. */
    record AcceptedPhrase(String rule, String phrase, String reason) {}

    private LanguageRules(
            Collection<String> words,
            Map<String, String> switchedOff,
            Map<String, String> switchedOn,
            Map<String, String> sentencesOnly,
            List<AcceptedPhrase> accepted,
            Collection<String> clean) {
        this.words = words;
        this.switchedOff = switchedOff;
        this.switchedOn = switchedOn;
        this.sentencesOnly = sentencesOnly;
        this.accepted = accepted;
        this.clean = clean;
        identity = System.getProperty("weir.languagetool.version") + "\n" + switchedOff.keySet() + "\n"
                + switchedOn.keySet() + "\n" + sentencesOnly.keySet();
    }

    static LanguageRules read() throws IOException {
        return new LanguageRules(
                new TreeSet<>(lines(FOLDER.resolve("words.txt"))),
                reasons(FOLDER.resolve("rules-off.txt")),
                reasons(FOLDER.resolve("rules-on.txt")),
                reasons(FOLDER.resolve("rules-of-sentences.txt")),
                acceptedPhrases(),
                new TreeSet<>(lines(CLEAN)));
    }

    /** Returns whether a finding is within an accepted phrase of its rule. */
    boolean accepts(String rule, String text, int from, int to) {
        return accepted.stream().filter(each -> each.rule().equals(rule)).anyMatch(each -> {
            int at = text.lastIndexOf(each.phrase(), from);
            return at >= 0 && at + each.phrase().length() >= to;
        });
    }

    /** Returns whether this text had no fault under these rules. */
    boolean isKnownClean(Paragraph paragraph) {
        return clean.contains(hash(paragraph));
    }

    void write(Collection<Paragraph> cleanParagraphs) throws IOException {
        Collection<String> hashes = new TreeSet<>();
        cleanParagraphs.forEach(paragraph -> hashes.add(hash(paragraph)));
        Files.write(CLEAN, hashes);
    }

    private String hash(Paragraph paragraph) {
        List<String> ours = new ArrayList<>(words);
        accepted.forEach(each -> ours.add(each.phrase()));
        return paragraph.hash(identity, ours);
    }

    /** Reads lines of the form {@code ID | phrase | reason}. */
    private static List<AcceptedPhrase> acceptedPhrases() throws IOException {
        return lines(FOLDER.resolve("accepted-phrases.txt")).stream()
                .map(line -> line.split(" \\| ", -1))
                .map(fields -> new AcceptedPhrase(fields[0], fields[1], fields[2]))
                .toList();
    }

    /** Reads lines of the form {@code ID: reason}. */
    private static Map<String, String> reasons(Path file) throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : lines(file)) {
            int colon = line.indexOf(": ");
            if (colon < 0) {
                throw new IllegalStateException(file + ": a line is ID: reason, not: " + line);
            }
            reasons.put(line.substring(0, colon), line.substring(colon + 2).strip());
        }
        return reasons;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }
}
