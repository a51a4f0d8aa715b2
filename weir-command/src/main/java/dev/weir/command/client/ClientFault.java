package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Secrets;
import dev.weir.stream.spi.Thrown;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/**
 * Explains an exception of a Kafka client: the root cause in words, and the setting at fault. Kafka hides both in
 * nested exceptions, whose innermost message is often just a path. Immutable.
 *
 * @param setting the setting at fault, or null if unknown
 * @param value its value, or null if that is a secret
 * @param reason the root cause, without a trailing period
 */
public record ClientFault(
        @Nullable String setting, @Nullable String value, String reason) {

    private static final String JAAS = "sasl.jaas.config";

    /** Minimum length of a value to search for in messages. Shorter values match almost any message. */
    private static final int MIN_VALUE_CHARS = 4;

    private static final Pattern OFFSET =
            Pattern.compile("OffsetAndMetadata\\{offset=(-?[0-9]+), leaderEpoch=[^,]*, metadata='[^']*'}");

    private static final Set<String> SECRETS =
            Set.of("password", "jaas", "secret", "keystore.key", "certificate", "token");

    /**
     * Analyses a fault.
     *
     * @param settings the client's settings
     */
    public static ClientFault of(Throwable fault, Map<String, String> settings) {
        List<Throwable> chain = Thrown.causes(fault);
        String reason = withoutSecrets(reason(chain), settings);
        for (Map.Entry<String, String> each : new TreeMap<>(settings).entrySet()) {
            String value = each.getValue();
            boolean meant = value.length() >= MIN_VALUE_CHARS
                    && !isSecret(each.getKey())
                    && chain.stream().anyMatch(link -> message(link).contains(value));
            if (meant) {
                return new ClientFault(each.getKey(), Secrets.redactAddresses(value), reason);
            }
        }
        return chain.stream().anyMatch(LoginException.class::isInstance)
                ? new ClientFault(JAAS, null, reason)
                : new ClientFault(null, null, reason);
    }

    private static String reason(List<Throwable> chain) {
        Throwable root = chain.getLast();
        return switch (root) {
            case FileNotFoundException missing -> oneLine(message(missing).replaceFirst("^.*\\((.*)\\)$", "$1"));
            case FileSystemException file -> CliFailure.reason(file);
            case UnknownHostException host -> "unknown host " + oneLine(message(host));
            case ClassNotFoundException missing -> "no such class: " + oneLine(message(missing));
            case IOException other when message(other).isEmpty() -> other.toString();
            default -> message(root).isEmpty() ? root.toString() : oneLine(message(root));
        };
    }

    /** Hides the values of secret settings, which clients repeat in their messages. */
    private static String withoutSecrets(String reason, Map<String, String> settings) {
        String safe = reason;
        for (Map.Entry<String, String> each : settings.entrySet()) {
            String value = each.getValue();
            // redactAddresses hides the secrets in addresses and keeps the host.
            if (isSecret(each.getKey()) && value.length() >= MIN_VALUE_CHARS && !value.contains("://")) {
                safe = safe.replace(value, Secrets.HIDDEN);
            }
        }
        return Secrets.redactAddresses(safe);
    }

    private static boolean isSecret(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        return SECRETS.stream().anyMatch(small::contains);
    }

    private static String message(Throwable link) {
        return link.getMessage() == null ? "" : link.getMessage();
    }

    /** Makes one line without a trailing period, to be part of a sentence. */
    static String oneLine(String message) {
        // Kafka's clients print an offset with its metadata. Keep only the offset.
        return OFFSET.matcher(message)
                .replaceAll("$1")
                .strip()
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceAll("\\.$", "");
    }

    /** Returns the message of a fault, and the message of its root cause unless the first contains it. */
    public static String withCause(Throwable fault) {
        String message = oneLine(message(fault));
        String reason = reason(Thrown.causes(fault));
        return Stream.of(message, message.contains(reason) ? "" : reason)
                .filter(part -> !part.isEmpty())
                .reduce((first, second) -> first + ": " + second)
                .map(Secrets::redactAddresses)
                .orElseGet(fault::toString);
    }

    /** Returns the explanation as one sentence without a trailing period. */
    public String sentence() {
        if (setting == null || reason.contains(setting)) {
            return reason;
        }
        return setting + (value == null || reason.contains(value) ? "" : "=" + value) + ": " + reason;
    }
}
