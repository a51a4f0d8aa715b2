package dev.weir.bench.workload;

import java.util.Collection;
import java.util.Comparator;

/** Suggests known words for misspelled ones. Stateless. */
public final class Spelling {

    /**
     * The form of a library's version, as a regular expression. A version in this form cannot be mistaken for a path or
     * a command-line option.
     */
    public static final String VERSION = "\\d[\\w.+-]*";

    private Spelling() {}

    /**
     * Returns {@code "; did you mean X?"} with the most similar known word, or {@code "; there are "} and all known
     * words if none is similar.
     */
    public static String hint(String word, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
                .filter(nearest -> distance(word, nearest) <= Math.max(2, word.length() / 3))
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse("; there are " + String.join(", ", known));
    }

    /**
     * The Levenshtein distance: the smallest number of character changes, insertions and deletions that turn one word
     * into the other. Case is ignored.
     */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                boolean same = Character.toLowerCase(a.charAt(i - 1)) == Character.toLowerCase(b.charAt(j - 1));
                int changed = diagonal + (same ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
