package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/** Prepares a broker's folder for its first start, like {@code kafka-storage format}. Stateless. */
public final class Formatting {
    private Formatting() {}

    /** Formats the folder with every production feature at its latest level. A formatted folder is left unchanged. */
    public static void format(ClusterLayout layout, int id, String clusterId, Path dataFolder) {
        Formatter formatter = new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                .setNodeId(id)
                .setClusterId(clusterId)
                .setIgnoreFormatted(true)
                .setControllerListenerName(BrokerSettings.CONTROLLER_LISTENER)
                .setHasDynamicQuorum(false)
                .setWriteBootstrapSnapshot(layout.isController(id))
                .setMetadataLogDirectory(dataFolder.toString())
                .addDirectory(dataFolder.toString());
        try {
            formatter.run();
        } catch (Exception e) {
            throw new KafkaClusterException(
                    "folder of broker " + id + " could not be formatted: " + dataFolder + ": " + e.getMessage(), e);
        }
    }
}
