package dev.weir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The lines of {@code weir --version}, without picocli. Stateless. */
final class Versions {

    private Versions() {}

    /** Provides the same lines to picocli. */
    static final class Provider implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return lines();
        }
    }

    static String[] lines() {
        return new String[] {
            "Weir " + property("/dev/weir/cli/version.properties", "weir"),
            // Reads the version from the client on the class path, without starting the client's logging.
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
