package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports for servers. Confined to one thread.
 *
 * <p>A port is chosen before its broker starts, and again taken when the broker restarts; in between, nothing holds it.
 * Hence the range below the ports that systems give to outgoing connections: no connection of a stranger can take it.
 */
final class Ports {
    private static final int LOWEST = 15_000;
    private static final int BOUND = 30_000;
    private static final int MOST_TRIES = 1_000;

    private final Set<Integer> given = new HashSet<>();

    int next() {
        for (int i = 0; i < MOST_TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BOUND);
            if (isFree(port) && given.add(port)) {
                return port;
            }
        }
        throw new KafkaClusterException("no free port found between " + LOWEST + " and " + BOUND + " on "
                + ClusterLayout.HOST + ": stop what listens there");
    }

    static boolean isFree(int port) {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            channel.bind(address(port));
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    /** The port on {@link ClusterLayout#HOST}. */
    static InetSocketAddress address(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
