package dev.weir.spring;

import java.io.IOException;
import java.io.InputStream;
import java.lang.Runtime.Version;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a warning if kafka-clients is older than the version that Weir is built with. Spring Boot's dependency
 * management may select an older version. Stateless.
 */
final class ClientVersion {

    private static final Logger LOG = LoggerFactory.getLogger(ClientVersion.class);

    /** The version line that Weir is built and tested with. */
    static final String BUILT_WITH = "4.4";

    private ClientVersion() {}

    static void warnIfOld() {
        String found = found();
        if (isOld(found)) {
            LOG.warn(
                    "kafka-clients {} is on the class path, and Weir is built with {}: set the property kafka.version of"
                            + " the build, which Spring Boot's dependency management reads",
                    found,
                    BUILT_WITH);
        }
    }

    /** Returns the version from kafka-clients' own version file. */
    static String found() {
        Properties about = new Properties();
        try (InputStream in = KafkaConsumer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (in != null) {
                about.load(in);
            }
        } catch (IOException unreadable) {
            LOG.debug("the version of kafka-clients is not known", unreadable);
        }
        return about.getProperty("version", "unknown");
    }

    /** Returns whether the version is older than {@link #BUILT_WITH}; false if the text is not a version number. */
    static boolean isOld(String found) {
        return found.matches("[1-9]\\d*(\\.\\d+)*")
                && Version.parse(withoutZeros(found)).compareTo(Version.parse(BUILT_WITH)) < 0;
    }

    /** Removes trailing zeros, which {@link Version} does not allow. */
    private static String withoutZeros(String version) {
        return version.replaceAll("(\\.0+)+$", "");
    }
}
