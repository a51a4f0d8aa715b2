package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The jars of a Kafka server release other than the one on this JVM's class path. The release's own tool formats the
 * broker's folder, for a metadata version that the release supports. Immutable.
 */
public record ServerRelease(List<Path> classPath) {
    private static final String STORAGE_TOOL = "kafka.tools.StorageTool";
    private static final String FORMATTED = "meta.properties";

    /**
     * Copies and checks the class path.
     *
     * @throws IllegalArgumentException if the class path is empty, or if a part of it does not exist; the message names
     *     that part
     */
    public ServerRelease {
        classPath = List.copyOf(classPath);
        if (classPath.isEmpty()) {
            throw new IllegalArgumentException(
                    "serverClassPath is empty: name the jar of kafka_2.13 and those that it depends on");
        }
        for (Path part : classPath) {
            if (!Files.exists(part)) {
                throw new IllegalArgumentException("serverClassPath names a file that does not exist: " + part);
            }
        }
    }

    /**
     * Returns the program of a broker with these settings. The program formats the folder first, unless the folder is
     * already formatted.
     */
    public BrokerProgram program(Path settingsFile, String clusterId, Path dataFolder) {
        String settings = settingsFile.toString();
        return new BrokerProgram(
                Files.exists(dataFolder.resolve(FORMATTED))
                        ? List.of()
                        : List.of("-cp", jars(), STORAGE_TOOL, "format", "-t", clusterId, "-c", settings),
                List.of("-cp", testkit() + File.pathSeparator + jars(), ReleaseMain.class.getName(), settings));
    }

    private String jars() {
        return classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static Path testkit() {
        try {
            return Path.of(ReleaseMain.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new KafkaClusterException("the place of the testkit's classes is not a path: " + e.getMessage(), e);
        }
    }
}
