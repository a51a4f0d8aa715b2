package dev.weir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Provides the lines of {@code weir --version}. Does not need picocli. Stateless. */
final class Versions {

    private Versions() {}

    /** Supplies the version lines to picocli. */
    static final class Provider implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return lines();
        }
    }

    static String[] lines() {
        return new String[] {
            "Weir " + property("/dev/weir/cli/version.properties", "weir"),
            // Read a resource of the Kafka client. Loading its version class would start its logging.
            "Kafka client " + property("/kafka/kafka-version.properties", "version"),
            "JDK " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")"
        };
    }

    private static String property(String resource, String key) {
        Properties properties = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream(resource)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty(key, "unknown");
    }
}
