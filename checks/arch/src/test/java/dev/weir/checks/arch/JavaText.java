package dev.weir.checks.arch;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Extracts the possible texts of a Java expression, with three dots for everything that is not a string literal. The
 * code must not contain comments; see {@link #withoutComments}. Types are not resolved. Stateless.
 */
final class JavaText {

    static final String DOTS = "...";

    private static final Pattern WILDCARD = Pattern.compile("\\?\\s*(?:[>,]|extends\\b|super\\b)");
    private static final Pattern ANYTHING = Pattern.compile("(?:\\.\\.\\.|\\{}|%[a-z])+");

    /** The maximum number of ways through an expression. More ways mean a misread expression. */
    private static final int MOST_WAYS = 64;

    private JavaText() {}

    /** Returns the code with blanks in place of comments, which keeps all positions. */
    static String withoutComments(String code) {
        StringBuilder plain = new StringBuilder(code);
        int i = 0;
        while (i < code.length()) {
            int end = i + 1;
            if (isQuote(code.charAt(i))) {
                end = endOfQuote(code, i);
            } else if (code.startsWith("//", i) || code.startsWith("/*", i)) {
                int found = code.startsWith("//", i) ? code.indexOf('\n', i) : code.indexOf("*/", i) + 2;
                end = found < i ? code.length() : found;
                for (int k = i; k < end; k++) {
                    plain.setCharAt(k, code.charAt(k) == '\n' ? '\n' : ' ');
                }
            }
            i = end;
        }
        return plain.toString();
    }

    /** Returns the texts of an expression. Expressions between commas are combined into one text. */
    static Set<String> of(String code) {
        Set<String> plain = new LinkedHashSet<>();
        for (String text : ways(code)) {
            plain.add(ANYTHING.matcher(text).replaceAll(DOTS).strip());
        }
        return plain;
    }

    /**
     * Returns the index of the first character in {@code ends}, from {@code at} on, outside quotes and brackets.
     * Returns the length if there is none.
     */
    static int endOf(String code, int at, String ends) {
        int depth = 0;
        int i = at;
        while (i < code.length()) {
            char c = code.charAt(i);
            if (depth == 0 && ends.indexOf(c) >= 0 && !isPartOfAnother(code, i)) {
                return i;
            }
            depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
            i = isQuote(c) ? endOfQuote(code, i) : i + 1;
        }
        return code.length();
    }

    /** Returns whether the character is part of a method reference or a wildcard type instead of a condition. */
    private static boolean isPartOfAnother(String code, int at) {
        return switch (code.charAt(at)) {
            case ':' -> code.startsWith("::", at) || (at > 0 && code.charAt(at - 1) == ':');
            case '?' -> WILDCARD.matcher(code).region(at, code.length()).lookingAt();
            default -> false;
        };
    }

    private static List<String> ways(String code) {
        String expression = code.strip();
        if (expression.isEmpty()) {
            return List.of("");
        }
        List<String> arguments = split(expression, ',');
        if (arguments.size() > 1) {
            return combine(arguments, DOTS);
        }
        int condition = endOf(expression, 0, "?");
        if (condition < expression.length()) {
            int otherwise = otherwise(expression, condition + 1);
            List<String> both = new ArrayList<>(ways(expression.substring(condition + 1, otherwise)));
            both.addAll(ways(expression.substring(Math.min(otherwise + 1, expression.length()))));
            return both;
        }
        List<String> terms = split(expression, '+');
        return terms.size() > 1 ? combine(terms, "") : waysOfTerm(expression);
    }

    /** Returns the index of the colon for the question mark before {@code at}. */
    private static int otherwise(String code, int at) {
        int open = 1;
        int i = endOf(code, at, "?:");
        while (i < code.length()) {
            open += code.charAt(i) == '?' ? 1 : -1;
            if (open == 0) {
                return i;
            }
            i = endOf(code, i + 1, "?:");
        }
        return i;
    }

    /** Returns the texts of a term: a literal, a call, a name, or an expression in brackets. */
    private static List<String> waysOfTerm(String term) {
        if (term.startsWith("switch")) {
            return waysOfSwitch(term);
        }
        List<String> ways = List.of("");
        int i = 0;
        while (i < term.length()) {
            char c = term.charAt(i);
            int end = i + 1;
            if (c == '"') {
                end = endOfQuote(term, i);
                ways = join(ways, List.of(textOfQuote(term.substring(i, end))), "");
            } else if (c == '(') {
                end = Math.min(endOf(term, i + 1, ")") + 1, term.length());
                // An expression in brackets keeps its texts. A call becomes three dots, because its effect is unknown.
                String dots = i == 0 && end == term.length() ? "" : DOTS;
                ways = join(join(ways, ways(term.substring(i + 1, end - 1)), dots), List.of(dots), "");
            } else if (c == '{') {
                end = Math.min(endOf(term, i + 1, "}") + 1, term.length());
                ways = join(ways, List.of(DOTS), "");
            } else {
                end = c == '\'' ? endOfQuote(term, i) : end;
                ways = join(ways, List.of(DOTS), "");
            }
            i = end;
        }
        return ways;
    }

    private static List<String> waysOfSwitch(String code) {
        List<String> ways = new ArrayList<>();
        int body = code.indexOf('{');
        int i = body < 0 ? -1 : code.indexOf("->", body);
        while (i >= 0) {
            int end = endOf(code, i + 2, ";");
            ways.addAll(ways(code.substring(i + 2, end)));
            i = code.indexOf("->", end);
        }
        return ways.isEmpty() ? List.of(DOTS) : ways;
    }

    private static List<String> combine(List<String> parts, String between) {
        List<String> ways = ways(parts.getFirst());
        for (String part : parts.subList(1, parts.size())) {
            ways = join(ways, ways(part), between);
        }
        return ways;
    }

    private static List<String> join(List<String> firsts, List<String> seconds, String between) {
        List<String> joined = new ArrayList<>();
        if (firsts.size() * seconds.size() > MOST_WAYS) {
            throw new IllegalStateException("more than " + MOST_WAYS + " ways through one expression: " + firsts);
        }
        for (String first : firsts) {
            for (String second : seconds) {
                joined.add(first.endsWith(DOTS) && second.equals(DOTS) ? first : first + between + second);
            }
        }
        return joined;
    }

    private static List<String> split(String code, char at) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        while (start <= code.length()) {
            int end = endOf(code, start, String.valueOf(at));
            parts.add(code.substring(start, end));
            start = end + 1;
        }
        return parts;
    }

    private static boolean isQuote(char c) {
        return c == '"' || c == '\'';
    }

    /** Returns the index after the literal that begins at {@code start}. */
    private static int endOfQuote(String code, int start) {
        if (code.startsWith("\"\"\"", start)) {
            return code.indexOf("\"\"\"", start + 3) + 3;
        }
        int i = start + 1;
        while (code.charAt(i) != code.charAt(start)) {
            i += code.charAt(i) == '\\' ? 2 : 1;
        }
        return i + 1;
    }

    private static String textOfQuote(String quoted) {
        int marks = quoted.startsWith("\"\"\"") && quoted.length() > 5 ? 3 : 1;
        return quoted.substring(marks, quoted.length() - marks)
                .replace("\\\"", "\"")
                .replaceAll("\\\\.", " ")
                .replaceAll("\\s*\\n\\s*", " ");
    }
}
