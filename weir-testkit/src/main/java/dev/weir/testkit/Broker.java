package dev.weir.testkit;

import dev.weir.testkit.internal.BrokerNode;
import dev.weir.testkit.internal.ClusterLayout;
import dev.weir.testkit.internal.ForkedNode;
import dev.weir.testkit.internal.disk.DiskFaults;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One broker of a {@link KafkaCluster}. Retains its id, port and data across restarts. Thread-safe: calls run one after
 * the other.
 *
 * <p>{@link #kill}, {@link #freeze}, {@link #thaw}, {@link #pid} and {@link #exit} need a separate process, so the
 * cluster must be built with {@link KafkaCluster.Builder#forked()}.
 */
public final class Broker {
    private static final Duration MOST_DELAY = Duration.ofMinutes(1);

    private final int id;
    private final int port;
    private final BrokerNode node;
    private final Path logFile;
    private final boolean diskFaults;
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean frozen;

    Broker(int id, int port, BrokerNode node, Path logFile, boolean diskFaults) {
        this.id = id;
        this.port = port;
        this.node = node;
        this.logFile = logFile;
        this.diskFaults = diskFaults;
    }

    public int id() {
        return id;
    }

    public int port() {
        return port;
    }

    /** Returns the host and port on which the broker listens while it is running. */
    public String address() {
        return ClusterLayout.HOST + ":" + port;
    }

    /** Returns the broker's log file. Brokers in the same JVM write to the same file. */
    public Path logFile() {
        return logFile;
    }

    /** Returns whether the broker is started. A frozen broker counts as started. */
    public boolean isRunning() {
        return node.isRunning();
    }

    /** Returns whether the broker is started and not frozen. */
    boolean isResponsive() {
        return isRunning() && !frozen;
    }

    /**
     * Starts the broker again after a stop or a kill, and returns once it serves clients. Does nothing if the broker is
     * running.
     */
    public void start() {
        exclusively(() -> {
            if (!node.isRunning()) {
                frozen = false;
                node.start();
            }
        });
    }

    /**
     * Shuts the broker down gracefully: leadership of its partitions moves to other brokers, and its logs are flushed.
     * Does nothing if the broker is not running.
     */
    public void stop() {
        exclusively(() -> {
            if (frozen && node.isRunning()) {
                thaw();
            }
            node.stop();
        });
    }

    /** Stops the broker as quickly as possible: its data will be deleted. */
    void discard() {
        exclusively(node::discard);
    }

    /**
     * Kills the broker's process with SIGKILL, so that it flushes nothing, transfers no leadership and reports nothing.
     */
    public void kill() {
        exclusively(() -> {
            forked("kill").kill();
            frozen = false;
        });
    }

    /** Freezes the broker's process with SIGSTOP. Its connections stay open, but it does not respond. */
    public void freeze() {
        exclusively(() -> {
            forked("freeze").freeze();
            frozen = true;
        });
    }

    /** Resumes a frozen process with SIGCONT. */
    public void thaw() {
        exclusively(() -> {
            forked("thaw").thaw();
            frozen = false;
        });
    }

    /**
     * Fills the broker's disk: files in its log directory can no longer grow, and a write that would extend a file
     * fails as if no space were left on the device. The broker has no other log directory, so it terminates soon after
     * it has something to write. {@link #exit} then completes, and {@link #start} restarts the broker with free disk
     * space. If the broker is still running, {@link #repairDisk} ends the fault without a restart. Indexes and
     * checkpoints are not affected. Needs {@link KafkaCluster.Builder#diskFaults}.
     */
    public void fillDisk() {
        exclusively(() -> faultyDisk("fillDisk").orderDisk(DiskFaults.FULL));
    }

    /**
     * Makes the broker's disk slow: each flush and each write to a file in its log directory takes {@code delay}
     * longer, until {@link #repairDisk} or a restart. Reads are not affected. Needs
     * {@link KafkaCluster.Builder#diskFaults}.
     *
     * @param delay above 0 and at most 1 minute
     * @throws IllegalArgumentException if the delay is out of bounds
     */
    public void slowDisk(Duration delay) {
        Objects.requireNonNull(delay, "delay");
        if (!delay.isPositive() || delay.compareTo(MOST_DELAY) > 0) {
            throw new IllegalArgumentException("delay must be above 0 and at most 1 minute: delay=" + delay);
        }
        exclusively(() -> faultyDisk("slowDisk").orderDisk(DiskFaults.SLOW + delay.toNanos()));
    }

    /** Ends the fault caused by {@link #fillDisk} or {@link #slowDisk}. */
    public void repairDisk() {
        exclusively(() -> faultyDisk("repairDisk").orderDisk(DiskFaults.SOUND));
    }

    private ForkedNode faultyDisk(String wanted) {
        if (!diskFaults) {
            throw new KafkaClusterException(
                    wanted + " needs a disk that can fail: build the cluster with forked() and diskFaults()");
        }
        if (frozen) {
            throw new KafkaClusterException(wanted + " needs a broker that can answer: thaw it first");
        }
        return forked(wanted);
    }

    /** Returns the process id. Needs {@code forked()}. */
    public long pid() {
        return forked("pid").pid();
    }

    /**
     * Returns a future that completes with the exit status once the last started process has ended, for whatever
     * reason. The status is 137 after a {@link #kill}. Needs {@code forked()}.
     */
    public CompletableFuture<Integer> exit() {
        return forked("exit").exit();
    }

    private ForkedNode forked(String wanted) {
        if (node instanceof ForkedNode forked) {
            return forked;
        }
        throw new KafkaClusterException(wanted + " needs a broker in its own process: build the cluster with forked()");
    }

    private void exclusively(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "broker " + id + " at " + address();
    }
}
