package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Validates options that name a cluster or its resources. Stateless and thread-safe. */
public final class OptionChecks {
    private static final Pattern ADDRESS = Pattern.compile("[^\\s,]+:([0-9]{1,5})");

    private static final int MAX_PORT = 65_535;

    private OptionChecks() {}

    /** Throws {@link CliFailure} unless the value of {@code --bootstrap-server} is a list of addresses. */
    public static void requireAddresses(String bootstrapServers) {
        for (String address : bootstrapServers.split(",", -1)) {
            Matcher parts = ADDRESS.matcher(address);
            if (!parts.matches() || Integer.parseInt(parts.group(1)) > MAX_PORT) {
                throw CliFailure.badValue(
                        "--bootstrap-server",
                        bootstrapServers,
                        "HOST:PORT, several separated by commas, with ports up to " + MAX_PORT);
            }
        }
    }

    /** Throws {@link CliFailure} if the value of {@code option} is blank. */
    public static void requireNotBlank(String option, String value) {
        if (value.isBlank()) {
            throw CliFailure.usage(option + " must not be empty", "");
        }
    }
}
