package dev.weir.checks.language;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * LanguageTool for British English with the project's {@link LanguageRules}. Loading takes seconds of processor time.
 * Confined to one thread.
 */
final class GrammarChecker {

    /** The number of characters shown on each side of a fault. */
    private static final int CONTEXT = 40;

    private final JLanguageTool tool;
    private final LanguageRules rules;

    GrammarChecker(LanguageRules rules) {
        this.rules = rules;
        tool = new JLanguageTool(Languages.getLanguageForShortCode("en-GB"));
        tool.disableRules(List.copyOf(rules.switchedOff.keySet()));
        rules.switchedOn.keySet().forEach(tool::enableRule);
        for (Rule rule : tool.getAllActiveRules()) {
            if (rule instanceof SpellingCheckRule spelling) {
                spelling.addIgnoreTokens(List.copyOf(rules.words));
            }
        }
    }

    /** Returns the ids of all rules, switched off or not. */
    Set<String> ruleIds() {
        return tool.getAllRules().stream().map(Rule::getId).collect(Collectors.toSet());
    }

    /** Describes each fault of a paragraph: place, rule, message, suggestions, and context. */
    List<String> faults(Paragraph paragraph) throws IOException {
        List<String> faults = new ArrayList<>();
        for (RuleMatch match : tool.check(paragraph.text())) {
            String rule = match.getRule().getId();
            boolean applies = paragraph.kind() == Paragraph.Kind.SENTENCES || !rules.sentencesOnly.containsKey(rule);
            if (applies && !rules.accepts(rule, paragraph.text(), match.getFromPos(), match.getToPos())) {
                faults.add(describe(paragraph, match));
            }
        }
        return faults;
    }

    private static String describe(Paragraph paragraph, RuleMatch match) {
        String text = paragraph.text();
        int from = Math.max(0, match.getFromPos() - CONTEXT);
        int to = Math.min(text.length(), match.getToPos() + CONTEXT);
        String suggestions =
                match.getSuggestedReplacements().stream().limit(3).collect(Collectors.joining(", ", " (", ")"));
        return paragraph.page() + ":" + paragraph.line() + ": "
                + match.getRule().getId() + ": "
                + match.getMessage() + suggestions + ": ..." + text.substring(from, match.getFromPos()) + "["
                + text.substring(match.getFromPos(), match.getToPos()) + "]" + text.substring(match.getToPos(), to)
                + "...";
    }
}
