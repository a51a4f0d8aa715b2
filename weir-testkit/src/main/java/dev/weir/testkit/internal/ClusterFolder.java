package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a cluster, locked while it is open. Opened and closed by one thread; any thread may read the paths.
 *
 * <pre>
 * cluster.properties   cluster id and number of brokers
 * cluster.lock         held by the process that owns the cluster
 * broker-1/            log.dirs of broker 1
 * logs/                logs of the brokers
 * </pre>
 */
public final class ClusterFolder {
    private static final String DESCRIPTION = "cluster.properties";
    private static final String LOCK = "cluster.lock";
    private static final String SERVER_LOCK = ".lock";
    private static final Duration ORPHAN_DEADLINE = Duration.ofSeconds(10);
    private static final String CLUSTER_ID = "cluster.id";
    private static final String BROKERS = "brokers";

    private final Path path;
    private final boolean temporary;
    private final FileChannel lock;
    private final String clusterId;

    private ClusterFolder(Path path, boolean temporary, FileChannel lock, String clusterId) {
        this.path = path;
        this.temporary = temporary;
        this.lock = lock;
        this.clusterId = clusterId;
    }

    /**
     * Opens the given folder, or a new temporary one if it is null.
     *
     * @param brokers the number of brokers in the cluster
     */
    public static ClusterFolder open(@Nullable Path given, int brokers) {
        Path path = given == null
                ? temporaryFolder()
                : usable(given.toAbsolutePath().normalize());
        FileChannel lock = lock(path);
        try {
            return new ClusterFolder(path, given == null, lock, describe(path, brokers));
        } catch (RuntimeException e) {
            closeQuietly(lock, e);
            throw e;
        }
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("weir-kafka-");
        } catch (IOException e) {
            throw new KafkaClusterException(
                    "no temporary folder: " + System.getProperty("java.io.tmpdir") + " is not writable (" + e
                            + "): set -Djava.io.tmpdir, or give a dataFolder",
                    e);
        }
    }

    private static Path usable(Path path) {
        if (path.toString().contains(",")) {
            throw new KafkaClusterException("data folder " + path
                    + " has a comma in its path, which separates a broker's folders: give another folder");
        }
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        try (Stream<Path> files = Files.list(path)) {
            if (!Files.exists(path.resolve(DESCRIPTION)) && files.anyMatch(file -> !file.endsWith(LOCK))) {
                throw new KafkaClusterException("data folder " + path + " holds files, but no cluster of the testkit ("
                        + DESCRIPTION + " is missing): give an empty or a new folder");
            }
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        return path;
    }

    private static KafkaClusterException unwritable(Path path, IOException cause) {
        return new KafkaClusterException(
                "data folder " + path + " is not writable (" + cause + "): give a folder that this user may create",
                cause);
    }

    private static FileChannel lock(Path path) {
        FileChannel channel;
        try {
            channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        KafkaClusterException inUse = new KafkaClusterException(
                "data folder " + path + " is in use by a running cluster: close that one, or give another folder");
        try {
            FileLock held = channel.tryLock();
            if (held != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            inUse.addSuppressed(e);
        } catch (IOException e) {
            inUse.addSuppressed(e);
        }
        closeQuietly(channel, inUse);
        throw inUse;
    }

    /** Returns the cluster's id from the folder, or creates and stores one. */
    private static String describe(Path path, int brokers) {
        Path file = path.resolve(DESCRIPTION);
        Properties description = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            description.load(in);
        } catch (NoSuchFileException e) {
            return writeDescription(path, file, brokers);
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        String clusterId = description.getProperty(CLUSTER_ID);
        String stored = description.getProperty(BROKERS);
        if (clusterId == null || stored == null) {
            throw new KafkaClusterException(file + " lacks " + CLUSTER_ID + " or " + BROKERS + ": give another folder");
        }
        if (!stored.equals(Integer.toString(brokers))) {
            throw new KafkaClusterException("data folder " + path + " holds a cluster of " + stored
                    + " broker(s), not of " + brokers + ": ask for " + stored + ", or give another folder");
        }
        return clusterId;
    }

    private static String writeDescription(Path path, Path file, int brokers) {
        String clusterId = Uuid.randomUuid().toString();
        Properties description = new Properties();
        description.setProperty(CLUSTER_ID, clusterId);
        description.setProperty(BROKERS, Integer.toString(brokers));
        try (OutputStream out = Files.newOutputStream(file)) {
            description.store(out, "A Kafka cluster of the Weir testkit");
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        return clusterId;
    }

    public Path path() {
        return path;
    }

    public String clusterId() {
        return clusterId;
    }

    public boolean isTemporary() {
        return temporary;
    }

    public Path brokerData(int id) {
        return path.resolve("broker-" + id);
    }

    public Path settingsFile(int id) {
        return path.resolve("broker-" + id + ".properties");
    }

    /**
     * Waits until no process uses a broker's folder. A broker whose owner was killed still uses it for a moment,
     * without the cluster's lock.
     */
    public void awaitUnused(Path brokerData) {
        Path file = brokerData.resolve(SERVER_LOCK);
        long deadlineNanos = System.nanoTime() + ORPHAN_DEADLINE.toNanos();
        while (Files.exists(file) && !isFree(file)) {
            if (System.nanoTime() >= deadlineNanos) {
                throw new KafkaClusterException("data folder " + path + " is in use: a broker still runs in "
                        + brokerData + "; stop it, or give another folder");
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    private boolean isFree(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock held = channel.tryLock()) {
            return held != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    public Path logs() {
        return path.resolve("logs");
    }

    public Path logFile(String name) {
        try {
            Files.createDirectories(logs());
        } catch (IOException e) {
            throw unwritable(path, e);
        }
        return logs().resolve(name + ".log");
    }

    /** Releases the lock. Deletes the folder if it is temporary, unless {@code keep} is true. */
    public void close(boolean keep) {
        try {
            lock.close();
            if (temporary && !keep) {
                delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("folder of the cluster could not be deleted: " + path, e);
        }
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void closeQuietly(FileChannel channel, Exception cause) {
        try {
            channel.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }
}
