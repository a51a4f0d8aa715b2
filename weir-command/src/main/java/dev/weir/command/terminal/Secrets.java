package dev.weir.command.terminal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Removes secrets from settings and texts before they are written. Stateless, thread-safe. */
public final class Secrets {

    /** The replacement for a secret. */
    public static final String HIDDEN = "[hidden]";

    private static final String NAME =
            "[\\w.-]*(?:password|passwd|passphrase|secret|token|credential|api[._-]?key|private[._-]?key|keystore[._-]?key|"
                    + "access[._-]?key|jaas[._-]?config)[\\w.-]*";
    private static final Pattern SECRET_NAME = Pattern.compile("(?i)" + NAME);

    // Matches a secret name followed by a YAML block value: "name: |" or "name: >", then all lines that are indented
    // further than the name.
    private static final Pattern BLOCK = Pattern.compile("(?im)^([ \\t]*)([\"']?" + NAME
            + "[\"']?[ \\t]*:)[ \\t]*[|>][^\\n]*\\n(?:(?:\\1[ \\t]+[^\\n]*|[ \\t]*)(?:\\n|\\z))*");
    private static final Pattern QUOTED = Pattern.compile(
            "(?i)([\"']?" + NAME + "[\"']?[ \\t]*[:=][ \\t]*)(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^']|'')*')");
    // Matches an unquoted value up to the end of the line instead of the next space, because JAAS settings contain
    // spaces.
    private static final Pattern BARE =
            Pattern.compile("(?im)([\"']?" + NAME + "[\"']?[ \\t]*[:=][ \\t]*)(?!\\[hidden])([^\\s\"'][^\\n]*)");
    // Matches everything up to the last @ before the query instead of the first @. A password may contain an @ itself,
    // or a slash that should have been percent-encoded.
    private static final Pattern USER_IN_ADDRESS = Pattern.compile("(\\w[\\w+.-]*://)[^\\s?#\"']*@");
    private static final Pattern QUERY_OF_ADDRESS =
            Pattern.compile("(?i)(://\\S*?[?&]" + NAME + "=)(?!\\[hidden])[^&\\s\"'#]+");

    private Secrets() {}

    /** Returns the settings in the same order, with each secret value replaced by {@value #HIDDEN}. */
    public static Map<String, String> redact(Map<String, String> settings) {
        Map<String, String> safe = new LinkedHashMap<>();
        settings.forEach(
                (name, value) -> safe.put(name, SECRET_NAME.matcher(name).matches() ? HIDDEN : redact(value)));
        return Collections.unmodifiableMap(safe);
    }

    /**
     * Returns the text, for example YAML, properties, JSON or a command line, with each value that belongs to a secret
     * name replaced by {@value #HIDDEN}.
     */
    public static String redact(String text) {
        String safe = BLOCK.matcher(text).replaceAll("$1$2 " + HIDDEN + "\n");
        safe = QUOTED.matcher(safe).replaceAll("$1\"" + HIDDEN + "\"");
        safe = BARE.matcher(safe).replaceAll("$1" + HIDDEN);
        return redactAddresses(safe);
    }

    /** Returns the text, in any format, with users, passwords and tokens in addresses replaced by {@value #HIDDEN}. */
    public static String redactAddresses(String text) {
        String safe = USER_IN_ADDRESS.matcher(text).replaceAll("$1" + HIDDEN + "@");
        String before;
        do { // Repeat this, because each pass replaces only one secret per address.
            before = safe;
            safe = QUERY_OF_ADDRESS.matcher(before).replaceAll("$1" + HIDDEN);
        } while (!safe.equals(before));
        return safe;
    }
}
