package dev.weir.bench.result;

import dev.weir.command.terminal.Secrets;
import java.util.Map;

/**
 * The environment in which a campaign ran. Immutable, thread-safe.
 *
 * @param jvm the vendor and version of the JVM under test
 * @param os the name, version and architecture of the operating system
 * @param processor the processor's name as reported by the operating system
 * @param versions the version of each artifact
 * @param settings flags of the JVM, settings of the broker, limits of the container and the CPU governor; secrets are
 *     replaced
 * @param commit the commit of Weir's sources, with the suffix {@code -dirty} if they were changed
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

    Environment with(Map<String, String> other) {
        return new Environment(jvm, os, processor, cores, memoryBytes, versions, other, commit, startedAtMillis);
    }
}
