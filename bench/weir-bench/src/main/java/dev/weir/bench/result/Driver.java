package dev.weir.bench.result;

import dev.weir.command.terminal.Secrets;
import java.util.Map;

/**
 * A library under test with the settings of its runs. Immutable, thread-safe.
 *
 * @param name unique in the campaign, for example {@code plain}
 * @param version the library's version, with the version of kafka-clients if they differ
 * @param settings all settings, including known defaults; secrets are replaced
 */
public record Driver(String name, String version, Map<String, String> settings) {

    public Driver {
        settings = Secrets.redact(settings);
    }
}
