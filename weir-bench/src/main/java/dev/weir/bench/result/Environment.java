package dev.weir.bench.result;

import java.util.Map;

/**
 * The environment in which a campaign ran. Immutable, thread-safe.
 *
 * @param jvm vendor and version of the virtual machine under test
 * @param os name, version, architecture
 * @param processor as the operating system calls it
 * @param versions artifact to version
 * @param settings flags of the virtual machine, settings of the broker, limits of the container,
 *     CPU governor; secrets are replaced
 * @param commit of Weir's sources, with {@code -dirty} where they were changed
 */
public record Environment(
        String jvm,
        String os,
        String processor,
        int cores,
        long memoryBytes,
        Map<String, String> versions,
        Map<String, String> settings,
        String commit,
        long startedAtMillis) {

    public Environment {
        versions = Secrets.redact(versions);
        settings = Secrets.redact(settings);
    }
}
