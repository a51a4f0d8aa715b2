package dev.weir.metrics.http;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bounded set of connections of an endpoint. A new one, which may be a probe, is always accepted; the least useful
 * one is cut for it. Thread-safe.
 */
final class Connections {

    private static final Comparator<Connection> LEAST_MISSED =
            Comparator.comparingInt(Connections::worth).thenComparingLong(each -> -each.ageNanos());

    /** Age below which a connection has had no time to send its request or to read. */
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final Set<Connection> open = new HashSet<>();
    private boolean closed;

    Connections(int most) {
        this.most = most;
    }

    private static int worth(Connection connection) {
        boolean young = connection.ageNanos() < YOUNG_NANOS;
        return switch (connection.state()) {
            case WAITING -> young ? 2 : 0;
            case WRITING -> young ? 2 : 1;
            case WORKING -> 3;
        };
    }

    /** Adds a connection, replacing another if there are too many. After {@link #close} it is cut at once. */
    void add(Connection connection) {
        lock.lock();
        try {
            if (closed) {
                connection.cut();
                return;
            }
            if (open.size() >= most) {
                cutOne();
            }
            open.add(connection);
        } finally {
            lock.unlock();
        }
    }

    /** Cuts the least useful connection, if there is one. */
    void makeRoom() {
        lock.lock();
        try {
            cutOne();
        } finally {
            lock.unlock();
        }
    }

    private void cutOne() {
        open.stream().min(LEAST_MISSED).ifPresent(least -> {
            open.remove(least);
            least.cut();
        });
    }

    /** A connection has ended. */
    void remove(Connection connection) {
        lock.lock();
        try {
            open.remove(connection);
        } finally {
            lock.unlock();
        }
    }

    /** Cuts all connections, present and future. */
    void close() {
        lock.lock();
        try {
            closed = true;
            open.forEach(Connection::cut);
            open.clear();
        } finally {
            lock.unlock();
        }
    }
}
