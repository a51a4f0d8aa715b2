package dev.weir.checks.language;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the comments of a Java source as plain text, without markers, tags and code. Consecutive line comments form one
 * comment. Recognises only comments and literals. Confined to one thread.
 */
final class JavaComments {

    /** Replaces code within a comment. */
    private static final String CODE = "Code";

    private static final Pattern MARGIN = Pattern.compile("\\n[ \\t]*(?:\\*+(?!/)|//+)?");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)<pre>.*?</pre>");
    private static final Pattern QUOTED_CODE = Pattern.compile("`[^`]+`");
    private static final Pattern TAG = Pattern.compile("</?[a-z][^>]*>");
    private static final Pattern SPACES = Pattern.compile("\\s+");

    private final String source;
    private final List<Comment> comments = new ArrayList<>();
    private int line = 1;
    private int counted;

    /**
     * One comment.
     *
     * @param line the line on which it begins, from 1
     */
    record Comment(int line, boolean isJavadoc, String text) {}

    private JavaComments(String source) {
        this.source = source;
    }

    static List<Comment> of(String source) {
        JavaComments reader = new JavaComments(source);
        reader.read();
        return reader.comments;
    }

    private void read() {
        int at = 0;
        while (at < source.length()) {
            char c = source.charAt(at);
            if (c == '"' || c == '\'') {
                at = endOfLiteral(at);
            } else if (c != '/') {
                at++;
            } else if (source.startsWith("//", at)) {
                at = add(at, endOfLines(at), false);
            } else if (source.startsWith("/*", at)) {
                boolean isJavadoc = source.startsWith("/**", at) && !source.startsWith("/**/", at);
                at = add(at, after("*/", at + 2), isJavadoc);
            } else {
                at++;
            }
        }
    }

    private int add(int from, int to, boolean isJavadoc) {
        for (; counted < from; counted++) {
            line += source.charAt(counted) == '\n' ? 1 : 0;
        }
        comments.add(new Comment(line, isJavadoc, plain(source.substring(from, to))));
        return to;
    }

    /** Returns the end of a text block, string or character literal. Strings and characters end on their line. */
    private int endOfLiteral(int from) {
        boolean isBlock = source.startsWith("\"\"\"", from);
        String quotes = isBlock ? "\"\"\"" : source.substring(from, from + 1);
        int at = from + quotes.length();
        while (at < source.length() && !source.startsWith(quotes, at)) {
            if (source.charAt(at) == '\n' && !isBlock) {
                return at;
            }
            at += source.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(at + quotes.length(), source.length());
    }

    /** Returns the end of a line comment and of any line comments directly below it. */
    private int endOfLines(int from) {
        int end = source.indexOf('\n', from);
        int next = end;
        while (next >= 0 && next < source.length() && Character.isWhitespace(source.charAt(next))) {
            if (source.charAt(next) == '\n' && next > end) {
                return end;
            }
            next++;
        }
        if (end < 0) {
            return source.length();
        }
        return source.startsWith("//", next) ? endOfLines(next) : end;
    }

    private int after(String marker, int from) {
        int at = source.indexOf(marker, from);
        return at < 0 ? source.length() : at + marker.length();
    }

    private static String plain(String comment) {
        String text = comment.startsWith("//")
                ? comment.replaceFirst("^//+", "")
                : comment.replaceFirst("^/\\*+", "").replaceFirst("\\**/$", "");
        text = MARGIN.matcher(text).replaceAll("\n");
        text = EXAMPLE.matcher(text).replaceAll(" ");
        text = withoutInlineTags(text);
        text = QUOTED_CODE.matcher(text).replaceAll(CODE);
        text = TAG.matcher(text).replaceAll(" ");
        return SPACES.matcher(text).replaceAll(" ").strip();
    }

    /** Replaces inline tags, even nested ones. */
    private static String withoutInlineTags(String text) {
        int from = text.indexOf("{@");
        if (from < 0) {
            return text;
        }
        int at = from + 1;
        for (int depth = 1; at < text.length() && depth > 0; at++) {
            depth += text.charAt(at) == '{' ? 1 : text.charAt(at) == '}' ? -1 : 0;
        }
        return text.substring(0, from) + CODE + withoutInlineTags(text.substring(at));
    }
}
