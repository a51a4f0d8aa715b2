package dev.weir.checks.language;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.language.LanguageRules.AcceptedPhrase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks the pages for grammar. A file stores the hashes of clean paragraphs, so the checker is loaded only for new
 * ones.
 */
class PageLanguageTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Pages and folders of pages that are checked. */
    private static final List<String> CHECKED =
            List.of("README.md", "DESIGN.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples", "deploy");

    /** After a change of the rules, all paragraphs are checked again, which takes minutes. */
    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void pages_haveNoFaultOfGrammarSpellingOrPunctuation() throws IOException {
        LanguageRules rules = LanguageRules.read();
        List<Paragraph> all = paragraphs();
        List<Paragraph> clean = new ArrayList<>(all);
        List<Paragraph> unknown =
                all.stream().filter(paragraph -> !rules.isKnownClean(paragraph)).toList();
        List<String> faults = new ArrayList<>();
        if (!unknown.isEmpty()) {
            GrammarChecker checker = new GrammarChecker(rules);
            for (Paragraph paragraph : unknown) {
                List<String> found = checker.faults(paragraph);
                if (!found.isEmpty()) {
                    faults.addAll(found);
                    clean.remove(paragraph);
                }
            }
            System.out.println("Paragraphs checked: " + unknown.size() + " of " + all.size()
                    + ". They are checked in each build until -Dweir.write=true notes them (CONTRIBUTING.md).");
        }
        if (Boolean.getBoolean("weir.write")) {
            rules.write(clean);
        }
        Files.write(ROOT.resolve("checks/language/target/faults.txt"), faults);
        assertThat(faults)
                .as("Mend the sentence. A word of the project goes to words.txt in %s.", LanguageRules.FOLDER)
                .isEmpty();
    }

    @Test
    void wordsAndPhrases_areUsed() throws IOException {
        List<Paragraph> all = paragraphs();
        LanguageRules rules = LanguageRules.read();
        assertThat(Stream.concat(rules.words.stream(), rules.accepted.stream().map(AcceptedPhrase::phrase)))
                .allSatisfy(word -> assertThat(all).as(word).anyMatch(paragraph -> paragraph.has(word)));
    }

    @Test
    void suppressions_haveAReason() throws IOException {
        LanguageRules rules = LanguageRules.read();
        assertThat(rules.switchedOff.values())
                .allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(15));
        assertThat(rules.sentencesOnly.values())
                .allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(15));
        assertThat(rules.accepted).allSatisfy(each -> assertThat(each.reason()).hasSizeGreaterThan(15));
    }

    /** Loads the checker, which takes seconds of processor time. */
    @Test
    @Tag("long")
    void paragraphsWithFaults_areFound() throws IOException {
        LanguageRules rules = LanguageRules.read();
        GrammarChecker checker = new GrammarChecker(rules);
        assertThat(List.of(
                        "The brokers refuses the request.",
                        "A acknowledgement is sent.",
                        "The record is writen to the topic.",
                        "The consumer reads the the record.",
                        "Each records is committed.",
                        "The consumer who read the record commit it.",
                        "It does not commits the offset."))
                .allSatisfy(
                        text -> assertThat(checker.faults(new Paragraph("page.md", 1, Paragraph.Kind.SENTENCES, text)))
                                .as(text)
                                .isNotEmpty());
        assertThat(checker.ruleIds())
                .containsAll(rules.switchedOff.keySet())
                .containsAll(rules.switchedOn.keySet())
                .containsAll(rules.sentencesOnly.keySet());
    }

    static List<Paragraph> paragraphs() throws IOException {
        List<Paragraph> paragraphs = new ArrayList<>();
        for (String place : CHECKED) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
                for (Path file : files.filter(PageLanguageTest::isPage).sorted().toList()) {
                    paragraphs.addAll(
                            MarkdownText.paragraphs(ROOT.relativize(file).toString(), Files.readAllLines(file)));
                }
            }
        }
        return paragraphs;
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md")
                && !ROOT.relativize(file).toString().contains("target/");
    }
}
