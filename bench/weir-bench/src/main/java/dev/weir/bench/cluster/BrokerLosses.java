package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaClusterException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Tracks the running brokers of a campaign, and causes planned failures of forked brokers. Confined to one thread. */
public final class BrokerLosses {
    private final List<Broker> forked;
    private final Map<Integer, Long> lost = new HashMap<>(); // CPU time of brokers lost as planned, by broker ID
    private Runnable whenLost = () -> {};
    private int count;
    private long goneNanos; // processor time of processes that have ended

    BrokerLosses(List<Broker> forked) {
        this.forked = forked;
    }

    void whenLost(Runnable told) {
        whenLost = told;
    }

    /** Returns whether there is a forked broker with that ID. */
    public boolean canLose(int id) {
        return forked.stream().anyMatch(broker -> broker.id() == id);
    }

    private Broker broker(int id) {
        return forked.stream().filter(broker -> broker.id() == id).findFirst().orElseThrow();
    }

    /**
     * Kills a broker with SIGKILL and returns the ID of the killed process. The loss counts as planned until
     * {@link #bringBack} restarts the broker.
     */
    public long lose(int id) {
        return lose(id, Broker::kill);
    }

    /**
     * Fills a broker's disk and returns the ID of the broker's process. The broker ends soon after, which counts as a
     * planned loss.
     */
    public long fillDisk(int id) {
        return lose(id, Broker::fillDisk);
    }

    private long lose(int id, Consumer<Broker> how) {
        Broker broker = broker(id);
        long pid = broker.pid();
        lost.put(id, cpuNanos(broker));
        count++;
        how.accept(broker);
        whenLost.run();
        return pid;
    }

    /**
     * Frees space on a broker's disk and restarts the broker if it has ended. Returns whether it had ended.
     *
     * @throws BenchException if the broker does not restart
     */
    public boolean emptyDisk(int id) {
        boolean hasEnded = !broker(id).isRunning();
        if (!hasEnded) {
            hasEnded = !repaired(broker(id));
        }
        if (hasEnded) {
            bringBack(id);
        } else {
            lost.remove(id);
        }
        return hasEnded;
    }

    /** Repairs a broker's disk. Returns false if the repair failed and the broker was stopped. */
    private static boolean repaired(Broker broker) {
        try {
            broker.repairDisk();
            return true;
        } catch (KafkaClusterException e) { // the broker is ending because of its full disk
            broker.stop();
            return false;
        }
    }

    /** Delays each write of a broker, until {@link #repairDisk}. */
    public void slowDisk(int id, Duration delay) {
        broker(id).slowDisk(delay);
    }

    /** Ends {@link #slowDisk}. */
    public void repairDisk(int id) {
        broker(id).repairDisk();
    }

    /** Returns the ID of a broker's process. */
    public long pid(int id) {
        return broker(id).pid();
    }

    /**
     * Restarts a lost broker and returns when the broker serves clients.
     *
     * @throws BenchException if the broker does not restart
     */
    public void bringBack(int id) {
        try {
            broker(id).start();
        } catch (KafkaClusterException e) {
            throw new BenchException("broker " + id + " did not come back: " + e.getMessage(), e);
        }
        Long before = lost.remove(id);
        goneNanos += before == null ? 0 : before;
    }

    /** Returns the number of planned broker losses. */
    public int count() {
        return count;
    }

    /** Returns whether at least one broker is currently lost as planned. */
    boolean isAnyLost() {
        return !lost.isEmpty();
    }

    /**
     * Fails if a broker has ended unexpectedly.
     *
     * @throws BenchException if a forked broker has ended and its loss was not planned
     */
    void requireOthers() {
        for (Broker broker : forked) {
            if (!broker.isRunning() && !lost.containsKey(broker.id())) {
                throw new BenchException("broker " + broker.id() + " has ended, whoever ended it; its log is "
                        + broker.logFile() + ". What is finished is kept, the rest can be resumed");
            }
        }
    }

    boolean hasAll() {
        return forked.stream().allMatch(Broker::isRunning);
    }

    long cpuNanos() {
        long sum = goneNanos;
        for (Broker broker : forked) {
            Long before = lost.get(broker.id());
            sum += before != null ? before : cpuNanos(broker);
        }
        return sum;
    }

    private static long cpuNanos(Broker broker) {
        return ProcessHandle.of(broker.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
    }
}
