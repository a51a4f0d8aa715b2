package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Chooses free ports for servers, below the range of outgoing connections. Confined to one thread.
 *
 * <p>Each port has a byte of a file in the temporary folder. The JVM that has chosen a port keeps its byte locked, so
 * other JVMs with the testkit avoid the port.
 */
final class Ports {
    private static final int LOWEST = 15_000;
    private static final int BOUND = 30_000;
    private static final int MOST_TRIES = 1_000;

    /** Never closed, because closing it releases all locks on the file. Null if the file cannot be opened. */
    private static final @Nullable FileChannel RESERVED = open();

    private final Set<Integer> given = new HashSet<>();

    int next() {
        for (int i = 0; i < MOST_TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BOUND);
            if (isFree(port) && reserve(port) && given.add(port)) {
                return port;
            }
        }
        throw new KafkaClusterException("no free port found between " + LOWEST + " and " + BOUND + " on "
                + ClusterLayout.HOST + ": stop what listens there");
    }

    /** Reserves the port. Returns false if a JVM of this user has chosen it. */
    static boolean reserve(int port) {
        if (RESERVED == null) {
            return true;
        }
        try {
            return RESERVED.tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException ours) {
            return false;
        } catch (IOException noLocksHere) {
            return true;
        }
    }

    private static @Nullable FileChannel open() {
        try {
            Path file = Path.of(
                    System.getProperty("java.io.tmpdir"), "weir-testkit-ports-" + System.getProperty("user.name"));
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException | InvalidPathException none) {
            return null;
        }
    }

    static boolean isFree(int port) {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(address(port));
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    static InetSocketAddress address(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
