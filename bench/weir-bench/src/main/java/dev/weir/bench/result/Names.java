package dev.weir.bench.result;

import java.util.regex.Pattern;

/** Checks and converts strings that become parts of file names. Stateless. */
final class Names {

    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._=-]{0,119}");

    private Names() {}

    static void requireFileName(String option, String name) {
        if (!SAFE.matcher(name).matches()) {
            throw new IllegalArgumentException(option
                    + " must start with a letter or digit, then letters, digits, '.', '_', '=', '-', at most 120: "
                    + option
                    + "=" + name);
        }
    }

    /**
     * Converts a name to a file name. Disallowed characters are replaced by their codes, so different names stay
     * different.
     */
    static String toFileName(String name) {
        StringBuilder safe = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < 128 && (Character.isLetterOrDigit(c) || c == '.' || c == '-')) {
                safe.append(c);
            } else {
                safe.append('=').append(Integer.toHexString(c));
            }
        }
        return safe.toString();
    }
}
