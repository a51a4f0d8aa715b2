package dev.weir.command.terminal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes secrets from settings and texts before they are written. Stateless, thread-safe. */
public final class Secrets {

    /** The replacement for a secret. */
    public static final String HIDDEN = "[hidden]";

    // A match is one word and up to 100 characters after the keyword. Without a limit, a long record takes hours.
    private static final String NAME = "(?<![\\w.-])[\\w.-]*(?:password|passwd|passphrase|secret|token|credential|"
            + "api[._-]?key|private[._-]?key|keystore[._-]?key|access[._-]?key|jaas[._-]?config)[\\w.-]{0,100}";
    private static final Pattern SECRET_NAME = Pattern.compile("(?i)" + NAME);

    // Possessive quantifiers of groups: Java matches others recursively and overflows the stack on long values, for
    // example certificates.

    // A secret name with a YAML block value ("name: |" or "name: >"), and the lines indented further.
    private static final Pattern BLOCK = Pattern.compile("(?im)^([ \\t]*)([\"']?" + NAME
            + "[\"']?[ \\t]*:)[ \\t]*[|>][^\\n]*\\n(?:(?:\\1[ \\t]+[^\\n]*|[ \\t]*)(?:\\n|\\z))*+");
    private static final Pattern QUOTED = Pattern.compile(
            "(?i)([\"']?" + NAME + "[\"']?[ \\t]*[:=][ \\t]*)(\"(?:[^\"\\\\]|\\\\.)*+\"|'(?:[^']|'')*+')");
    // An unquoted value ends at the end of the line, because JAAS settings contain spaces.
    private static final Pattern BARE =
            Pattern.compile("(?im)([\"']?" + NAME + "[\"']?[ \\t]*[:=][ \\t]*)(?!\\[hidden])([^\\s\"'][^\\n]*)");
    /** An address up to its query. */
    private static final Pattern BEFORE_QUERY = Pattern.compile("://[^\\s?#\"']*+");

    /** An address up to the next space. */
    private static final Pattern ADDRESS = Pattern.compile("://\\S*+");

    private static final Pattern PARAMETER = Pattern.compile("([?&]([\\w.-]{1,100}+)=)[^&\\s\"'#]+");

    private Secrets() {}

    /** Returns the settings in the same order, with each secret value replaced by {@value #HIDDEN}. */
    public static Map<String, String> redact(Map<String, String> settings) {
        Map<String, String> safe = new LinkedHashMap<>();
        settings.forEach(
                (name, value) -> safe.put(name, SECRET_NAME.matcher(name).matches() ? HIDDEN : redact(value)));
        return Collections.unmodifiableMap(safe);
    }

    /**
     * Returns a text, for example YAML, properties, JSON or a command line, with the values of secret names replaced by
     * {@value #HIDDEN}.
     */
    public static String redact(String text) {
        String safe = BLOCK.matcher(text).replaceAll("$1$2 " + HIDDEN + "\n");
        safe = QUOTED.matcher(safe).replaceAll("$1\"" + HIDDEN + "\"");
        safe = BARE.matcher(safe).replaceAll("$1" + HIDDEN);
        return redactAddresses(safe);
    }

    /** Returns a text with users, passwords and tokens in addresses replaced by {@value #HIDDEN}. */
    public static String redactAddresses(String text) {
        String safe = BEFORE_QUERY
                .matcher(text)
                .replaceAll(address -> Matcher.quoteReplacement(withoutUser(address.group())));
        return ADDRESS.matcher(safe)
                .replaceAll(address -> Matcher.quoteReplacement(PARAMETER
                        .matcher(address.group())
                        .replaceAll(each -> Matcher.quoteReplacement(
                                SECRET_NAME.matcher(each.group(2)).matches()
                                        ? each.group(1) + HIDDEN
                                        : each.group()))));
    }

    /** Uses the last @, because a password may contain an @ or a slash. */
    private static String withoutUser(String address) {
        int at = address.lastIndexOf('@');
        return at < 0 ? address : "://" + HIDDEN + address.substring(at);
    }
}
