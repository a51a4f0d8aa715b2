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
 * One broker of a {@link KafkaCluster}; it keeps its id, port and data across restarts. Thread-safe: its methods run
 * one after the other.
 *
 * <p>{@link #kill}, {@link #freeze}, {@link #thaw}, {@link #pid} and {@link #exit} need a separate process, from a
 * cluster built with {@link KafkaCluster.Builder#forked()}.
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

    /** Host and port on which it listens while it runs. */
    public String address() {
        return ClusterLayout.HOST + ":" + port;
    }

    /** The log file of the broker. Brokers in one JVM write to the same file. */
    public Path logFile() {
        return logFile;
    }

    /** Returns whether it is started; a frozen broker counts as started. */
    public boolean isRunning() {
        return node.isRunning();
    }

    /** Returns whether it is started and can answer. */
    boolean isResponsive() {
        return isRunning() && !frozen;
    }

    /**
     * Starts the broker again after a stop or a kill, and returns when it serves clients. Does nothing while it runs.
     */
    public void start() {
        exclusively(() -> {
            if (!node.isRunning()) {
                node.start();
            }
        });
    }

    /** Stops the broker in order: leaderships move away, logs are flushed. Does nothing when it does not run. */
    public void stop() {
        exclusively(() -> {
            if (frozen) {
                thaw();
            }
            node.stop();
        });
    }

    /** Ends the broker as quickly as possible, because its data are about to be deleted. */
    void discard() {
        exclusively(node::discard);
    }

    /** Kills its process with SIGKILL: it flushes nothing, hands over nothing and reports nothing. */
    public void kill() {
        exclusively(() -> {
            forked("kill").kill();
            frozen = false;
        });
    }

    /** Freezes its process with SIGSTOP: its connections stay open, but it does not answer. */
    public void freeze() {
        exclusively(() -> {
            forked("freeze").signal("STOP");
            frozen = true;
        });
    }

    /** Resumes a frozen process with SIGCONT. */
    public void thaw() {
        exclusively(() -> {
            forked("thaw").signal("CONT");
            frozen = false;
        });
    }

    /**
     * Fills its disk: files of its log directory can no longer grow, and a write that would extend one fails as on a
     * full device. Since a server has one log directory here, it ends by itself soon after it has something to write:
     * {@link #exit} completes, and {@link #start} restarts it with free disk space. Before that, {@link #repairDisk}
     * ends the fault. Indices and checkpoints, which a server does not write through file channels, do not fail. Needs
     * {@link KafkaCluster.Builder#diskFaults}.
     */
    public void fillDisk() {
        exclusively(() -> faultyDisk("fillDisk").orderDisk(DiskFaults.FULL));
    }

    /**
     * Makes its disk slow: each write to a file of its log directory, and each flush, takes that much longer, until
     * {@link #repairDisk} or a restart. Reads are not affected, because a server reads recent records from memory.
     * Needs {@link KafkaCluster.Builder#diskFaults}.
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

    /** Ends the fault set by {@link #fillDisk} or {@link #slowDisk}. */
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

    /** The process id. */
    public long pid() {
        return forked("pid").pid();
    }

    /**
     * Completes with the exit status when the last started process has ended, for whatever reason: 137 after a
     * {@link #kill}. Needs {@code forked()}.
     */
    public CompletableFuture<Integer> exit() {
        return forked("exit").exit();
    }

    private ForkedNode forked(String wanted) {
        if (node instanceof ForkedNode forked) {
            return forked;
        }
        throw new KafkaClusterException(
                wanted + " needs a broker in a process of its own: build the cluster with forked()");
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
