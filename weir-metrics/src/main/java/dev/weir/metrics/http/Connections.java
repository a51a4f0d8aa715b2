package dev.weir.metrics.http;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections of an endpoint, a bounded number of them. A new one is always taken in, as it may be a probe's: the
 * one that is missed least is cut for it. Thread-safe.
 */
final class Connections {

    private static final Comparator<Connection> LEAST_MISSED =
            Comparator.comparingInt(Connections::worth).thenComparingLong(each -> -each.ageNanos());

    /** A connection that is younger has had no time to send its request, or to read. */
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

    /** Takes in one more, in place of another if there are too many; it is cut at once if all have been closed. */
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

    /** Cuts the connection that is missed least, if there is any. */
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

    /** Cuts all, and each that comes later. */
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
