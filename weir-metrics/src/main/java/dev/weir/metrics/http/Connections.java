package dev.weir.metrics.http;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bounded set of connections of an endpoint. A new connection may be a probe, so it is always accepted. If there
 * are too many connections, the least useful one is closed. Thread-safe.
 */
final class Connections {

    private static final Comparator<Connection> LEAST_MISSED =
            Comparator.comparingInt(Connections::worth).thenComparingLong(each -> -each.ageNanos());

    /** A connection is young up to this age: it has had no time to send its request or read its response. */
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
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

    /** Adds a connection, or closes it after {@link #close}. Closes the least useful one of too many. */
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

    void remove(Connection connection) {
        lock.lock();
        try {
            open.remove(connection);
        } finally {
            lock.unlock();
        }
    }

    /** Closes all connections, including connections added later. */
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
