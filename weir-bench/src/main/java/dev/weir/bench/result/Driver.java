package dev.weir.bench.result;

import java.util.Map;

/**
 * A library under test with the settings it ran with. Immutable, thread-safe.
 *
 * @param name unique in the campaign, e.g. {@code plain}
 * @param version of the library, with kafka-clients' version where they differ
 * @param settings everything that was set, defaults included where they are known; secrets are replaced
 */
public record Driver(String name, String version, Map<String, String> settings) {

    public Driver {
        settings = Secrets.redact(settings);
    }
}
