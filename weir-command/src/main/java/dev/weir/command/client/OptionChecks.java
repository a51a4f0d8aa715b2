package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import java.util.regex.Pattern;

/** Validates options that name a cluster or its resources. Stateless and thread-safe. */
public final class OptionChecks {
    private static final Pattern ADDRESSES = Pattern.compile("[^\\s,]+:\\d{1,5}(,[^\\s,]+:\\d{1,5})*");

    private OptionChecks() {}

    /** Throws {@link CliFailure} unless the value of {@code --bootstrap-server} is a list of addresses. */
    public static void requireAddresses(String bootstrapServers) {
        if (!ADDRESSES.matcher(bootstrapServers).matches()) {
            throw CliFailure.badValue("--bootstrap-server", bootstrapServers, "HOST:PORT, several separated by commas");
        }
    }

    /** Throws {@link CliFailure} if the value of {@code option} is blank. */
    public static void requireNotBlank(String option, String value) {
        if (value.isBlank()) {
            throw CliFailure.usage(option + " must not be empty", "");
        }
    }
}
