package dev.weir.checks.language;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;

/**
 * A paragraph, list item, heading or table cell of a page as plain text. Immutable.
 *
 * @param page the file, relative to the repository's root
 * @param line the line on which it begins, from 1
 * @param kind whether it consists of sentences
 * @param text the words without Markdown; names replace code
 */
record Paragraph(String page, int line, Kind kind, String text) {

    /** The kinds of text, with different rules. */
    enum Kind {
        /** Sentences, with capitals and full stops. */
        SENTENCES,
        /** A heading or table cell, without a capital or a full stop. */
        FRAGMENT
    }

    /** The number of hexadecimal digits of a hash, enough for ten thousand paragraphs. */
    private static final int HASH_DIGITS = 16;

    /**
     * Returns a hash that identifies this text as checked under these rules.
     *
     * @param rules everything that changes the verdict on any text
     * @param words accepted words; only words in this text change its hash
     */
    String hash(String rules, Collection<String> words) {
        StringBuilder identity =
                new StringBuilder(rules).append('\n').append(kind).append('\n').append(text);
        words.stream()
                .filter(text::contains)
                .forEach(word -> identity.append('\n').append(word));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(identity.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Returns whether the text contains these words as whole words. */
    boolean has(String words) {
        for (int at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
            int end = at + words.length();
            boolean within = (at > 0 && Character.isLetterOrDigit(text.charAt(at - 1)))
                    || (end < text.length() && Character.isLetterOrDigit(text.charAt(end)));
            if (!within) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return page + ":" + line + ": " + text;
    }
}
