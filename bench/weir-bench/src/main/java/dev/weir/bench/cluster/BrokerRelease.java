package dev.weir.bench.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;

/**
 * The Kafka release of forked brokers. Immutable.
 *
 * @param version empty for the harness's own version
 * @param classPath the jars of the release's server; empty for the harness's own
 */
public record BrokerRelease(String version, List<Path> classPath) {

    /** The release on this JVM's class path. */
    public static final BrokerRelease OF_HARNESS = new BrokerRelease("", List.of());

    public BrokerRelease {
        classPath = List.copyOf(classPath);
    }

    boolean isOfHarness() {
        return version.isEmpty();
    }

    /** Returns the release's name in results, such as {@code kafka-4.3.1}. */
    public String name() {
        return name(version);
    }

    /** Returns the name of a version in results. An empty version means the harness's own. */
    public static String name(String version) {
        return "kafka-" + (version.isEmpty() ? versionOfHarness() : version);
    }

    /** Returns the version of this process's Kafka client. The server on the class path has the same version. */
    private static String versionOfHarness() {
        Properties version = new Properties();
        try (InputStream in = Admin.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (in != null) {
                version.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the version of kafka-clients cannot be read: " + e, e);
        }
        return version.getProperty("version", "unknown");
    }
}
